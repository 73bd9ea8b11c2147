/**
 * Loaded into the binary with --require: kills it with SIGKILL before, during, or after its n-th call of node:fs that changes a file below
 * the given directories. Reports the call as one JSON line on descriptor 3. Writes of SQLite bypass it; agent.ts kills at those with
 * strace.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

/** `call`: counted from 1; if torn, only writes count. `when`: before, torn or after. */
const { call, when, below, except } = JSON.parse(process.env.RECEIPTD_KILL_POINT);
const { readlinkSync, writeSync } = fs;
let calls = 0;

function die(name, path) {
  writeSync(3, `${JSON.stringify({ name, path })}\n`);
  process.kill(process.pid, 'SIGKILL');
  // Nothing may run between the signal and the end.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Resolves a descriptor or a path, including one through an open directory. */
function pathOf(file) {
  try {
    if (typeof file === 'number') return readlinkSync(`/proc/self/fd/${file}`);
    const [, directory, rest = ''] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/.exec(String(file)) ?? [];
    return directory === undefined ? String(file) : readlinkSync(directory) + rest;
  } catch {
    return '';
  }
}

const isBelow = (path, directories) =>
  directories.some((each) => path === each || path.startsWith(`${each}/`));

/** `fileOf` finds the file in the arguments, or null if the call changes none. `half` halves a write. */
function count(owner, name, fileOf, half) {
  const original = owner[name];
  owner[name] = function counted(...args) {
    const file = fileOf(this, args);
    const path = file === null ? '' : pathOf(file);
    if (!isBelow(path, below) || isBelow(path, except) || (when === 'torn' && !half)) {
      return original.apply(this, args);
    }
    calls += 1;
    if (calls !== call) return original.apply(this, args);
    if (when === 'before') die(name, path);
    const result = original.apply(this, when === 'torn' ? half(args) : args);
    if (typeof result?.then !== 'function') return die(name, path);
    return result.then(() => die(name, path));
  };
}

const first = (_, [file]) => file;
const second = (_, [, file]) => file;
const own = ({ fd }) => fd;
/** An open call changes something only if it may create the file. */
const made = (_, [file, flags]) =>
  (typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /^[wa]/.test(flags ?? 'r'))
    ? file
    : null;
const halfOf = (bytes) => Buffer.from(bytes).subarray(0, Math.ceil(Buffer.byteLength(bytes) / 2));
const halfFirst = ([bytes, ...rest]) => [halfOf(bytes), ...rest];
const halfSecond = ([file, bytes, ...rest]) => [file, halfOf(bytes), ...rest];
const halfRange = ([file, bytes, offset, length, position]) => [
  file,
  bytes,
  offset,
  Math.ceil(length / 2),
  position,
];

count(fs, 'openSync', made);
count(fs, 'writeSync', first, halfRange);
count(fs, 'writeFileSync', first, halfSecond);
for (const name of [
  'fdatasyncSync',
  'fsyncSync',
  'ftruncateSync',
  'rmSync',
  'unlinkSync',
  'mkdirSync',
  'chmodSync',
]) {
  count(fs, name, first);
}
for (const name of ['renameSync', 'linkSync', 'copyFileSync']) count(fs, name, second);

const handles = fs.promises;
count(handles, 'open', made);
count(handles, 'writeFile', first, halfSecond);
for (const name of ['rm', 'unlink', 'mkdir', 'rmdir', 'chmod']) count(handles, name, first);
for (const name of ['rename', 'link', 'copyFile']) count(handles, name, second);

// The class of file handles is not exported; its prototype comes from the first handle.
const { open } = handles;
let known = false;
handles.open = async function opened(...args) {
  const handle = await open.apply(this, args);
  if (!known) {
    known = true;
    const kind = Object.getPrototypeOf(handle);
    count(kind, 'writeFile', own, halfFirst);
    for (const name of ['sync', 'datasync', 'truncate', 'utimes']) count(kind, name, own);
  }
  return handle;
};
syncBuiltinESMExports();

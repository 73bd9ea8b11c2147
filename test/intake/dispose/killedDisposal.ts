import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { createWatchedFolder } from '../../../src/intake/folder/watchedFolder.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/open.ts';
import { DisposalWaits } from '../../../src/intake/dispose/disposalWaits.ts';
import { disposeAccepted, recoverAside, type DisposeDeps } from '../../../src/intake/dispose/dispose.ts';

/**
 * Disposes of accepted files as a starting agent does, and kills itself right before its n-th change of a file, a directory or the ledger.
 * A kill after one change is a kill before the next. A write is cut in half. Prints the change before which it was killed, or `done`, the
 * number of changes and the warnings. Arguments: place, n, archive or delete; with `list` for n it prints every change.
 */
const [dir, nth, afterUpload] = process.argv.slice(2);
if (dir === undefined || nth === undefined) throw new Error('usage: killedDisposal DIR N archive|delete');

let changes = 0;

function change(what: string, beforeTheEnd: () => Promise<unknown> = async () => {}): Promise<void> | void {
  changes += 1;
  if (nth === 'list') writeSync(1, `${what}\n`);
  if (changes !== Number(nth)) return;
  return beforeTheEnd().then(() => {
    writeSync(1, `${what}\n`);
    process.kill(process.pid, 'SIGKILL');
    return new Promise<never>(() => {});
  });
}

type Call = (...args: never[]) => Promise<unknown>;

function interpose(target: object, name: string, isChange: (args: readonly unknown[]) => boolean): void {
  const real: Call = Reflect.get(target, name);
  Reflect.set(target, name, async function called(this: unknown, ...args: never[]) {
    if (isChange(args)) await change(name);
    return real.apply(this, args);
  });
}

for (const name of ['rename', 'link', 'unlink', 'mkdir', 'rmdir']) interpose(fs, name, () => true);
interpose(fs, 'open', ([, flags]) => flags === 'wx');
const probe = await fs.open(process.execPath);
const handles: FileHandle = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ['sync', 'utimes']) interpose(handles, name, () => true);
const writeFile: FileHandle['writeFile'] = Reflect.get(handles, 'writeFile');
handles.writeFile = async function cutInTheMiddle(data) {
  if (!Buffer.isBuffer(data)) throw new TypeError('only buffers are written');
  await change('half a write', () => writeFile.call(this, data.subarray(0, data.length / 2)));
  return writeFile.call(this, data);
};
syncBuiltinESMExports();

const scans = join(dir, 'scans');
const folder = createWatchedFolder({
  path: scans,
  recursive: true,
  include: [],
  ignore: [],
  exclude: [],
  archiveTo: join(dir, 'archive'),
  random: () =>
    parseInt(createHash('sha256').update(`${nth}-${changes}`).digest('hex').slice(0, 8), 16) / 2 ** 32,
});
const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock: systemClock });
const settings = { path: scans, afterUpload, afterUploadOn: null } as DisposeDeps['settings'];
const ignore = (): void => {};
const troubles: string[] = [];
const trouble = (message: string): void => void troubles.push(message);
const deps: DisposeDeps = {
  folder,
  settings,
  ledger: {
    ...ledger,
    disposing: async (id, how, at) => {
      await change(`ledger: ${how === null ? 'taken back' : 'begun'}`);
      return ledger.disposing(id, how, at);
    },
    disposed: async (id, how, archivedTo, at) => {
      await change('ledger: ended');
      return ledger.disposed(id, how, archivedTo, at);
    },
  },
  clock: systemClock,
  log: { debug: ignore, info: ignore, warn: trouble, error: trouble },
};
const never = new AbortController().signal;
await recoverAside(deps, never);
await disposeAccepted(deps, { stays: 0, waits: new DisposalWaits(systemClock) }, never);
if (nth !== 'list') writeSync(1, ['done ' + changes, ...troubles].join('\n'));

// Builds the Debian package from the files of `npm pack`, the npm packages they need, and a Node.js (packagedNode.mjs):
//   npm run package:deb -- [--output DIR] [--revision N] [--node FILE | --system-node] [--compression xz|zstd|gzip|none]
// Reproducible: depends only on the sources, Node.js and SOURCE_DATE_EPOCH (default: time of the last commit).
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { licenceOf, packagedNode } from './packagedNode.mjs';
import { filesBelow, programFiles } from './packagedProgram.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FROM = join(ROOT, 'packaging/debian');
const run = promisify(execFile);
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const { values: options } = parseArgs({
  options: {
    output: { type: 'string', default: ROOT },
    revision: { type: 'string', default: '1' },
    node: { type: 'string' },
    'system-node': { type: 'boolean', default: false },
    compression: { type: 'string', default: 'xz' },
  },
});
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const architecture = ARCHITECTURES[process.arch];
if (process.platform !== 'linux' || architecture === undefined)
  fail(`The package is made on Linux for x64 or arm64, not on ${process.platform} ${process.arch}.`);
if (options.node !== undefined && options['system-node'])
  fail('--node puts a Node.js into the package, --system-node leaves it out: give one of them.');
const version = `${manifest.version}-${options.revision}`;
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? (await lastCommit()));
const interpreter = options['system-node'] ? null : await chosenNode();
const tree = await mkdtemp(join(tmpdir(), 'receiptd-deb-'));
try {
  await program();
  if (interpreter !== null) await node();
  await system();
  await documents();
  await control();
  const file = resolve(options.output, `receiptd_${version}_${architecture}.deb`);
  await settleTimes(tree);
  await mkdir(dirname(file), { recursive: true });
  await run('dpkg-deb', ['--root-owner-group', `-Z${options.compression}`, '--build', tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
  });
  process.stdout.write(`${file}\n`);
} finally {
  await rm(tree, { recursive: true, force: true });
}

/** Adds the files of an npm install, without packages that are bundled in dist/. */
async function program() {
  const files = await programFiles('linux', process.arch).catch(({ message }) => fail(message));
  for (const { from, to } of files) if (!to.endsWith('.md')) await module(from, `usr/lib/receiptd/${to}`);
}

/** The file to package as /usr/lib/receiptd/node. */
async function chosenNode() {
  if (options.node === undefined)
    return packagedNode().catch(({ message }) =>
      fail(`${message}; --node FILE takes one that is on this machine.`),
    );
  const file = await realpath(options.node).catch(() => fail(`--node: ${options.node} is not there.`));
  const { stdout } = await run(file, ['--version']).catch(() => ({ stdout: '' }));
  if (!/^v\d+\.\d+\.\d+\n$/.test(stdout)) fail(`--node: ${options.node} is no Node.js that runs here.`);
  return file;
}

async function node() {
  const licence = await licenceOf(interpreter);
  if (licence === null) fail('The licence of this Node.js was not found; the package has to carry it.');
  await place(interpreter, 'usr/lib/receiptd/node', 0o755);
  await text('usr/share/doc/receiptd/NODE-LICENSE.gz', gzipSync(await readFile(licence), { level: 9 }));
}

async function system() {
  const start = await readFile(join(FROM, 'receiptd.sh'), 'utf8');
  const path = interpreter === null ? '/usr/bin/node' : '/usr/lib/receiptd/node';
  await text('usr/bin/receiptd', start.replace('/usr/lib/receiptd/node', path), 0o755);
  await place(join(FROM, 'receiptd.service'), 'lib/systemd/system/receiptd.service');
  await place(join(FROM, 'receiptd.conf'), 'lib/systemd/system/receiptd.service.d/package.conf');
  await place(join(FROM, 'receiptd.default'), 'etc/default/receiptd');
  await mkdir(join(tree, 'etc/receiptd'), { recursive: true });
  await chmod(join(tree, 'etc/receiptd'), 0o750);
  await completions();
}

/** Where the program has them. */
async function completions() {
  const places = {
    bash: 'usr/share/bash-completion/completions/receiptd',
    zsh: 'usr/share/zsh/vendor-completions/_receiptd',
    fish: 'usr/share/fish/vendor_completions.d/receiptd.fish',
  };
  const main = join(ROOT, 'dist/receiptd.cjs');
  // Run with the packaged Node.js, to fail here if it can't run the program.
  const program = interpreter ?? process.execPath;
  const { stdout: help } = await run(program, [main, '--help']);
  if (!/^ {2}completion\b/m.test(help)) return;
  for (const [shell, path] of Object.entries(places)) {
    const { stdout } = await run(program, [main, 'completion', shell]);
    await text(path, stdout);
  }
}

async function documents() {
  const doc = 'usr/share/doc/receiptd';
  for (const name of ['README.Debian', 'copyright']) await place(join(FROM, name), `${doc}/${name}`);
  // At the paths that the program's messages name (docs/commands.md), so that links between the pages work.
  for (const name of await readdir(join(ROOT, 'docs')))
    if (name.endsWith('.md') || name === 'openapi.json')
      await place(join(ROOT, 'docs', name), `${doc}/docs/${name}`);
  await place(join(ROOT, 'config/receiptd.yaml'), `${doc}/examples/receiptd.yaml`);
  await place(join(FROM, 'lintian-overrides'), 'usr/share/lintian/overrides/receiptd');
  const zipped = async (to, content) => text(to, gzipSync(content, { level: 9 }));
  await zipped(`${doc}/changelog.gz`, await readFile(join(ROOT, 'CHANGELOG.md')));
  await zipped(`${doc}/changelog.Debian.gz`, changelog());
  const man = join(ROOT, 'docs/man/receiptd.1');
  if (existsSync(man)) await zipped('usr/share/man/man1/receiptd.1.gz', await readFile(man));
}

function changelog() {
  const when = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `receiptd (${version}) unstable; urgency=medium

  * Release ${manifest.version}; changelog.gz says what changed for users.

 -- ${maintainer()}  ${when}
`;
}

function maintainer() {
  const { DEBFULLNAME = 'receiptd maintainers', DEBEMAIL = 'receiptd@packages.example.com' } = process.env;
  return `${DEBFULLNAME} <${DEBEMAIL}>`;
}

async function control() {
  const dir = join(tree, 'DEBIAN');
  await mkdir(dir);
  const files = (await filesBelow(tree)).filter((path) => !path.startsWith('DEBIAN/'));
  const sums = await Promise.all(
    files
      .filter((path) => !path.startsWith('etc/'))
      .map(
        async (path) =>
          `${createHash('md5')
            .update(await readFile(join(tree, path)))
            .digest('hex')}  ${path}\n`,
      ),
  );
  const sizes = await Promise.all(files.map(async (path) => (await lstat(join(tree, path))).size));
  const kilobytes = sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
  const needs = [
    'adduser',
    'init-system-helpers (>= 1.54~)',
    'libc6 (>= 2.29)',
    'libgcc-s1 (>= 3.4)',
    'libstdc++6 (>= 9)',
    ...(options['system-node'] ? ['nodejs (>= 20.19)'] : []),
  ];
  await text(
    'DEBIAN/control',
    `Package: receiptd
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer()}
Installed-Size: ${kilobytes}
Depends: ${needs.join(', ')}
Recommends: libsecret-1-0
Section: net
Priority: optional
Description: sends scanned receipts to a receipt analysis service
 Watches the folders into which scanners drop receipts, gives every new image
 a document name, uploads it at the pace that is set, and keeps a ledger that
 tells of each receipt whether it was sent, and what became of it.
`,
  );
  await text('DEBIAN/md5sums', sums.join(''));
  await text('DEBIAN/conffiles', '/etc/default/receiptd\n');
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
    await place(join(FROM, name), `DEBIAN/${name}`, 0o755);
  }
}

async function place(from, to, mode) {
  const file = join(tree, to);
  await mkdir(dirname(file), { recursive: true });
  await copyFile(from, file);
  await chmod(file, mode ?? 0o644);
}

/** Adds a program file without its `#!` line: it must be run by the Node.js in usr/bin/receiptd, not one found by env. */
async function module(from, to) {
  await place(from, to);
  const file = join(tree, to);
  const bytes = await readFile(file);
  if (bytes.subarray(0, 2).toString() === '#!') await writeFile(file, bytes.subarray(bytes.indexOf('\n')));
}

async function text(to, content, mode = 0o644) {
  const file = join(tree, to);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await chmod(file, mode);
}

/** Sets one mode for directories and one time for everything, regardless of umask and clock. */
async function settleTimes(dir) {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (!entry.isDirectory()) {
      await lutimes(path, epoch, epoch);
      continue;
    }
    await settleTimes(path);
  }
  if (!dir.endsWith('/etc/receiptd')) await chmod(dir, 0o755);
  await lutimes(dir, epoch, epoch);
}

async function lastCommit() {
  try {
    return (await run('git', ['log', '-1', '--format=%ct'], { cwd: ROOT })).stdout.trim();
  } catch {
    return fail('This is no git checkout: set SOURCE_DATE_EPOCH, in seconds since 1970.');
  }
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

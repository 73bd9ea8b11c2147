// Builds the Windows installer on Linux, from the files of `npm pack`, the npm packages they need, and a Node.js (packagedNode.mjs):
//   npm run package:msi -- [--output DIR] [--version X.Y.Z]
// wixl (Debian package wixl) creates the database; msibuild (msitools) adds what wixl does not support.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { licenceOf, packagedNode, packagedNodeForWindows } from './packagedNode.mjs';
import { programFiles } from './packagedProgram.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FROM = join(ROOT, 'packaging/windows');
const run = promisify(execFile);
/** The same in all versions, so that an installer finds the version that it replaces. */
const UPGRADE_CODE = '7D0C1A5E-3F0B-4E54-9C07-5B1A8A8E2D41';
/** Custom action: a program in a directory, run as SYSTEM after the files are in place; 64 ignores its exit status. */
const AS_SYSTEM = 34 + 1024 + 2048;
const ANY_RESULT = 64;

/** An error whose message is a sentence for people. */
class Refused extends Error {}

const { values: options } = parseArgs({
  options: { output: { type: 'string', default: ROOT }, version: { type: 'string' } },
});
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const version = (options.version ?? manifest.version).replace(/[-+].*$/, '');
const work = await mkdtemp(join(tmpdir(), 'receiptd-msi-'));
try {
  process.stdout.write(`${await build()}\n`);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}

async function build() {
  const files = await collect();
  const hash = createHash('sha256').update(version);
  for (const { from, to } of files) {
    hash.update(`\n${to}\n`).update(await readFile(from));
    // wixl takes no absolute paths.
    await mkdir(dirname(join(work, 'tree', to)), { recursive: true });
    await symlink(from, join(work, 'tree', to));
  }
  await writeFile(join(work, 'receiptd.wxs'), source(files, uuidOf(hash.digest('hex'))));
  const file = resolve(options.output, `receiptd-${version}-x64.msi`);
  await mkdir(dirname(file), { recursive: true });
  await wixl(file);
  await actions(file);
  return file;
}

/** Each file, and its path below the directory of the install, with `/`. */
async function collect() {
  const program = await programFiles('win32', 'x64').catch(({ message }) => fail(message));
  const node = await packagedNodeForWindows().catch(({ message }) => fail(`${message}.`));
  // The Windows package lacks the licence; the Linux package of the same version has it.
  const licence = await licenceOf(await packagedNode().catch(({ message }) => fail(`${message}.`)));
  if (licence === null) fail('The licence of Node.js was not found; the installer has to carry it.');
  const own = await Promise.all(
    ['receiptd.cmd', 'machine.cmd', 'menu.cmd'].map(async (name) => {
      const text = await readFile(join(FROM, name), 'utf8');
      return made(name, text.replaceAll('\n', '\r\n'));
    }),
  );
  const task = await readFile(join(FROM, 'task.xml'), 'utf8');
  return [
    { from: node, to: 'node.exe' },
    { from: licence, to: 'NODE-LICENSE.txt' },
    ...own,
    await made('task.xml', Buffer.from(`\ufeff${task}`, 'utf16le')),
    ...program.map(({ from, to }) => ({ from, to: `app/${to}` })),
  ];
}

async function made(name, content) {
  const from = join(work, name);
  await writeFile(from, content);
  return { from, to: name };
}

function source(files, productCode) {
  const components = files.map(({ to }) => `<ComponentRef Id="${idOf('c', to)}"/>`).join('');
  const entry = (id, name, words) =>
    `<Shortcut Id="${id}" Name="${name}" Target="[InstallDir]menu.cmd" Arguments="${words}" WorkingDirectory="InstallDir"/>`;
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Product Id="${productCode}" Name="receiptd" Version="${version}" Manufacturer="receiptd" Language="1033" UpgradeCode="${UPGRADE_CODE}">
    <Package InstallerVersion="500" InstallScope="perMachine" Compressed="yes" Comments="Sends scanned receipts to a receipt analysis service"/>
    <MajorUpgrade DowngradeErrorMessage="A newer version of receiptd is installed."/>
    <Media Id="1" Cabinet="receiptd.cab" EmbedCab="yes"/>
    <Property Id="ARPNOMODIFY" Value="1"/>
    <Property Id="REINSTALLMODE" Value="amus"/>
    <Property Id="MSIRESTARTMANAGERCONTROL" Value="Disable"/>
    <Directory Id="TARGETDIR" Name="SourceDir">
      <Directory Id="ProgramFiles64Folder"><Directory Id="InstallDir" Name="receiptd">${directory(files, '')}</Directory></Directory>
      <Directory Id="ProgramMenuFolder"><Directory Id="MenuDir" Name="receiptd">
        <Component Id="Menu" Guid="0A9F6C1C-64B6-4C53-8F4A-D1F1B0F6F6A2" Win64="yes">
          ${entry('MenuConsole', 'receiptd console', 'console')}
          ${entry('MenuStatus', 'receiptd status', 'status')}
          ${entry('MenuSetup', 'Set up receiptd', 'setup')}
          <Shortcut Id="MenuUninstall" Name="Uninstall receiptd" Target="[System64Folder]msiexec.exe" Arguments="/x [ProductCode]"/>
          <RemoveFolder Id="RemoveMenuDir" On="uninstall"/>
          <RegistryValue Root="HKLM" Key="Software\\receiptd" Name="Menu" Type="integer" Value="1" KeyPath="yes"/>
        </Component>
      </Directory></Directory>
    </Directory>
    <Feature Id="Main" Level="1"><ComponentRef Id="Menu"/>${components}</Feature>
  </Product>
</Wix>
`;
}

/** The files directly in a directory, and its subdirectories. */
function directory(files, path) {
  const inside = files
    .filter(({ to }) => to.startsWith(path))
    .map((file) => ({ ...file, rest: file.to.slice(path.length) }));
  const own = inside.filter(({ rest }) => !rest.includes('/'));
  const names = [
    ...new Set(inside.filter(({ rest }) => rest.includes('/')).map(({ rest }) => rest.split('/')[0])),
  ];
  return [
    ...own.map(
      ({ to, rest }) =>
        `<Component Id="${idOf('c', to)}" Guid="${uuidOf(sha(`component ${to}`))}" Win64="yes"><File Id="${idOf('f', to)}" Source="${xml(`tree/${to}`)}" Name="${xml(rest)}" KeyPath="yes"/></Component>`,
    ),
    ...names.map(
      (name) =>
        `<Directory Id="${idOf('d', path + name)}" Name="${xml(name)}">${directory(files, `${path}${name}/`)}</Directory>`,
    ),
  ].join('\n');
}

async function wixl(file) {
  await run('wixl', ['--arch', 'x64', '--output', file, 'receiptd.wxs'], { cwd: work }).catch((error) =>
    fail(
      error.code === 'ENOENT'
        ? 'wixl is not here: run `sh scripts/install-msi-tools.sh`.'
        : `wixl: ${String(error.stderr).trim()}`,
    ),
  );
}

/**
 * Adds actions that stop the agent before its files are removed, also in an upgrade. Machine-wide settings are removed on uninstall
 * and kept on upgrade.
 */
async function actions(file) {
  const stop = String.raw`cmd.exe /c schtasks /Change /TN \receiptd /DISABLE & schtasks /End /TN \receiptd`;
  const own = (word) => `cmd.exe /c ""[InstallDir]machine.cmd" ${word}"`;
  const all = [
    ['StopAgent', AS_SYSTEM + ANY_RESULT, stop, 'Installed', 1501],
    [
      'RemoveFromMachine',
      AS_SYSTEM + ANY_RESULT,
      own('remove'),
      'REMOVE="ALL" AND NOT UPGRADINGPRODUCTCODE',
      1502,
    ],
    ['PrepareMachine', AS_SYSTEM, own('install'), 'NOT REMOVE', 4001],
  ];
  for (const [name, type, command, condition, sequence] of all) {
    const queries = [
      `INSERT INTO CustomAction (Action, Type, Source, Target) VALUES ('${name}', ${type}, 'InstallDir', '${command}')`,
      `INSERT INTO InstallExecuteSequence (Action, Condition, Sequence) VALUES ('${name}', '${condition}', ${sequence})`,
    ];
    await run('msibuild', [file, '-q', ...queries]);
  }
}

function idOf(kind, path) {
  return `${kind}_${sha(path).slice(0, 24)}`;
}

function sha(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** Formats a hash as a UUID, for ids that must be reproducible. */
function uuidOf(hex) {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`.toUpperCase();
}

function xml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function fail(sentence) {
  throw new Refused(sentence);
}

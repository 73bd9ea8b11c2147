/** The installer's whole life under Wine 10: installed, used, replaced by a newer one, removed. `npm run campaign:windows` */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { drawReceipt } from '../support/images.ts';
import { NewerTree } from './support/newerTree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const UID = '11111111-2222-4333-8444-555555555555';
const CLIENT = { clientId: 'office', clientSecret: 'a secret of the office' };
const PROGRAM = 'C:\\Program Files\\receiptd';
const CONFIG = 'C:\\ProgramData\\receiptd\\receiptd.yaml';
const STATE = 'C:\\ProgramData\\receiptd\\state';
/** Wine has the menu of the one user where Windows has that of all. */
const MENU = 'C:\\users\\root\\AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs';
const EVENTS = 'HKLM\\SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\receiptd';
const TASK = 'C:\\windows\\system32\\tasks\\receiptd';

describe('the installer for Windows', () => {
  let dir: string;
  let pc: NewerTree;
  let service: Sandbox;
  let installer: string;

  const report = (what: string, since: number) =>
    process.stdout.write(`${what}: ${((performance.now() - since) / 1000).toFixed(1)} s\n`);
  const build = async (...args: string[]) => {
    const script = join(ROOT, 'scripts/package-msi.mjs');
    return (await run(process.execPath, [script, '--output', dir, ...args])).stdout.trim();
  };
  const install = async (file: string, name: string) => {
    const since = performance.now();
    const ended = await pc.wine('msiexec', '/i', await pc.lend(file, name), '/qn');
    report('installing', since);
    return ended.status;
  };
  const receiptd = async (...args: string[]) => {
    const ended = await pc.script(['"%ProgramFiles%\\receiptd\\receiptd.cmd"', ...args].join(' '));
    expect(ended.status, ended.stdout + ended.stderr).toBe(0);
    return ended.stdout;
  };
  const names = async (path: string) => (await readdir(pc.file(path))).toSorted();
  const isThere = (path: string) =>
    stat(pc.file(path)).then(
      () => true,
      () => false,
    );

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'receiptd-installer-'));
    service = await startSandbox({
      dir: join(dir, 'service'),
      credentials: CLIENT,
      endpoints: [{ uid: UID, name: 'Office' }],
    });
    const since = performance.now();
    installer = await build();
    report(`building ${(await stat(installer)).size} bytes`, since);
    const sinceTree = performance.now();
    pc = await NewerTree.create();
    report('a tree with Wine', sinceTree);
  });
  afterAll(async () => {
    await pc?.remove();
    await service?.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('installs the program with its own Node.js, the task, the menu, and directories for what is to stay', async () => {
    expect(await install(installer, 'receiptd.msi')).toBe(0);
    expect(await names(PROGRAM)).toEqual([
      'NODE-LICENSE.txt',
      'app',
      'machine.cmd',
      'menu.cmd',
      'node.exe',
      'receiptd.cmd',
      'task.xml',
    ]);
    expect(await names(`${MENU}\\receiptd`)).toEqual([
      'Set up receiptd.lnk',
      'Uninstall receiptd.lnk',
      'receiptd console.lnk',
      'receiptd status.lnk',
    ]);
    expect(await names(STATE)).toEqual([]);
    expect(await isThere(TASK)).toBe(true);
    expect((await pc.script(`reg query ${EVENTS}`)).stdout).toMatch(
      /EventMessageFile +REG_EXPAND_SZ +%SystemRoot%\\System32\\EventCreate\.exe/,
    );
    const task = await readFile(pc.file(`${PROGRAM}\\task.xml`), 'utf16le');
    expect(task).toBe(`\ufeff${await readFile(join(ROOT, 'packaging/windows/task.xml'), 'utf8')}`);
    expect((await pc.wine(`${PROGRAM}\\node.exe`, '--version')).stdout).toMatch(/^v24\./);
  });

  it('is set up for the machine, and sends what is scanned', async () => {
    const { clientId, clientSecret } = CLIENT;
    await writeFile(pc.file('C:\\secret.txt'), clientSecret);
    const where = [
      '--base-url',
      service.url,
      '--endpoint-uid',
      UID,
      '--folder',
      'C:\\Scans',
      '--create-folder',
    ];
    const who = ['--client-id', clientId, '--client-secret-file', 'C:\\secret.txt', '--store', 'file'];
    await receiptd('setup', '--yes', '--config', CONFIG, ...where, ...who, '--existing', 'send');
    await writeFile(pc.file('C:\\Scans\\first.jpg'), await drawReceipt({ type: 'jpeg', seed: 'first' }));
    // As commands find it that name no file.
    expect(await receiptd('run', '--once')).toContain('1 accepted');
    expect(service.received()).toHaveLength(1);
    expect(await names(STATE)).toEqual(
      expect.arrayContaining(['credentials.json', 'ledger.db', 'ledger.journal']),
    );
  });

  it('is replaced by a newer one, which goes on with the same ledger', async () => {
    expect(await install(await build('--version', '99.0.0'), 'newer.msi')).toBe(0);
    expect(await isThere(TASK)).toBe(true);
    await writeFile(pc.file('C:\\Scans\\second.jpg'), await drawReceipt({ type: 'jpeg', seed: 'second' }));
    expect(await receiptd('run', '--once')).toContain('1 accepted');
    expect(await receiptd('ledger', 'verify')).toContain('Everything is as receiptd wrote it.');
    expect(service.received()).toHaveLength(2);
    // Only one of the two is there to be removed.
    expect((await pc.wine('msiexec', '/x', 'Z:\\root\\receiptd.msi', '/qn')).status).not.toBe(0);
    expect(await isThere(`${PROGRAM}\\node.exe`)).toBe(true);
  });

  it('is removed without configuration, ledger and originals', async () => {
    const since = performance.now();
    expect((await pc.wine('msiexec', '/x', 'Z:\\root\\newer.msi', '/qn')).status).toBe(0);
    report('removing', since);
    expect(await Promise.all([PROGRAM, `${MENU}\\receiptd`, TASK].map(isThere))).toEqual([
      false,
      false,
      false,
    ]);
    expect((await pc.script(`reg query ${EVENTS}`)).status).not.toBe(0);
    expect(await isThere(CONFIG)).toBe(true);
    expect(await names(STATE)).toEqual(expect.arrayContaining(['ledger.db', 'ledger.journal']));
    expect(await names('C:\\Scans')).toEqual(['first.jpg', 'second.jpg']);
  });
});

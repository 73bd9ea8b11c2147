/** What an office PC with Windows goes through, from set-up to a damaged ledger; each step goes on where the last one ended. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { drawReceipt } from '../support/images.ts';
import { pdfOf } from '../support/pdf.ts';
import { ROWS } from '../support/listRows.ts';
import { requirement } from '../support/requires.ts';
import { damage, isWineHere, Pc, until, type WindowsProcess } from './support/pc.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UID = '11111111-2222-4333-8444-555555555555';
const CLIENT = { clientId: 'office', clientSecret: 'a secret of the office' };
const CONFIG = 'C:\\office\\receiptd.yaml';
const SCANS = 'C:\\Scans';
const OF_CONFIG = ['--config', CONFIG];

const isHere = requirement('Wine', isWineHere, 'sh scripts/install-wine.sh');

describe.skipIf(!isHere)('an office PC with Windows', () => {
  let pc: Pc;
  let service: Sandbox;
  let serviceDir: string;
  let agent: WindowsProcess;

  const draw = (seed: string) => drawReceipt({ type: 'jpeg', seed });
  const scan = async (name: string, seed: string) =>
    writeFile(pc.file(`${SCANS}\\${name}`), await draw(seed));
  const received = () => service.received().length;
  const said = async (...args: string[]) => {
    const ended = await pc.receiptd([...args, ...OF_CONFIG]);
    expect(ended.status, `${ended.stdout}${ended.stderr}`).toBe(0);
    return ended.stdout;
  };
  const accepted = async () => {
    const rows = ROWS.parse(JSON.parse(await said('list', '--json')));
    return rows.filter(({ state }) => state === 'accepted').length;
  };
  const startAgent = async () => {
    agent = pc.start(['run', ...OF_CONFIG]);
    await until(async () => (await agent.stderr()).includes('"Watching"'), 'the agent to watch');
  };
  const inFolder = async (path: string) => (await readdir(pc.file(path))).toSorted();

  beforeAll(async () => {
    serviceDir = await mkdtemp(join(tmpdir(), 'receiptd-windows-service-'));
    service = await startSandbox({
      dir: serviceDir,
      credentials: CLIENT,
      endpoints: [{ uid: UID, name: 'Office' }],
    });
    pc = await Pc.create();
  });

  afterAll(async () => {
    await pc?.remove();
    await service?.close();
    await rm(serviceDir, { recursive: true, force: true });
  });

  it('opens set-up from whatever entry of the menu is chosen, until there is a configuration', async () => {
    const menu = 'C:\\menu\\menu.cmd';
    await mkdir(pc.file('C:\\menu'));
    await copyFile(join(ROOT, 'packaging/windows/menu.cmd'), pc.file(menu));
    await writeFile(pc.file('C:\\menu\\receiptd.cmd'), '@echo ran %*\r\n');
    const config = 'C:\\ProgramData\\receiptd\\receiptd.yaml';
    const setUp = `ran setup --browser --config "${config}"`;
    for (const entry of ['console', 'status', 'setup'])
      expect((await pc.command(menu, entry)).stdout).toContain(setUp);
    await mkdir(pc.file('C:\\ProgramData\\receiptd'), { recursive: true });
    await writeFile(pc.file(config), '');
    expect((await pc.command(menu, 'console')).stdout).toContain('ran console');
    expect((await pc.command(menu, 'setup')).stdout).toContain(setUp);
    await rm(pc.file(config));
  });

  it('is set up unattended, with the secret in the Credential Manager', async () => {
    const where = ['--base-url', service.url, '--endpoint-uid', UID, '--endpoint-alias', 'office'];
    const what = ['--folder', SCANS, '--create-folder', '--existing', 'send', '--rate', 'unlimited'];
    const who = ['--client-id', CLIENT.clientId, '--store', 'keychain'];
    const { status, stdout, stderr } = await pc.receiptd(
      ['setup', '--yes', ...OF_CONFIG, ...where, ...what, ...who],
      { RECEIPTD_SETUP_CLIENT_SECRET: CLIENT.clientSecret },
    );
    expect(`${stdout}${stderr}`).toContain(`Wrote ${CONFIG}`);
    expect(status).toBe(0);
    expect(await inFolder(SCANS)).toEqual([]);
  });

  it('speaks of Windows in its help, its template and its findings', async () => {
    const help = (await pc.receiptd(['check', '--help'])).stdout;
    expect(help).toContain('C:\\ProgramData\\receiptd\\receiptd.yaml');
    const template = 'C:\\office\\template.yaml';
    expect((await pc.receiptd(['init', '--config', template])).stdout).toContain(`Wrote ${template}`);
    const text = await readFile(pc.file(template), 'utf8');
    expect(text).toContain('path: C:\\Scans');
    expect(text).not.toMatch(/\/etc\/|\/var\/lib|\/srv/);
    const { stdout } = await pc.receiptd(['doctor', '--offline', '--list', '--config', template]);
    expect(stdout).toContain('looked in: the environment');
    expect(`${help}${stdout}`).not.toMatch(/systemd|\/etc\/|\/var\/lib|\/srv|chmod|mode \d{3}/);
  });

  it('refuses a service of the machine that lies in a profile before it changes anything', async () => {
    const config = `${pc.localAppData}\\elsewhere\\receiptd.yaml`;
    const where = ['--base-url', service.url, '--endpoint-uid', UID, '--folder', 'C:\\None'];
    const who = ['--client-id', CLIENT.clientId, '--store', 'file', '--existing', 'send'];
    const { status, stdout, stderr } = await pc.receiptd(
      ['setup', '--yes', '--config', config, ...where, ...who, '--create-folder', '--service', 'system'],
      { RECEIPTD_SETUP_CLIENT_SECRET: CLIENT.clientSecret },
    );
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('INSTALL_REFUSED');
    await expect(inFolder('C:\\None')).rejects.toThrow('ENOENT');
  });

  it('checks that all is well, but for access lists, which nobody keeps here', async () => {
    const checked = await said('check');
    expect(checked).toContain('accepts the credentials from the keychain store');
    expect(checked).toContain(`${pc.localAppData}\\receiptd`);
    expect(checked.match(/^(?:fail|warn).*/gm)).toEqual([
      expect.stringMatching(
        /^warn .*Could not determine whether other users have access .*whoami gave no identifier of this user/,
      ),
    ]);
  });

  it('sends what lies in the folder, once', async () => {
    await scan('first.jpg', 'first');
    await scan('copy of first.jpg', 'first');
    await scan('Quittung für Müller.jpg', 'second');
    expect(await said('run', '--once')).toContain('2 accepted');
    expect(received()).toBe(2);
    expect(await said('run', '--once')).toContain('Nothing to send');
    expect(received()).toBe(2);
  });

  it('watches, and says in another window how things are', async () => {
    await startAgent();
    expect((await agent.stderr()).match(/Could not determine whether other users have access/g)).toHaveLength(
      1,
    );
    await scan('third.jpg', 'third');
    await until(() => received() === 3, 'the third receipt');
    expect(await said('status')).toContain('Nothing is wrong.');
    expect(await accepted()).toBe(3);
  });

  it('waits for a scanner that writes slowly', async () => {
    const image = await draw('slow');
    const half = Math.floor(image.length / 2);
    const file = await open(pc.file(`${SCANS}\\slow.jpg`), 'w');
    await file.write(image.subarray(0, half));
    await scan('beside it.jpg', 'beside it');
    await until(() => received() === 4, 'the receipt beside it');
    await file.write(image.subarray(half));
    await file.close();
    await until(() => received() === 5, 'the slow one');
    expect(service.received().at(-1)?.bytes).toBe(image.length);
  });

  it('waits for a program that has a file to itself', async () => {
    await scan('held.tmp', 'held');
    const [from, to] = ['held.tmp', 'held.jpg'].map((name) => JSON.stringify(`${SCANS}\\${name}`));
    // UV_FS_O_EXLOCK of libuv: opened without sharing anything.
    const holder = pc.script(
      `const fs = require('node:fs'); fs.renameSync(${from}, ${to});
       fs.openSync(${to}, fs.constants.O_RDWR | 0x10000000); console.error('held'); setInterval(() => {}, 1000);`,
    );
    await until(async () => (await holder.stderr()).includes('held'), 'the file to be held');
    await scan('not held.jpg', 'not held');
    await until(() => received() === 6, 'the other receipt');
    expect(received()).toBe(6);
    await holder.kill();
    await until(() => received() === 7, 'the one that was held');
  });

  it('opens a file as Node.js does: others may write to it, rename it and delete it meanwhile', async () => {
    const [before, after] = ['C:\\office\\read.jpg', 'C:\\office\\renamed.jpg'];
    await writeFile(pc.file(before), await draw('read'));
    // One process reads, as the agent does; the other is a scanner or a viewer.
    const reader = pc.script(
      `require('node:fs').openSync(${JSON.stringify(before)}, 'r'); console.error('open'); setInterval(() => {}, 1000);`,
    );
    await until(async () => (await reader.stderr()).includes('open'), 'the file to be read');
    const { status, stderr } = await pc.script(
      `const fs = require('node:fs'); const [before, after] = ${JSON.stringify([before, after])};
       fs.appendFileSync(before, 'more'); fs.renameSync(before, after); fs.unlinkSync(after);`,
    ).ended;
    expect(status, stderr).toBe(0);
    await reader.kill();
  });

  it('loses nothing when it is killed, and gives no image two names', async () => {
    service.misbehave({ kind: 'delay', delayMs: 1_000 });
    for (let n = 0; n < 6; n += 1) await scan(`burst ${n}.jpg`, `burst ${n}`);
    await until(() => received() > 8, 'some of the burst');
    await agent.kill();
    service.behave();
    await startAgent();
    await until(async () => (await accepted()) === 13, 'all to be accepted');
    expect(new Set(service.received().map(({ name }) => name)).size).toBe(received());
  });

  it('ends cleanly upon Ctrl-C', async () => {
    const { stderr } = await agent.ctrlC();
    expect(stderr).toContain('receiptd has stopped');
  });

  it('recovers a damaged ledger by itself', async () => {
    await damage(pc.file(`${pc.localAppData}\\receiptd\\ledger.db`), 8_192, 65_536);
    const { status, stderr } = await pc.receiptd(['run', '--once', ...OF_CONFIG]);
    expect(stderr).toContain('The ledger was rebuilt');
    expect(status).toBe(0);
    expect(received()).toBe(13);
    expect(await said('ledger', 'verify')).toContain('Everything is as receiptd wrote it.');
    // Neither copies nor links of what was looked at stay; SQLite keeps its two beside the ledger.
    const names = (await inFolder(`${pc.localAppData}\\receiptd`)).map((name) =>
      name.replace(/aside-.*/, 'aside'),
    );
    expect(names.filter((name) => !/^ledger\.db-(?:shm|wal)$/.test(name))).toEqual([
      'instance.lock',
      'ledger.db',
      'ledger.db.aside',
      'ledger.db.sound',
      'ledger.journal',
      'logs',
      'reserve',
      'spool',
    ]);
  });

  it('archives originals, also a receipt that is scanned again', async () => {
    const config = pc.file(CONFIG);
    const text = await readFile(config, 'utf8');
    await writeFile(
      config,
      text.replace(
        '    existing: send\n',
        '    existing: send\n    afterUpload: archive\n    afterUploadExisting: include\n',
      ),
    );
    await startAgent();
    await scan('first again.jpg', 'first');
    await scan('new.jpg', 'new');
    await until(async () => (await inFolder(SCANS)).join() === 'archive', 'the folder to be empty');
    expect(await inFolder(`${SCANS}\\archive`)).toEqual(
      expect.arrayContaining(['first again.jpg', 'new.jpg', 'Quittung für Müller.jpg']),
    );
    expect(received()).toBe(14);
  });

  it('takes a PDF apart: a scanned page as it is, another one drawn; and archives it when both are accepted', async () => {
    const scanned = await draw('page');
    const { width, height } = await sharp(scanned).metadata();
    const written = { content: 'BT /F1 24 Tf 72 700 Td (Total 12.30) Tj ET' };
    await writeFile(pc.file(`${SCANS}\\two pages.pdf`), pdfOf([{ jpeg: scanned, width, height }, written]));
    await until(() => received() === 16, 'both pages');
    const hash = createHash('sha256').update(scanned).digest('hex');
    expect(service.received().map(({ sha256 }) => sha256)).toContain(hash);
    await until(
      async () => (await inFolder(`${SCANS}\\archive`)).includes('two pages.pdf'),
      'it to be archived',
    );
  });

  it('is backed up while it runs, and the backup can be looked at', async () => {
    expect(await said('backup', 'C:\\office\\office.receiptd')).toContain('16 documents');
    expect(
      await said('restore', 'C:\\office\\office.receiptd', '--beside', 'C:\\office\\looked at'),
    ).toContain('C:\\office\\looked at');
  });

  it('shows the first page of its console', async () => {
    const link = /http:\/\/\S+/.exec(await said('console', '--no-open'))?.[0] ?? '';
    const answer = await fetch(link);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<title>');
    expect((await agent.ctrlC()).stderr).toContain('receiptd has stopped');
  });

  it('moves to another PC with all that it has', async () => {
    expect(await said('backup', 'C:\\office\\final.receiptd', '--final', '--yes')).toContain('16 documents');
    const there = 'C:\\other PC\\receiptd.yaml';
    await mkdir(pc.file('C:\\other PC'));
    const env = { RECEIPTD_STATE_DIR: 'C:\\other PC\\state' };
    const restored = await pc.receiptd(
      ['restore', 'C:\\office\\final.receiptd', '--yes', '--config', there],
      env,
    );
    expect(restored.status, `${restored.stdout}${restored.stderr}`).toBe(0);
    const verified = await pc.receiptd(['ledger', 'verify', '--config', there], env);
    expect(verified.stdout).toContain('16 documents');
    const closed = await pc.receiptd(['run', '--once', ...OF_CONFIG]);
    expect(closed.status).not.toBe(0);
    expect(closed.stderr).not.toContain('    at ');
  });
});

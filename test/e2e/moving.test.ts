import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, sha256, Site, storedOnce, until, type ConfigKeys } from './support/agent.ts';
import { receiptd } from './support/commandLine.ts';

const COUNT = 12;

/** Another PC: a place of its own, the same service. */
async function otherPc(site: Site, keys: ConfigKeys = {}): Promise<Site> {
  const dir = site.file('other');
  await mkdir(dir, { recursive: true });
  const other = new Site(dir, site.sandbox);
  await other.configure(keys);
  return other;
}

async function scan(site: Site, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1)
    await writeFile(site.file('inbox', `SCAN${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `m${n}` }));
}

test('a backlog is moved to another PC in the middle: each image arrives once, and the old PC refuses to go on', async () => {
  const site = await prepare({ delivery: { concurrency: 1, rate: '3/s' } });
  await scan(site, 0, COUNT);
  const agent = await site.start();
  await until(() => site.sandbox.received().length >= 3);
  const archive = site.file('office.receiptd');
  expect(await site.run('export-state', '--final', archive)).toBeRefused(6, 'ALREADY_RUNNING');
  await agent.stop();
  const sent = site.sandbox.received().length;
  expect(sent).toBeLessThan(COUNT);
  const said = await site.must('export-state', '--final', archive);
  expect(said).toContain(`${COUNT} documents, ${COUNT - sent} of them waiting`);
  expect(said).toContain('receiptd login');
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  for (const args of [['run'], ['retry', '--all']])
    expect(await site.run(...args)).toBeRefused(1, 'STATE_MOVED', '--undo');
  // Their folder is out of reach from there.
  await rm(site.file('inbox'), { recursive: true });

  const other = await otherPc(site);
  expect(await other.must('import-state', archive)).toContain(`${COUNT} documents`);
  const second = await other.start();
  await until(() => site.sandbox.received().length === COUNT);
  // Whoever copies the scans over as well: they are known.
  await writeFile(other.file('inbox', 'again.jpg'), await drawReceipt({ type: 'jpeg', seed: 'm1' }));
  await until(async () => (await other.list('--state', 'duplicate')).length === 1);
  await second.stop();
  expect((await storedOnce(other)).size).toBe(COUNT);
  expect(site.sandbox.received()).toHaveLength(COUNT);
  expect((await other.look('ledger', 'verify')).stdout).toContain('Everything is as receiptd left it.');
  // A move can be taken back.
  expect(await site.must('export-state', '--undo')).toContain('runs here again');
  expect(await site.must('export-state', '--undo')).toContain('Nothing was moved away');
});

test('a backup beside a running agent is one moment, holds no secret, and is imported only if somebody says so', async () => {
  const site = await prepare({
    delivery: { concurrency: 1, rate: '5/s' },
    alerts: { webhook: { url: 'https://hooks.example/T0/s3cret-hook' } },
  });
  await scan(site, 0, COUNT);
  const agent = await site.start();
  await until(() => site.sandbox.received().length >= 2);
  const archive = site.file('backup.receiptd');
  const { manifest } = JSON.parse(await site.must('export-state', archive, '--json')) as {
    manifest: { waiting: number };
  };
  expect(agent.alive).toBe(true);
  expect(await site.run('export-state', archive)).toBeRefused(1, 'OUTPUT_UNWRITABLE', 'exists already');
  const bytes = gunzipSync(await readFile(archive));
  for (const secret of ['s3cret-hook', 'e2e-secret']) expect(bytes.includes(secret)).toBe(false);
  expect(bytes.includes('hooks.example')).toBe(true);
  await agent.stop();
  expect((await readdir(site.stateDir)).filter((name) => name.startsWith('exporting'))).toEqual([]);

  const other = new Site(site.file('other'), site.sandbox);
  await mkdir(other.dir);
  other.env['RECEIPTD_STATE_DIR'] = other.stateDir;
  expect(await other.run('import-state', archive)).toBeRefused(2, 'CONFIRMATION_NEEDED', '--yes');
  expect(existsSync(other.stateDir)).toBe(false);
  const told = JSON.parse(await other.must('import-state', archive, '--yes', '--json')) as Record<
    string,
    unknown
  >;
  expect(told).toMatchObject({
    documents: expect.any(Number),
    waiting: manifest.waiting,
    isNew: true,
    wroteConfig: other.config,
  });
  expect(await readFile(other.config, 'utf8')).toContain('https://hooks.example/***');
  for (const name of await readdir(other.stateDir)) {
    const { mode } = await stat(join(other.stateDir, name));
    expect(mode & 0o077, name).toBe(0);
  }
  expect((await other.look('ledger', 'verify')).stdout).toContain('Everything is as receiptd left it.');
  // Once more changes nothing; another one needs to be asked for.
  expect(await other.must('import-state', archive, '--yes')).toContain('had been imported before');
  const later = site.file('later.receiptd');
  await site.must('export-state', later);
  expect(await other.run('import-state', later, '--yes')).toBeRefused(1, 'LEDGER_EXISTS', '--replace');
  const before = sha256(await readFile(join(other.stateDir, 'ledger.db')));
  const { setAside } = JSON.parse(
    await other.must('import-state', later, '--yes', '--replace', '--json'),
  ) as { setAside: string };
  expect(sha256(await readFile(join(setAside, 'ledger.db')))).toBe(before);
});

test('what does not fit the other PC is told, and an agent that runs there is not disturbed', async () => {
  const site = await prepare();
  await scan(site, 0, 1);
  expect((await site.once()).status).toBe(0);
  const archive = site.file('office.receiptd');
  await site.must('export-state', '--final', archive);
  const other = await otherPc(site, {});
  await rm(other.file('inbox'), { recursive: true });
  expect(await other.must('import-state', archive)).toContain(
    `folders[0].path: there is no ${other.file('inbox')}`,
  );
  const agent = await other.start();
  await copyFile(archive, site.file('copy.receiptd'));
  expect(await other.run('import-state', archive, '--replace')).toBeRefused(6, 'ALREADY_RUNNING');
  await agent.stop();
});

test('a PC that was moved away takes no file but one that comes back from the other one', async () => {
  const site = await prepare();
  await scan(site, 0, 1);
  expect((await site.once()).status).toBe(0);
  const [before, there, back] = ['before', 'there', 'back'].map((name) => site.file(name)) as [
    string,
    string,
    string,
  ];
  await site.must('export-state', before);
  await site.must('export-state', '--final', there);
  for (const file of [before, there])
    for (const args of [[], ['--replace', '--older']])
      expect(await site.run('import-state', file, '--yes', ...args)).toBeRefused(1, 'STATE_MOVED', '--undo');
  expect((await site.look('status')).stdout).toContain('was moved to another PC');
  expect(await site.run('run', '--once')).toBeRefused(1, 'STATE_MOVED');

  const other = await otherPc(site);
  await other.must('import-state', there);
  await scan(other, 1, 2);
  expect((await other.once()).status).toBe(0);
  await other.must('export-state', '--final', back);
  expect(await site.must('import-state', back, '--replace')).toContain('2 documents');
  expect((await site.once()).status).toBe(0);
  expect(site.sandbox.received()).toHaveLength(2);
});

test('an older state does not take the place of a ledger that went on, unless somebody insists; one that was destroyed is restored', async () => {
  const site = await prepare();
  await scan(site, 0, 1);
  expect((await site.once()).status).toBe(0);
  const archive = site.file('backup.receiptd');
  await site.must('export-state', archive);
  const again = (...args: string[]) => site.run('import-state', archive, '--yes', '--replace', ...args);
  await scan(site, 1, 3);
  expect((await site.once()).status).toBe(0);
  const ledger = join(site.stateDir, 'ledger.db');
  const newer = /entries newer than \S+: 2 documents that were accepted since would be sent again/;
  expect(await again()).toBeRefused(1, 'LEDGER_EXISTS', '--older');
  expect((await again()).stderr).toMatch(newer);
  await writeFile(ledger, 'destroyed');
  expect((await again()).stderr).toMatch(newer);
  expect((await again('--older')).status).toBe(0);
  expect((await again()).stdout).toContain('had been imported before');
  // The very same, over what is no ledger any more.
  await writeFile(ledger, 'destroyed');
  expect((await again()).stdout).toContain('Imported into');
  expect((await site.look('ledger', 'verify')).stdout).toContain('Everything is as receiptd left it.');
});

test('a document whose image is nowhere keeps a final move from happening, until somebody says so', async () => {
  const site = await prepare({ storage: { spoolLimit: '1MB' } });
  await scan(site, 0, 1);
  await site.must('pause');
  expect((await site.once()).status).toBe(4);
  await rm(join(site.stateDir, 'spool'), { recursive: true, force: true });
  await rm(site.file('inbox', 'SCAN0.jpg'));
  const archive = site.file('office.receiptd');
  expect(await site.run('export-state', '--final', archive)).toBeRefused(
    2,
    'CONFIRMATION_NEEDED',
    'SCAN0.jpg',
  );
  expect(existsSync(archive)).toBe(false);
  expect((await site.once()).stderr).not.toContain('STATE_MOVED');
  expect(await site.must('export-state', '--final', '--yes', archive)).toContain('They are lost unless');
});

test('each wrong use is one sentence', async () => {
  const site = await prepare();
  const missing = site.file('missing.receiptd');
  expect(await site.run('export-state', missing)).toBeRefused(1, 'LEDGER_MISSING');
  expect(await site.run('export-state')).toBeRefused(2, 'USAGE');
  expect(await site.run('import-state', missing)).toBeRefused(1, 'FILE_UNREADABLE', 'no such file');
  expect(await receiptd(site, ['import-state', site.config])).toBeRefused(
    1,
    'ARCHIVE_REFUSED',
    'no gzip file',
  );
});

import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, sha256, Site, storedOnce, until } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';
import { otherPc, pcThatSent, scan } from './support/twoPcs.ts';

/** More images than a restore syncs at once. */
const COUNT = 20;

test('a half-sent backlog moves to another PC: each image arrives once, and the old PC refuses to continue', async () => {
  const site = await prepare({ delivery: { concurrency: 1, rate: '3/s' } });
  await scan(site, 0, COUNT);
  const agent = await site.quickStart();
  await until(() => site.sandbox.received().length >= 3);
  const archive = site.file('office.receiptd');
  expect(await site.look('backup', '--final', archive)).toBeRefused(6, 'ALREADY_RUNNING');
  await agent.stop();
  const sent = site.sandbox.received().length;
  expect(sent).toBeLessThan(COUNT);
  const said = await site.must('backup', '--final', archive);
  expect(said).toContain('Wrote and verified ');
  expect(said).toContain(`${COUNT} documents, ${COUNT - sent} of them waiting`);
  expect(said).toContain('receiptd login');
  expect(said).not.toContain('alerts.webhook');
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  for (const args of [['run'], ['retry', '--all']])
    expect(await site.look(...args)).toBeRefused(1, 'STATE_MOVED', '--reopen');
  // The other PC can't reach this folder.
  await rm(site.file('inbox'), { recursive: true });

  const other = await otherPc(site);
  expect(await other.must('restore', archive)).toContain(`${COUNT} documents`);
  const second = await other.quickStart();
  await until(() => site.sandbox.received().length === COUNT);
  // A scan that somebody also copied over is already known.
  await writeFile(other.file('inbox', 'again.jpg'), await drawReceipt({ type: 'jpeg', seed: 'm1' }));
  await until(async () => (await other.list('--state', 'duplicate')).length === 1);
  await second.stop();
  expect((await storedOnce(other)).size).toBe(COUNT);
  expect(site.sandbox.received()).toHaveLength(COUNT);
  expect((await other.look('ledger', 'verify')).stdout).toContain('Everything is as receiptd wrote it.');
  // A move can be undone, but this PC knows that the file was restored elsewhere.
  expect(await site.look('backup', '--reopen')).toBeRefused(2, 'CONFIRMATION_NEEDED', 'was restored on');
  expect(await site.quickMust('backup', '--reopen', '--yes')).toContain('can run here again');
  expect(await site.quickMust('backup', '--reopen')).toContain('nothing to reopen');
});

test('a backup of a running agent is consistent, contains no secret, and is restored only with a confirmation', async () => {
  const site = await prepare({
    delivery: { concurrency: 1, rate: '5/s' },
    alerts: { webhook: { url: 'https://hooks.example/T0/s3cret-hook' } },
  });
  await scan(site, 0, COUNT);
  const agent = await site.quickStart();
  await until(() => site.sandbox.received().length >= 2);
  const archive = site.file('backup.receiptd');
  const { bytes: size } = JSON.parse(await site.quickMust('backup', archive, '--json')) as { bytes: number };
  expect((await stat(archive)).size).toBe(size);
  expect(agent.alive).toBe(true);
  expect(await site.look('backup', archive)).toBeRefused(1, 'OUTPUT_UNWRITABLE', 'already exists');
  const bytes = gunzipSync(await readFile(archive));
  for (const secret of ['s3cret-hook', 'e2e-secret']) expect(bytes.includes(secret)).toBe(false);
  expect(bytes.includes('hooks.example')).toBe(true);
  await agent.stop();
  expect((await readdir(site.stateDir)).filter((name) => name.startsWith('backing-up'))).toEqual([]);

  const other = new Site(site.file('other'), site.sandbox);
  await mkdir(other.dir);
  other.env['RECEIPTD_STATE_DIR'] = other.stateDir;
  expect(await other.look('restore', archive)).toBeRefused(2, 'CONFIRMATION_NEEDED', '--yes');
  expect(existsSync(other.stateDir)).toBe(false);
  const told = JSON.parse(await other.quickMust('restore', archive, '--yes', '--json')) as Record<
    string,
    unknown
  >;
  expect(told).toMatchObject({ documents: expect.any(Number), replayed: 0, wroteConfig: other.config });
  expect(await readFile(other.config, 'utf8')).toContain('https://hooks.example/***');
  for (const name of await readdir(other.stateDir)) {
    const { mode } = await stat(join(other.stateDir, name));
    expect(mode & 0o077, name).toBe(0);
  }
  expect((await other.look('ledger', 'verify')).stdout).toContain('Everything is as receiptd wrote it.');
  // Restoring it again loses no later entry.
  expect(await other.look('restore', archive)).toBeRefused(2, 'CONFIRMATION_NEEDED', 'set aside');
  expect(await other.quickMust('restore', archive, '--yes')).toContain('Added from the journal: 1 later');
  const later = site.file('later.receiptd');
  // At least one entry is newer than the first backup.
  await site.quickMust('pause');
  await site.quickMust('backup', later);
  expect(await other.look('restore', later, '--yes')).toBeRefused(1, 'LEDGER_EXISTS', '--replace');
  const before = sha256(await readFile(join(other.stateDir, 'ledger.db')));
  const { setAside } = JSON.parse(
    await other.quickMust('restore', later, '--yes', '--replace', '--json'),
  ) as {
    setAside: string;
  };
  expect(sha256(await readFile(join(setAside, 'ledger.db')))).toBe(before);
});

test('a final backup is restored on one PC, and a PC that was moved away accepts only the final backup from there', async () => {
  const site = await pcThatSent(1);
  const file = (name: string) => site.file(`${name}.receiptd`);
  await site.quickMust('backup', file('before'));
  await site.quickMust('backup', '--final', file('there'));
  for (const name of ['before', 'there'])
    for (const args of [[], ['--replace', '--older']]) {
      const refused = await site.look('restore', file(name), '--yes', ...args);
      expect(refused).toBeRefused(1, 'STATE_MOVED', 'reopen this PC with `receiptd backup --reopen`');
      expect(refused.stderr).not.toContain('stays closed');
    }
  expect((await site.look('status')).stdout).toContain('was moved to another PC');
  expect(await site.quickOnce()).toBeRefused(1, 'STATE_MOVED');

  // A failed restore leaves both PCs unchanged, and can be repeated.
  await writeFile(file('cut'), (await readFile(file('there'))).subarray(0, -100));
  const first = new Site(site.file('first'), site.sandbox);
  await mkdir(first.dir);
  first.env['RECEIPTD_STATE_DIR'] = first.stateDir;
  const failed = await first.look('restore', file('cut'));
  expect(failed).toBeRefused(1, 'ARCHIVE_REFUSED', 'run `receiptd backup --reopen` there');
  expect(existsSync(first.config)).toBe(false);
  expect((await readdir(first.stateDir)).filter((name) => name !== 'instance.lock')).toEqual([]);
  const restored = await first.quickMust('restore', file('there'));
  expect(restored).toContain('1 document');
  expect(restored).not.toContain("Don't restore this file on another PC");

  const other = await otherPc(site);
  await rm(other.file('inbox'), { recursive: true });
  expect(await other.look('restore', file('there'))).toBeRefused(2, 'CONFIRMATION_NEEDED', first.stateDir);
  expect(existsSync(join(other.stateDir, 'ledger.db'))).toBe(false);
  const again = await other.quickMust('restore', file('there'), '--yes');
  expect(again).toContain('1 document');
  expect(again).toContain(`folders[0].path: ${other.file('inbox')} does not exist on this machine`);
  const agent = await other.quickStart();
  expect(await other.look('restore', file('there'), '--yes')).toBeRefused(6, 'ALREADY_RUNNING', '--reopen');
  await mkdir(other.file('inbox'));
  await scan(other, 1, 2);
  await until(async () => (await other.list('--state', 'accepted')).length === 2);
  await agent.stop();
  await other.quickMust('backup', '--final', file('back'));
  expect(await site.quickMust('restore', file('back'))).toContain('2 documents');
  expect((await site.quickOnce()).status).toBe(0);
  expect(site.sandbox.received()).toHaveLength(2);
});

test('a document without an image prevents a final backup until it is confirmed', async () => {
  const site = await prepare({ storage: { spoolLimit: '1MB' } });
  await scan(site, 0, 1);
  await site.quickMust('pause');
  expect((await site.quickOnce()).status).toBe(4);
  await rm(join(site.stateDir, 'spool'), { recursive: true, force: true });
  await rm(site.file('inbox', 'SCAN0.jpg'));
  const archive = site.file('office.receiptd');
  expect(await site.look('backup', '--final', archive)).toBeRefused(2, 'CONFIRMATION_NEEDED', 'SCAN0.jpg');
  expect(existsSync(archive)).toBe(false);
  expect((await site.quickOnce()).stderr).not.toContain('STATE_MOVED');
  expect(await site.quickMust('backup', '--final', '--yes', archive)).toContain('They are lost unless');
});

test('each misuse of backup and restore is refused in one sentence', async () => {
  const site = await prepare();
  const missing = site.file('missing.receiptd');
  expect(await site.look('restore', missing)).toBeRefused(1, 'FILE_UNREADABLE', 'no such file');
  expect(await quickly(site, ['restore', site.config])).toBeRefused(
    1,
    'ARCHIVE_REFUSED',
    'it is not a gzip file',
  );
  await scan(site, 0, 1);
  expect((await site.quickOnce()).status).toBe(0);
  expect(await site.look('backup', '--final')).toBeRefused(2, 'USAGE', 'needs a file to write');
  await writeFile(missing, 'mine');
  for (const args of [[], ['--final']])
    expect(await site.look('backup', missing, ...args)).toBeRefused(1, 'OUTPUT_UNWRITABLE', 'already exists');
  expect(await readFile(missing, 'utf8')).toBe('mine');
  expect((await site.quickOnce()).status).toBe(0);
});

/** While an image is written, stable, named, begun, answered, disposed: a backup falls on all of these. */
const [IMAGES, BACKUPS] = [10, 3];

test('a backup taken at any moment knows every document that was acknowledged before, under its name, and has the images that wait', async () => {
  const site = await prepare({ spool: 'always', delivery: { concurrency: 2, rate: '6/s' } });
  const agent = await site.quickStart();
  const scans = (async () => {
    for (let n = 0; n < IMAGES; n += 1) {
      await writeFile(site.file('inbox', `${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `${n}` }));
      await until(async () => (await readdir(site.file('inbox'))).length > n);
    }
  })();
  const taken: { readonly archive: string; readonly before: Awaited<ReturnType<Site['list']>> }[] = [];
  for (let n = 0; n < BACKUPS; n += 1) {
    const sent = site.sandbox.received().length;
    await until(() => site.sandbox.received().length > sent || sent === IMAGES);
    const archive = site.file(`${n}.receiptd`);
    const before = await site.list();
    await site.quickMust('backup', archive);
    taken.push({ archive, before });
  }
  await scans;
  await until(async () => (await site.list('--state', 'accepted')).length === IMAGES);
  await agent.stop();
  const final = new Map((await site.list()).map(({ sha256, name }) => [sha256, name]));
  for (const [n, { archive, before }] of taken.entries()) {
    const copy = new Site(site.file(`copy-${n}`), site.sandbox);
    await site.quickMust('restore', archive, '--beside', copy.dir);
    const restored = await copy.list();
    const names = new Map(restored.map(({ sha256, name }) => [sha256, name]));
    const isAccepted = new Set(restored.flatMap((row) => (row.state === 'accepted' ? [row.name] : [])));
    const acknowledged = before.filter(({ name }) => name !== null);
    for (const { sha256, name } of acknowledged) expect([n, names.get(sha256)]).toEqual([n, name]);
    for (const { name, state } of acknowledged)
      expect([name, state !== 'accepted' || isAccepted.has(name)]).toEqual([name, true]);
    // No image has another name than it will be sent under.
    for (const [sha256, name] of names) expect(name ?? final.get(sha256)).toBe(final.get(sha256));
    const copies = (await readdir(join(copy.dir, 'spool'), { recursive: true })).map((path) =>
      path.slice(-64),
    );
    const waiting = restored.filter(({ state }) => state === 'queued' || state === 'uploading');
    for (const { sha256 } of waiting) expect(copies).toContain(sha256);
    expect((await copy.look('ledger', 'verify')).status).toBe(0);
  }
});

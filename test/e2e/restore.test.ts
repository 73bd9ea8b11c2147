import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { prepare, Site, storedOnce, until } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';
import { otherPc, pcThatSent, scan } from './support/twoPcs.ts';
import { isRoot } from '../support/root.ts';

test('a restored backup keeps later entries unless `--older` is given, which asks first, and replaces a destroyed ledger', async () => {
  const site = await pcThatSent(1);
  const archive = site.file('backup.receiptd');
  await site.quickMust('backup', archive);
  await scan(site, 1, 3);
  expect((await site.quickOnce()).status).toBe(0);
  const ledger = join(site.stateDir, 'ledger.db');
  const names = async () => (await site.list()).map(({ name }) => name).toSorted();
  const all = await names();
  for (const destroy of [async () => {}, () => writeFile(ledger, 'destroyed'), () => rm(ledger)]) {
    await destroy();
    expect(await site.quickMust('restore', archive, '--yes')).toMatch(
      /: 3 documents\.\nAdded from the journal: \d+ later entries\./,
    );
    expect(await names()).toEqual(all);
    expect((await site.quickOnce()).status).toBe(0);
  }
  expect(site.sandbox.received()).toHaveLength(3);
  expect((await site.look('ledger', 'verify')).stdout).toContain('Everything is as receiptd wrote it.');
  const asked = await site.look('restore', archive, '--older');
  expect(asked).toBeRefused(2, 'CONFIRMATION_NEEDED', 'will be discarded');
  expect(asked.stderr).toContain('2 documents accepted since then will be sent again');
  expect(await site.quickMust('restore', archive, '--yes', '--older')).toContain(': 1 document');
  expect(await names()).toHaveLength(1);
});

test('a restored daily backup recovers a lost ledger with all later entries, and nothing is sent twice; with `--beside` a backup can only be viewed', async () => {
  const site = await prepare();
  await scan(site, 0, 3);
  const agent = await site.quickStart();
  await until(() => site.sandbox.received().length === 3);
  const { file, head } = JSON.parse(await site.quickMust('backup', '--json')) as {
    file: string;
    head: { seq: number; hash: string };
  };
  expect(file.startsWith(join(site.stateDir, 'backups'))).toBe(true);
  expect(await site.look('restore', file, '--yes')).toBeRefused(6, 'ALREADY_RUNNING');
  const archive = site.file('backup.receiptd');
  await site.quickMust('backup', archive);
  for (const [from, to] of [
    [archive, site.file('look')],
    [file, site.file('alone')],
  ] as const) {
    expect(await site.quickMust('restore', from, '--beside', to)).toContain('no agent runs on it');
    const copy = ['--config', join(to, 'receiptd.yaml')];
    expect(JSON.parse((await quickly(site, ['list', '--json', ...copy])).stdout)).toHaveLength(3);
    expect((await quickly(site, ['status', ...copy])).stdout).toContain('copy for viewing');
    const run = await quickly(site, ['run', '--once', ...copy]);
    expect(run).toBeRefused(1, 'STATE_MOVED', 'copy for viewing');
  }
  expect(await site.look('restore', archive, '--beside', site.file('look'))).toBeRefused(
    2,
    'USAGE',
    'not empty',
  );
  await scan(site, 3, 4);
  await until(() => site.sandbox.received().length === 4);
  await agent.stop();
  const names = async () => (await site.list()).map(({ name, path }) => [path, name]);
  const before = await names();
  for (const suffix of ['', '-wal', '-shm'])
    await rm(join(site.stateDir, `ledger.db${suffix}`), { force: true });
  expect(await site.look('restore', file)).toBeRefused(
    2,
    'CONFIRMATION_NEEDED',
    'What its journal has recorded',
  );
  const restored = JSON.parse(await site.quickMust('restore', file, '--yes', '--json')) as {
    replayed: number;
  };
  expect(restored).toMatchObject({ documents: 4, setAside: expect.any(String) });
  expect(restored.replayed).toBeGreaterThan(0);
  expect(await names()).toEqual(before);
  const verified = await site.look('ledger', 'verify', '--head', `${head.seq}:${head.hash}`);
  expect(verified.stdout).toContain('Everything is as receiptd wrote it.');
  expect(await readFile(join(site.stateDir, 'ledger.journal'), 'utf8')).toContain('"kind":"restored"');
  // The backup is still in its directory.
  expect(existsSync(file)).toBe(true);
  await site.quickOnce();
  expect((await storedOnce(site)).size).toBe(4);
  expect(site.sandbox.received()).toHaveLength(4);
  await writeFile(site.file('rubbish.db'), 'rubbish');
  expect(await site.look('restore', site.file('rubbish.db'), '--yes')).toBeRefused(1, 'ARCHIVE_REFUSED');
});

test('only `--replace` replaces a different ledger, and the question says how many documents would be sent again; two PCs that continued from the same backup are recognized', async () => {
  const site = await pcThatSent(1);
  const archive = site.file('backup.receiptd');
  await site.quickMust('backup', archive);
  const daily = /Wrote (\S+ledger-\S+\.db)\./.exec(await site.quickMust('backup'))?.[1] ?? '';
  const other = await otherPc(site);
  await other.quickMust('restore', archive, '--yes');
  for (const [each, n] of [
    [site, 1],
    [other, 3],
  ] as const) {
    await scan(each, n, n + 2);
    expect((await each.quickOnce()).status).toBe(0);
  }
  const third = await otherPc(site, {}, 'third');
  await scan(third, 5, 8);
  expect((await third.quickOnce()).status).toBe(0);
  for (const file of [archive, daily])
    for (const args of [[], ['--yes'], ['--older'], ['--older', '--yes']]) {
      const different = await third.look('restore', file, ...args);
      expect(different).toBeRefused(1, 'LEDGER_EXISTS', '--replace');
      expect(different.stderr).toContain('3 accepted documents would be sent again');
    }
  const asked = await third.look('restore', archive, '--replace');
  expect(asked).toBeRefused(2, 'CONFIRMATION_NEEDED', 'will replace a different ledger');
  expect(asked.stderr).toContain('3 documents that it records as accepted will be sent again');
  expect(await third.quickMust('restore', archive, '--replace', '--yes')).toContain('1 document');

  const branch = site.file('branch.receiptd');
  await other.quickMust('backup', branch);
  const refused = await site.look('restore', branch, '--yes', '--replace');
  expect(refused).toBeRefused(1, 'LEDGER_EXISTS', '--older');
  expect(refused.stderr).toMatch(/2 documents that were accepted since would be sent again/);
  expect(await site.quickMust('restore', branch, '--yes', '--older')).toContain('3 documents');
});

test.skipIf(!isRoot)(
  "root restores for the service's user, from a file that only root may read",
  async () => {
    const site = await pcThatSent(1);
    const archive = site.file('office.receiptd');
    await site.quickMust('backup', '--final', archive);
    const other = new Site(site.file('other'), site.sandbox);
    other.env['RECEIPTD_STATE_DIR'] = other.stateDir;
    const { uid, gid } = ordinaryOwner();
    await mkdir(other.dir);
    await mkdir(other.stateDir, { mode: 0o700 });
    await chown(other.stateDir, uid, gid);
    await chmod(site.dir, 0o755);
    expect(await other.quickMust('restore', archive)).not.toContain("Don't restore this file on another PC");
    for (const name of ['ledger.db', 'ledger.journal', 'spool', 'instance.lock'])
      expect((await stat(join(other.stateDir, name))).uid, name).toBe(uid);
    // Readable by everyone, like a file of setup, since the service's user must read it.
    expect((await stat(other.config)).mode & 0o777).toBe(0o644);
    expect(await other.list()).toHaveLength(1);
    expect(existsSync(`${archive}.restored`)).toBe(true);
    expect(await readFile(join(other.stateDir, 'ledger.journal'), 'utf8')).toContain('\\"by\\":\\"root\\"');
  },
);

/** A SQLite ledger moves into a shared one while its agent runs, and despite kills. */
import { writeFile } from 'node:fs/promises';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { freshDatabase, needsPostgres } from '../support/postgres.ts';
import { prepare, storedOnce, until, type Running, type Site } from './support/agent.ts';

async function drop(site: Site, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n += 1)
    await writeFile(
      site.file('inbox', `Beleg ${n}.png`),
      await drawReceipt({ type: 'png', seed: `receipt ${n}` }),
    );
}

function isAccepted(site: Site, count: number): () => Promise<boolean> {
  return async () => (await site.list('--state', 'accepted')).length === count;
}

describe.skipIf(!needsPostgres())('moving to a shared ledger', () => {
  test('continues after every kill, includes changes made by the agent meanwhile, and sends nothing twice', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.remove());
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    onTestFinished(() => holder.end());
    const site = await prepare();
    const agent = await site.start();
    await drop(site, 0, 6);
    await until(isAccepted(site, 6), 'the first images');

    const args = ['ledger', 'migrate', '--to', database.url, '--agent', 'scan-pc'];
    const migrate = (): Running => site.spawn(...args, '--config', site.config);
    expect((await site.look('ledger', 'prepare', '--to', database.url)).status).toBe(0);
    /** Kills the command while it waits for this table. */
    const killedAt = async (table: string, signal: () => void = () => {}): Promise<void> => {
      await holder.query(`BEGIN; LOCK TABLE receiptd.${table} IN ACCESS EXCLUSIVE MODE`);
      const killed = migrate();
      if (table === 'history') {
        await until(() => killed.stderr.includes('Stop it now'), 'the request to stop the agent');
        signal();
      }
      await until(async () => {
        const { rowCount } = await holder.query(
          `SELECT 1 FROM pg_locks WHERE relation = 'receiptd.${table}'::regclass AND NOT granted`,
        );
        return rowCount === 1;
      }, `the command to reach ${table}`);
      await killed.kill();
      await holder.query('ROLLBACK');
    };

    await killedAt('attempts');
    await drop(site, 6, 3);
    await killedAt('sightings');
    await until(isAccepted(site, 9), 'the images that came meanwhile');
    // The last moment: the mark is set, but the shared ledger is not marked as complete yet.
    await killedAt('history', () => agent.signal('SIGTERM'));
    await agent.ended;
    const stopped = await site.quickOnce();
    expect(stopped.stderr).toMatch(
      /was moved to .*\. There, this machine is the agent scan-pc\. Run `receiptd ledger migrate` again/,
    );
    expect(stopped.status).toBe(1);

    const { status, stdout, stderr } = await migrate().ended;
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/compared row by row: 9 documents, 9 upload requests, 9 files\./);
    expect(stdout).toContain('    agent: scan-pc\n');
    const refused = await site.quickOnce();
    expect(refused.stderr).toMatch(
      /Set ledger\.kind: postgres, and ledger\.agent: scan-pc\. \[LEDGER_MOVED\]/,
    );

    await site.configure({ ledger: { kind: 'postgres', url: database.url, agent: 'scan-pc' } });
    await drop(site, 9, 2);
    expect((await site.quickOnce()).status).toBe(0);
    expect((await storedOnce(site)).size).toBe(11);
    expect(site.sandbox.received()).toHaveLength(11);
  });
});

test('a move to a shared ledger is refused in one sentence with a password in the address or an unreadable one', async () => {
  const site = await prepare();
  const url = 'postgres://me:secret4711@db.example.com/ledger';
  for (const command of ['prepare', 'migrate']) {
    const { status, stdout, stderr } = await site.look('ledger', command, '--to', url);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*contains a password.*\[USAGE\]\n$/);
    expect(stderr).not.toContain('secret4711');
  }
  const missing = await site.look(
    'ledger',
    'prepare',
    '--to',
    'postgres://me@127.0.0.1:9/x',
    '--password-file',
    'no',
  );
  expect([missing.status, missing.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: The password file .* can't be read/),
  ]);
  const nowhere = await site.look('ledger', 'archive', '--before', '2999-01-01', '--dir', '.');
  expect(nowhere.status).toBe(2);
});

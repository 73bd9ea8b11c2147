/** A SQLite ledger moves into a shared one while its agent runs, and despite kills. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../ledger/postgres/place.ts';
import { drawReceipt } from '../support/images.ts';
import { freshDatabase, needsPostgres } from '../support/postgres.ts';
import { prepare, storedOnce, until, type Running, type Site } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';

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

  test('its history is archived as journals, compressed with --gzip, and stays in the database with --keep', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.remove());
    const site = await prepare({ ledger: { kind: 'postgres', url: database.url, agent: 'desk' } });
    await drop(site, 0, 1);
    await site.quickMust('ledger', 'prepare');
    await site.quickMust('run', '--once');
    await ask(
      database.url,
      `CREATE TABLE receiptd.history_2025_01 PARTITION OF receiptd.history FOR VALUES FROM ('2025-01-01Z') TO ('2025-02-01Z')`,
    );
    await ask(database.url, `UPDATE receiptd.history SET recorded_at = '2025-01-15Z' WHERE seq <= 3`);
    const archived = async (...options: string[]) => {
      const args = [
        'ledger',
        'archive',
        '--before',
        '2025-03-01',
        '--dir',
        site.file(),
        '--json',
        ...options,
      ];
      const { files } = JSON.parse(await site.quickMust(...args)) as { files: { file: string }[] };
      const [left] = await ask(database.url, 'SELECT min(seq)::integer AS first FROM receiptd.history');
      return [files.map(({ file }) => basename(file)), left];
    };
    expect(await archived('--keep')).toEqual([['history-desk-2025-01.journal'], { first: 1 }]);
    expect(await archived('--gzip')).toEqual([['history-desk-2025-01.journal.gz'], { first: 4 }]);
    const packed = await readFile(site.file('history-desk-2025-01.journal.gz'));
    expect(gunzipSync(packed)).toEqual(await readFile(site.file('history-desk-2025-01.journal')));
  });
});

test('commands for a shared ledger are refused in one sentence with a password in the address, without encryption, or with an unreadable file', async () => {
  const site = await prepare();
  const url = 'postgres://me:secret4711@db.example.com/ledger';
  const local = ['--to', 'postgres://me@127.0.0.1:9/x'];
  const open = ['--to', 'postgres://me@db.invalid/x?sslmode=disable'];
  for (const command of [['prepare'], ['migrate'], ['archive', '--before', '2020-01-01', '--dir', '.']]) {
    const env = { RECEIPTD_CONFIG: site.config };
    const ended = (...more: string[]) => quickly(site, ['ledger', ...command, ...more], { env });
    const refused = await ended('--to', url);
    expect(refused).toBeRefused(2, 'USAGE', 'contains a password');
    expect(refused.stderr).not.toContain('secret4711');
    expect(await ended(...local, '--password-file', 'no')).toBeRefused(2, 'USAGE', 'The password file ');
    expect(await ended(...local, '--ca', 'no')).toBeRefused(1, 'FILE_UNREADABLE', '/no ');
    expect(await ended(...open)).toBeRefused(2, 'USAGE', 'unencrypted');
    expect((await ended(...open, '--allow-insecure')).stderr).toContain('LEDGER_UNREACHABLE');
    expect(await ended()).toBeRefused(2, 'USAGE');
  }
  const later = await site.look('ledger', 'archive', '--before', '2999-01-01', '--dir', '.', ...local);
  expect(later).toBeRefused(2, 'USAGE', '2999-01-01');
});

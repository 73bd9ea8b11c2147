/** A SQLite ledger moves into a shared one while its agent runs, and despite kills. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../ledger/support/agents.ts';
import { drawReceipt } from '../support/images.ts';
import { freshDatabase, needsPostgres } from '../support/postgres.ts';
import { prepare, storedOnce, until, type Running, type Site } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';

/** Gives the first two entries of the only chain a time in January 2025, and chains the others anew. */
async function backdate(url: string): Promise<void> {
  const lines = await ask<{ seq: number; entry: string }>(
    url,
    'SELECT seq::integer AS seq, entry FROM receiptd.chain ORDER BY seq',
  );
  let prev = '0'.repeat(64);
  for (const { seq, entry } of lines) {
    const fields = {
      ...(JSON.parse(entry) as object),
      ...(seq <= 2 && { at: '2025-01-15T00:00:00.000Z' }),
      prev,
    };
    const text = JSON.stringify(fields);
    prev = createHash('sha256').update(text).digest('hex');
    await ask(url, 'UPDATE receiptd.chain SET entry = $2, hash = $3 WHERE seq = $1', [seq, text, prev]);
  }
  await ask(url, 'UPDATE receiptd.agents SET hash = $1', [prev]);
}

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

const LAST_PART = `
CREATE FUNCTION receiptd.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
CREATE TRIGGER wait BEFORE INSERT ON receiptd.chain FOR EACH ROW WHEN (NEW.entry LIKE '%"kind":"shared"%') EXECUTE FUNCTION receiptd.wait()`;

describe.skipIf(!needsPostgres())('moving to a shared ledger', () => {
  test('continues after every kill, includes changes made by the agent meanwhile, and sends nothing twice', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.remove());
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    onTestFinished(() => holder.end());
    const site = await prepare();
    const agent = await site.quickStart();
    await drop(site, 0, 6);
    await until(isAccepted(site, 6), 'the first images');

    const args = ['ledger', 'migrate', '--to', database.url, '--agent', 'scan-pc'];
    const migrate = (): Running => site.spawn(...args, '--config', site.config);
    expect((await site.look('ledger', 'prepare', '--to', database.url)).status).toBe(0);
    await holder.query(LAST_PART);
    /** Kills the command while it waits for this lock. */
    const killedAt = async (take: string, release: string, signal?: () => void): Promise<void> => {
      await holder.query(take);
      const killed = migrate();
      if (signal) {
        await until(() => killed.stderr.includes('Stop it now'), 'the request to stop the agent');
        signal();
      }
      await until(async () => {
        const { rowCount } = await holder.query(
          `SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return (rowCount ?? 0) > 0;
      }, `the command to wait for ${take}`);
      await killed.kill();
      await holder.query(release);
    };
    await killedAt('BEGIN; LOCK TABLE receiptd.files IN ACCESS EXCLUSIVE MODE', 'ROLLBACK');
    await drop(site, 6, 3);
    await until(isAccepted(site, 9), 'the images that came meanwhile');
    // The last moment: the mark is set, and the shared ledger does not say yet that all of it is there.
    await killedAt('SELECT pg_advisory_lock(1)', 'SELECT pg_advisory_unlock(1)', () => void agent.stop());
    await agent.ended;
    const stopped = await site.quickOnce();
    expect(stopped.stderr).toMatch(
      /was moved to .*\. There, this machine is the agent scan-pc\. Run `receiptd ledger migrate` again/,
    );
    expect(stopped.status).toBe(1);

    const { status, stdout, stderr } = await site.look(...args);
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
    // As if the agent had joined in January: the rest of its chain follows from that entry.
    await backdate(database.url);
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
      const [left] = await ask(database.url, 'SELECT min(seq)::integer AS first FROM receiptd.chain');
      return [files.map(({ file }) => basename(file)), left];
    };
    expect(await archived('--keep')).toEqual([['history-desk-2025-01.journal'], { first: 1 }]);
    expect(await archived('--gzip')).toEqual([['history-desk-2025-01.journal.gz'], { first: 3 }]);
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

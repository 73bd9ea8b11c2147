import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { startProxy } from '../../support/tcpProxy.ts';
import { ACCEPTANCE, claim } from '../../contract/ledger/support.ts';
import { FleetPlace } from './fleetPlace.ts';
import { ask, openStore, targetOf, UNUSED } from './place.ts';

const WAIT = { timeout: 30_000 } as const;
const END_ALL = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'receiptd %' AND datname = current_database()`;

describe.skipIf(!needsPostgres())('after a failover that lost the last commits', () => {
  const place = FleetPlace.ofEachTest();

  const standing = async (id: number) =>
    (
      await place.ask<{ state: string; answer_lost: number; outcome: string | null }>(
        `SELECT d.state, d.answer_lost, a.outcome FROM documents d JOIN attempts a ON a.document_id = d.id WHERE d.id = $1`,
        [id],
      )
    )[0];

  it('a finished request is queued again as possibly sent, and a running one keeps running', async () => {
    const a = await place.open('a');
    const [forgotten = 0, sending = 0] = await place.documents('a', 2);
    await claim(a);
    const attempt = await a.begin(forgotten, 2_000, 1);
    const other = await a.begin(sending, 2_000, 1);
    await a.finish(attempt, ACCEPTANCE);
    await place.ask(`UPDATE attempts SET finished_at = NULL, outcome = NULL WHERE id = $1`, [attempt]);
    await place.ask(
      `UPDATE documents SET state = 'uploading', claimed_by = (SELECT id FROM agents WHERE name = 'a') WHERE id = $1`,
      [forgotten],
    );
    await place.ask(END_ALL);
    await vi.waitFor(async () => {
      expect(await standing(forgotten)).toEqual({ state: 'queued', answer_lost: 1, outcome: 'unknown' });
    }, WAIT);
    expect(await standing(sending)).toMatchObject({ state: 'uploading', outcome: null });
    await a.finish(other, ACCEPTANCE);
    expect(await standing(sending)).toMatchObject({ state: 'accepted' });
  });

  it('refuses an answer whose attempt number now belongs to another document', async () => {
    const a = await place.open('a');
    const [first = 0, second = 0] = await place.documents('a', 2);
    await claim(a);
    const attempt = await a.begin(first, 2_000, 1);
    await place.ask(`UPDATE attempts SET document_id = $1 WHERE id = $2`, [second, attempt]);
    await place.ask(`UPDATE documents SET state = 'uploading' WHERE id = $1`, [second]);
    await expect(a.finish(attempt, ACCEPTANCE)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
    expect(await standing(second)).toMatchObject({ state: 'uploading', outcome: null });
  });

  it('a lost folder lead can go to another agent', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    await place.ask('DELETE FROM leads');
    expect(await b.fleet.lead('/mnt/b')).toBe(true);
    await place.ask(END_ALL);
    await vi.waitFor(() => expect(a.storage.trouble()).not.toBeNull(), WAIT);
    await vi.waitFor(async () => expect(await a.fleet.lead('/mnt/a')).toBe(false), WAIT);
  });
});

describe.skipIf(!needsPostgres())('a fenced agent', () => {
  it('sends no request that it began before, even with a new lease', async () => {
    const place = await FleetPlace.create();
    try {
      const a = await place.open('a');
      const [id = 0] = await place.documents('a', 1);
      await claim(a);
      const attempt = await a.begin(id, 2_000, 1);
      expect(a.fleet.isLeased(attempt)).toBe(true);
      await place.ask(`UPDATE agents SET epoch = epoch + 1`);
      await place.ask(END_ALL);
      await vi.waitFor(async () => {
        expect(await place.ask('SELECT epoch::integer FROM agents')).toEqual([{ epoch: 3 }]);
        expect(a.storage.trouble()).toBeNull();
      }, WAIT);
      expect(a.fleet.isLeased()).toBe(true);
      expect(a.fleet.isLeased(attempt)).toBe(false);
    } finally {
      await place.remove();
    }
  });
});

describe.skipIf(!needsPostgres())('the connection', () => {
  let database: FreshDatabase;
  beforeEach(async () => void (database = await freshDatabase(UNUSED)));
  afterEach(() => database.remove());

  it('keeps the lease while all readers are busy, without delaying heartbeats', async () => {
    const open = await openStore(database.url, 'one', { leaseMs: 1_500 });
    try {
      const busy = Array.from({ length: 6 }, () => open.store.read((sql) => sql.get('SELECT pg_sleep(2)')));
      await open.store.read((sql) => sql.get('SELECT 1'), { isUrgent: true });
      let unleased = 0;
      const looking = setInterval(() => (unleased += open.store.membership.isLeased ? 0 : 1), 20);
      await Promise.all(busy);
      clearInterval(looking);
      expect(unleased).toBe(0);
      expect(await ask(database.url, 'SELECT epoch::integer FROM agents')).toEqual([{ epoch: 1 }]);
    } finally {
      await open.close();
    }
  });

  it('is closed at once while connecting over a silent link', async () => {
    const url = new URL(database.url);
    const proxy = await startProxy(Number(url.port));
    url.port = String(proxy.port);
    const open = await openStore(url.href);
    const blocker = new Client({ connectionString: database.url });
    await blocker.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('SELECT 1 FROM receiptd.agents FOR UPDATE');
      proxy.reset();
      await vi.waitFor(async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
        expect(await ask(database.url, waiting)).toHaveLength(1);
      }, WAIT);
      const startedAt = performance.now();
      await open.close();
      // Closing does not wait for the answer to time out.
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    } finally {
      await blocker.end();
      await open.close();
      await proxy.close();
    }
  });

  it('is not considered dead because one read takes too long', async () => {
    const open = await openStore(database.url);
    try {
      const slow = open.store.read(async (sql) => {
        await sql.run('SET statement_timeout = 100');
        await sql.get('SELECT pg_sleep(60)');
      });
      await expect(slow).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
      expect(open.trouble.trouble()).toBeNull();
    } finally {
      await open.close();
    }
  });

  it('is recreated if its prepared statements are no longer valid', async () => {
    const open = await openStore(database.url);
    try {
      await ask(database.url, 'CREATE TABLE kept (value integer); INSERT INTO kept VALUES (1)');
      const value = () => open.store.read((sql) => sql.get<{ value: unknown }>('SELECT value FROM kept'));
      expect(await value()).toEqual({ value: 1 });
      await ask(database.url, 'ALTER TABLE kept ALTER value TYPE text');
      expect(await value()).toEqual({ value: '1' });
    } finally {
      await open.close();
    }
  });

  it('overrides settings of the role or the database', async () => {
    for (const setting of [
      `default_transaction_isolation = 'serializable'`,
      `synchronous_commit = off`,
      `lock_timeout = 1`,
      `statement_timeout = 1000`,
    ])
      await ask(database.url, `ALTER DATABASE ${database.name} SET ${setting}`);
    const connection = await new Connector(targetOf(database.url)).connect('test');
    try {
      const value = async (name: string) =>
        (await connection.get<{ value: string }>(`SELECT current_setting('${name}') AS value`))?.value;
      expect(await value('transaction_isolation')).toBe('read committed');
      expect(await value('synchronous_commit')).toBe('on');
      expect(await value('lock_timeout')).toBe('0');
      expect(await value('statement_timeout')).toBe('25s');
      expect(await value('idle_in_transaction_session_timeout')).toBe('30s');
      await connection.exec('BEGIN');
      await connection.run('SELECT 1 / 0').catch(() => {});
      await expect(connection.commit()).rejects.toThrow(/ROLLBACK/);
    } finally {
      await connection.close();
    }
  });
});

describe.skipIf(!needsPostgres())('partitions of the history', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase(UNUSED);
    await (await openStore(database.url)).close();
  });
  afterEach(() => database.remove());

  const MONTH = `to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')`;
  const drop = async () => {
    const [row] = await ask<{ month: string }>(database.url, `SELECT ${MONTH} AS month`);
    await ask(database.url, `DROP TABLE history_${row?.month}`);
  };
  const INSERT = `INSERT INTO history (agent_id, seq, entry, hash, personal) VALUES (1, $1, '', '', '')`;
  const places = () =>
    ask(
      database.url,
      `SELECT seq::integer, tableoid::regclass::text <> 'history_rest' AS placed FROM history ORDER BY seq`,
    );

  it('are created even if a clock was ahead and the default partition has entries', async () => {
    await drop();
    await ask(database.url, INSERT, [1]);
    await ask(database.url, 'SELECT make_history_partitions()');
    await ask(database.url, INSERT, [2]);
    expect(await places()).toEqual([
      { seq: 1, placed: true },
      { seq: 2, placed: true },
    ]);
  });

  it('are postponed during a long read of the history, so that no write waits for it', async () => {
    await drop();
    const reader = new Client({ connectionString: database.url });
    await reader.connect();
    try {
      await reader.query('BEGIN');
      await reader.query('SELECT count(*) FROM receiptd.history');
      const open = await openStore(database.url);
      await open.store.write(async (sql) =>
        sql.emit({ kind: 'act', act: 'retry', by: 'ann', detail: 'x' }, 1),
      );
      await open.close();
    } finally {
      await reader.end();
    }
    await (await openStore(database.url)).close();
    expect(await places()).toContainEqual({ seq: 1, placed: true });
  });
});

import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { Member } from '../../../src/ledger/fleet/member.ts';
import { verifyPostgresLedger } from '../../../src/ledger/fleet/verify.ts';
import { Connector, Readers } from '../../../src/ledger/postgres/connection.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { freshDatabase, needsPostgres, startCluster } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { startProxy } from '../../support/tcpProxy.ts';
import { ask, databaseOfEachTest, openPostgres } from '../support/agents.ts';
import { targetOf } from './place.ts';

const WAIT = { timeout: 30_000 } as const;

describe.skipIf(!needsPostgres())('the connection', () => {
  const database = databaseOfEachTest();

  it('keeps the lease while all readers are busy, without delaying heartbeats', async () => {
    const open = await openPostgres(database.url, 'one', { leaseMs: 1_500 });
    try {
      const busy = Array.from({ length: 6 }, () => open.read((sql) => sql.get('SELECT pg_sleep(2)')));
      let unleased = 0;
      const looking = setInterval(() => (unleased += open.isLeased() ? 0 : 1), 20);
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
    const open = await openPostgres(url.href);
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
    const open = await openPostgres(database.url);
    try {
      const slow = open.read(async (sql) => {
        await sql.run('SET statement_timeout = 100');
        await sql.get('SELECT pg_sleep(60)');
      });
      await expect(slow).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
      expect(open.trouble()).toBeNull();
    } finally {
      await open.close();
    }
  });

  it('is recreated if its prepared statements are no longer valid', async () => {
    const open = await openPostgres(database.url);
    try {
      await ask(database.url, 'CREATE TABLE kept (value integer); INSERT INTO kept VALUES (1)');
      const value = () => open.read((sql) => sql.get<{ value: unknown }>('SELECT value FROM kept'));
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

describe.skipIf(!needsPostgres())('an agent and its server', () => {
  const record = ({ core }: Member, detail = 'x') =>
    core.run([['record', [{ record: 'act', act: 'retry', by: 'ann', detail, at: 1 }]]]);

  it('survives a crash of the server: refuses meanwhile, and then continues', async () => {
    const cluster = await startCluster();
    const log = new RecordedLog();
    const open = await openPostgres(cluster.url, 'one', { log });
    try {
      await record(open);
      await cluster.kill();
      await expect(record(open)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
      await vi.waitFor(() => expect(open.trouble()).toMatchObject({ code: 'LEDGER_UNREACHABLE' }), WAIT);
      await expect(open.read((sql) => sql.get('SELECT 1'))).rejects.toMatchObject({
        code: 'LEDGER_UNREACHABLE',
      });
      await cluster.start();
      await vi.waitFor(() => expect(open.trouble()).toBeNull(), { timeout: 60_000 });
      await record(open);
      const { journal, ledger } = await verifyPostgresLedger(targetOf(cluster.url), 'one', null);
      expect([...journal.findings, ...ledger.findings]).toEqual([]);
      expect(journal.entries).toBe(3);
      expect(log.said("The ledger can't be reached")).toHaveLength(1);
      expect(log.said('The ledger can be reached again')).toHaveLength(1);
    } finally {
      await open.close();
      await cluster.remove();
    }
  });

  it('is closed at once while it does not know whether a commit took place', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const url = new URL(database.url);
    const proxy = await startProxy(Number(url.port));
    cleanUp(() => proxy.close());
    url.port = String(proxy.port);
    const open = await openPostgres(url.href);
    const { connection } = open;
    connection.commit = async () => {
      proxy.cut();
      connection.destroy();
      throw new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: 'here' });
    };
    const outcome = record(open, 'never').catch((error: unknown) => error);
    await vi.waitFor(() => expect(open.trouble()).not.toBeNull(), WAIT);
    await open.close();
    expect(await outcome).toMatchObject({ code: 'LEDGER_UNREACHABLE' });
  });
});

describe.skipIf(!needsPostgres())('connections for reading', () => {
  it('end with the others when they are half-open, and not only once they were silent for long', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const url = new URL(database.url);
    const proxy = await startProxy(Number(url.port));
    cleanUp(() => proxy.close());
    url.port = String(proxy.port);
    const open = await openPostgres(url.href, 'one', { leaseMs: 1_000 });
    cleanUp(() => open.close());
    await open.read((sql) => sql.get('SELECT 1'));
    const from = performance.now();
    const read = open.read((sql) => sql.get('SELECT 1 FROM pg_sleep(24)'));
    read.catch(() => {});
    proxy.hang();
    await expect(read).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
    expect(performance.now() - from).toBeLessThan(20_000);
  });

  it('are closed after an idle time, every time', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const { url } = database;
    const readers = new Readers(new Connector({ url, passwordFile: null, caFile: null }), 'test', 200);
    cleanUp(() => readers.close());
    const reading = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'receiptd test reading'`;
    const open = async () => (await ask(url, reading)).length;
    const used = new Set<unknown>();
    for (let turn = 0; turn < 2; turn += 1) {
      const read = () => readers.use((sql) => sql.get<{ pid: number }>('SELECT pg_backend_pid() AS pid', {}));
      for (const row of await Promise.all([read(), read()])) used.add(row?.pid);
      // At least one connection a turn: those of the turn before are gone.
      expect(used.size).toBeGreaterThan(turn);
      await expect.poll(open).toBe(0);
    }
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connector, type Connection } from '../../../src/ledger/postgres/connection.ts';
import { migrate, requireVersion, versionOf } from '../../../src/ledger/postgres/migrate.ts';
import { openPostgresLedger } from '../../../src/ledger/postgres/open.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { admission } from '../../contract/ledger/support.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { agentOptions, ask, targetOf } from './place.ts';

const GRANTS = `
GRANT USAGE ON SCHEMA receiptd TO ROLE;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA receiptd TO ROLE;
GRANT DELETE ON receiptd.holds, receiptd.leads, receiptd.starts TO ROLE;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA receiptd TO ROLE`;

describe.skipIf(!needsPostgres())('the schema of a shared ledger', () => {
  let database: FreshDatabase;
  const open: Ledger[] = [];

  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((ledger) => ledger.close()));
    await database.remove();
  });

  async function opened(name: string, url = database.url): Promise<Ledger> {
    const ledger = await openPostgresLedger(agentOptions(url, name));
    open.push(ledger);
    return ledger;
  }

  /** A role that may only connect. */
  async function agentsRole(): Promise<{ readonly role: string; readonly url: string }> {
    const role = `agents_${database.name}`;
    await ask(database.url, `CREATE ROLE ${role} LOGIN`);
    const url = new URL(database.url);
    url.username = role;
    return { role, url: url.href };
  }

  async function connected(): Promise<Connection> {
    return new Connector(targetOf(database.url)).connect('a test');
  }

  it('is created once by agents that start together, and all of them work', async () => {
    const names = ['one', 'two', 'three', 'four'];
    const ledgers = await Promise.all(names.map((name) => opened(name)));
    const admitted = await Promise.all(
      ledgers.map((ledger, n) => ledger.admit(admission(`${n}.jpg`, `content ${n}`))),
    );
    expect(new Set(admitted.map(({ document }) => document.name)).size).toBe(4);
    expect(ledgers.map(({ storage }) => storage.trouble())).toEqual([null, null, null, null]);
    const connection = await connected();
    const version = await versionOf(connection);
    await connection.close();
    expect(await ask(database.url, 'SELECT version FROM migrations ORDER BY version')).toEqual(
      Array.from({ length: version }, (_, n) => ({ version: n + 1 })),
    );
  });

  it('is created by its owner alone, and usable by a role that could not create it', async () => {
    const { role, url } = await agentsRole();
    try {
      await expect(opened('one', url)).rejects.toMatchObject({
        code: 'LEDGER_OLDER',
        message: expect.stringMatching(
          /^The ledger at 127\.0\.0\.1:\d+\/test_\w+ is an older version, or is not/,
        ),
        hint: 'Run `receiptd ledger prepare` with a role that owns the schema.',
      });
      expect(await ask(database.url, `SELECT FROM pg_namespace WHERE nspname = 'receiptd'`)).toEqual([]);

      const owner = await connected();
      await migrate(owner, 'here');
      await owner.exec(GRANTS.replaceAll('ROLE', role));
      await owner.close();
      const ledger = await opened('one', url);
      expect(await ledger.admit(admission('a.jpg', 'a'))).toMatchObject({ kind: 'queued' });
    } finally {
      await Promise.all(open.splice(0).map((ledger) => ledger.close()));
      await ask(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  it('of a newer receiptd is not touched', async () => {
    await opened('one').then((ledger) => ledger.close());
    await ask(database.url, 'INSERT INTO migrations (version) VALUES (1000)');
    await expect(opened('two')).rejects.toMatchObject({
      code: 'LEDGER_NEWER',
      message: expect.stringContaining('has version 1000; this receiptd knows '),
    });
    const connection = await connected();
    await expect(requireVersion(connection, 'here')).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
    await connection.close();
    expect(await ask(database.url, 'SELECT name FROM agents')).toEqual([{ name: 'one' }]);
  });

  it('is reported missing by readers', async () => {
    const connection = await connected();
    await expect(requireVersion(connection, 'here')).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
    await migrate(connection, 'here');
    await requireVersion(connection, 'here');
    await connection.close();
  });

  it('is refused as too old by a newer receiptd until migrated, and keeps its rows', async () => {
    const all = '../../../src/ledger/postgres/migrations/all.ts';
    const { ALL_MIGRATIONS } = await import(all);
    await opened('one').then((ledger) => ledger.admit(admission('a.jpg', 'a')));
    vi.resetModules();
    vi.doMock(all, () => ({ ALL_MIGRATIONS: [...ALL_MIGRATIONS, 'CREATE TABLE probe (id integer)'] }));
    const newer = await import('../../../src/ledger/postgres/migrate.ts');
    vi.doUnmock(all);
    const connection = await connected();
    await expect(newer.requireVersion(connection, 'here')).rejects.toMatchObject({ code: 'LEDGER_OLDER' });
    await newer.migrate(connection, 'here');
    await newer.requireVersion(connection, 'here');
    expect(await ask(database.url, 'SELECT count(*)::integer AS count FROM documents, probe')).toEqual([
      { count: 0 },
    ]);
    expect(await ask(database.url, 'SELECT path FROM documents')).toEqual([{ path: 'a.jpg' }]);
    await expect(requireVersion(connection, 'here')).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
    await connection.close();
  });

  it('is created completely or not at all', async () => {
    const connection = await connected();
    // Makes the first migration fail after its first tables.
    await connection.exec('CREATE SCHEMA receiptd; CREATE TABLE receiptd.results (id integer)');
    await expect(migrate(connection, 'here')).rejects.toThrow(/already exists/);
    expect(await versionOf(connection)).toBe(0);
    await connection.exec('DROP TABLE receiptd.results');
    await migrate(connection, 'here');
    await requireVersion(connection, 'here');
    await connection.close();
  });
});

import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { prepareShared } from '../../../src/wiring/sharedLedger/prepare.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { Connector, type Target } from '../../../src/ledger/postgres/connection.ts';
import { migrate } from '../../../src/ledger/postgres/migrate.ts';
import { Link } from '../../../src/ledger/postgres/link.ts';
import { openPostgresLedger, type PostgresLedgerOptions } from '../../../src/ledger/postgres/open.ts';
import { Places } from '../../../src/ledger/postgres/places.ts';
import { Store } from '../../../src/ledger/postgres/store.ts';
import { Trouble } from '../../../src/ledger/postgres/trouble.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { LedgerPlace } from '../../contract/ledger/support.ts';
import { hasPgbouncer, startPooler, type Pooler } from '../../support/pgbouncer.ts';
import { freshDatabase, type FreshDatabase, type Template } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

/** The wall clock is stopped; leases and sleeps run in real time. */
export const clock: Clock = { ...systemClock, now: () => 1_000 };

export function targetOf(url: string): Target {
  return { url, passwordFile: null, caFile: null };
}

/** A ledger that no agent has opened yet. Copying it is faster than creating its tables. */
export const UNUSED: Template = {
  name: 'unused_ledger',
  async fill(url) {
    const connection = await new Connector(targetOf(url)).connect('receiptd-test');
    await migrate(connection, url);
    await connection.close();
  },
};

/** Options of one agent of a fleet. */
export function agentOptions(
  url: string,
  name = 'one',
  more: Partial<PostgresLedgerOptions> = {},
): PostgresLedgerOptions {
  return {
    target: targetOf(url),
    name,
    instance: randomUUID(),
    version: '0.0.0',
    leaseMs: 15_000,
    shares: new Map(),
    clock,
    random: Math.random,
    log: new RecordedLog(),
    ...more,
  };
}

/** A store that stays connected, without a ledger. */
export interface OpenStore {
  readonly store: Store;
  readonly trouble: Trouble;
  readonly log: RecordedLog;
  close(): Promise<void>;
}

export interface StoreAgent {
  readonly leaseMs?: number;
  /** Names of shared folders by their absolute path. */
  readonly shares?: ReadonlyMap<string, string>;
}

export async function openStore(url: string, name = 'one', agent: StoreAgent = {}): Promise<OpenStore> {
  const { leaseMs = 15_000, shares = new Map<string, string>() } = agent;
  const connector = new Connector(targetOf(url));
  const trouble = new Trouble();
  const log = new RecordedLog();
  const self = { name, instance: randomUUID(), version: '0.0.0', leaseMs };
  const places = new Places(name, shares);
  const store = new Store({ connector, self, places, clock, trouble, memory: null });
  const onBeat = async (): Promise<void> => {};
  const link = new Link({ connector, store, trouble, clock, random: Math.random, log, onBeat });
  await link.start();
  return {
    store,
    trouble,
    log,
    async close() {
      await link.close();
      await store.close();
    },
  };
}

export async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: '-c search_path=receiptd' });
  await client.connect();
  return client;
}

/** Runs one query on a connection of its own. */
export async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = await connected(url);
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Deletes the rows of small tables: truncating a table recreates its files and those of its indexes. */
const EMPTY_ALL = `
DO $$
DECLARE each record;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR each IN SELECT oid::regclass AS name, pg_relation_size(oid) > 200000 AS is_large FROM pg_class
     WHERE relnamespace = 'receiptd'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
  LOOP
    EXECUTE format(CASE WHEN each.is_large THEN 'TRUNCATE %s CASCADE' ELSE 'DELETE FROM %s' END, each.name);
  END LOOP;
  PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid
    WHERE relnamespace = 'receiptd'::regnamespace;
END $$`;

const EVERYTHING = `
SELECT query_to_xml(format('SELECT * FROM %s', oid::regclass), true, false, '')::text AS text FROM pg_class
 WHERE relnamespace = 'receiptd'::regnamespace AND relkind = 'r'`;

/** Roles belong to the whole cluster. */
export function roleOf({ name }: FreshDatabase): string {
  return `agents_${name}`;
}

export function urlAs({ url }: FreshDatabase, role: string): string {
  return url.replace('postgres@', `${role}@`);
}

/** Prepares the database as its owner would. @returns the URL for agents */
export async function prepared(database: FreshDatabase): Promise<string> {
  const role = roleOf(database);
  await ask(database.url, `CREATE ROLE ${role} LOGIN`);
  await prepareShared(targetOf(database.url), role);
  return urlAs(database, role);
}

export async function removeWithRole(database: FreshDatabase): Promise<void> {
  const role = roleOf(database);
  const [known] = await ask(database.url, 'SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  if (known) await ask(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await database.remove();
}

/**
 * Places for ledgers, one after another, in one database that is emptied in between, under the role of the agents. Connects through a session
 * pooler if one is installed: the server starts a process for each connection, which takes longer than most tests.
 */
export function placesInTurn(): { create(): Promise<LedgerPlace>; remove(): Promise<void> } {
  let database: FreshDatabase | null = null;
  let owner: Client | null = null;
  let pooler: Pooler | null = null;
  let agentUrl = '';
  return {
    async create() {
      if (database === null) {
        database = await freshDatabase();
        agentUrl = await prepared(database);
        if (hasPgbouncer) pooler = await startPooler(agentUrl, 'session');
        agentUrl = pooler?.url ?? agentUrl;
        owner = new Client({ connectionString: database.url });
        await owner.connect();
      }
      const options = agentOptions(agentUrl);
      return {
        open: (accountOf): Promise<Ledger> =>
          openPostgresLedger({ ...options, ...(accountOf && { accountOf }) }),
        async stored() {
          const rows = await owner?.query<{ text: string }>(EVERYTHING);
          return rows?.rows.map(({ text }) => text).join('\n') ?? '';
        },
        remove: async () => void (await owner?.query(EMPTY_ALL)),
      };
    },
    async remove() {
      await owner?.end();
      await pooler?.close();
      if (database !== null) await removeWithRole(database);
      [database, owner, pooler] = [null, null, null];
    },
  };
}

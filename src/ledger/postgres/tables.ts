import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Connection } from './connection.ts';
import { grantRights } from './rights.ts';
import type { Sql } from './statements.ts';
import { COUNTED, createTables, TABLE_NAMES } from '../schema.ts';

/** With another number the tables are made anew from the chains, which is all of a migration. */
export const SCHEMA_VERSION = 2;

/** Advisory lock against tables that are made twice at once. */
const LOCK = 7_267_339;

/** Milliseconds, by the database's clock. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Conditions on an agent `a`. */
export const IS_RUNNING = `(a.running AND coalesce(a.lease_until > ${NOW}, false))`;
export const IS_SILENT = `(a.running AND a.started_at IS NOT NULL AND coalesce(a.lease_until <= ${NOW}, true))`;
/** Another agent, which runs, takes over from `a`. @param own a parameter: the agent that asks */
export const isTakenBy = (own: string): string =>
  `EXISTS (SELECT FROM agents b WHERE b.id = a.taken_by AND b.id <> ${own} AND ${IS_RUNNING.replaceAll('a.', 'b.')})`;

export const TELL = `SELECT pg_notify('receiptd', :signal)`;
/** Those of sessions of the agent that are over. Agents that have the folder may take the lead. */
export const END_LEADS = `
WITH ended AS (DELETE FROM leads l USING agents a WHERE a.id = l.agent AND l.agent = :agent AND l.epoch <> a.epoch RETURNING l.folder)
SELECT pg_notify('receiptd', 'agents ' || folder) FROM ended`;

/**
 * What is no projection of the chains: the chains themselves, and what is true of agents only now. Times are milliseconds of the database's clock.
 *
 * tables.behind: the last place in the order of chains that the tables have while they are made anew. agents.ledger: names the chain. seq, hash: the
 * chain's last entry. lease_until: null once another agent has taken over; taken_by: the agent that does. handed: the last result that its program got.
 * bringing: while the agent brings back what the database lost. chain.ord: taken while a transaction holds its rows, so that entries of several agents
 * about one row are in their order. archives: the last line of a chain in each file, its place in that order, and the end of the file's month; these
 * lines are in the database no more. erasures: lines whose personal data an agent has yet to blank in its own copy of its chain.
 */
const BESIDE = `
CREATE TABLE tables (version integer NOT NULL, behind bigint);
CREATE TABLE agents (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, ledger text NOT NULL,
  instance text, host text NOT NULL DEFAULT '', version text NOT NULL DEFAULT '', epoch bigint NOT NULL DEFAULT 0,
  running boolean NOT NULL DEFAULT false, started_at bigint, seen_at bigint, lease_until bigint, paused_by text, paused_at bigint,
  handed bigint, taken_by integer, bringing boolean NOT NULL DEFAULT false, seq bigint NOT NULL DEFAULT 0, hash text NOT NULL) WITH (fillfactor = 50);
CREATE TABLE chain (
  agent integer NOT NULL, seq bigint NOT NULL, ord bigint GENERATED ALWAYS AS IDENTITY, document bigint, file bigint,
  entry text NOT NULL, hash text NOT NULL, personal text NOT NULL, PRIMARY KEY (agent, seq));
CREATE UNIQUE INDEX chain_order ON chain (ord);
CREATE INDEX chain_document ON chain (document) WHERE document IS NOT NULL;
CREATE INDEX chain_file ON chain (file) WHERE file IS NOT NULL;
CREATE TABLE archives (
  agent integer NOT NULL, to_seq bigint NOT NULL, to_hash text NOT NULL, to_ord bigint NOT NULL, until bigint NOT NULL, file text NOT NULL,
  PRIMARY KEY (agent, to_seq));
CREATE TABLE leads (folder bigint PRIMARY KEY, agent integer NOT NULL, epoch bigint NOT NULL);
CREATE INDEX leads_agent ON leads (agent);
CREATE TABLE erasures (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, agent integer NOT NULL, first bigint NOT NULL, last bigint NOT NULL);
CREATE INDEX erasures_agent ON erasures (agent);`;

const TYPES = { id: 'bigint PRIMARY KEY', int: 'bigint', text: 'text COLLATE "C"' };

/**
 * With its defaults, autovacuum waits for a fifth of a table: of 100 million documents 20 million dead versions, which lie at the head of the queue. The
 * first 50,000 keep small ledgers from being vacuumed all the time. Counts are few rows that change all the time.
 */
const UPKEEP = `
ALTER TABLE documents SET (autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.002,
                           autovacuum_analyze_scale_factor = 0.01, vacuum_index_cleanup = on);
ALTER TABLE attempts SET (autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE files SET (autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE counts SET (fillfactor = 50);
ALTER TABLE requests SET (fillfactor = 50);`;

/** Null if there are none. */
async function versionOf(connection: Pick<Sql, 'get'>): Promise<number | null> {
  // Not with to_regclass: within a transaction, it may cache that a table is missing which another one has created since.
  const there = await connection.get(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'receiptd' AND c.relname = 'tables'`,
  );
  if (!there) return null;
  return (await connection.get<{ version: number }>('SELECT version FROM receiptd.tables'))?.version ?? null;
}

/**
 * Makes the tables, or makes those of an older version anew, empty: the next start fills them from the chains.
 * @throws ReceiptdError LEDGER_NEWER; LEDGER_OLDER if this role may not make tables
 */
export async function prepareTables(connection: Connection, where: string): Promise<void> {
  if ((await versionOf(connection)) === SCHEMA_VERSION) return;
  await connection.exec('BEGIN');
  try {
    await lockTables(connection);
    const version = await versionOf(connection);
    if (version !== null && version > SCHEMA_VERSION) throw newer(where, version);
    // Else another agent was faster, and this role need not have the right.
    if (version !== SCHEMA_VERSION) {
      if (version !== null) await requireWholeChains(connection, where);
      if (version === null) await connection.exec(`CREATE SCHEMA IF NOT EXISTS receiptd; ${BESIDE}`);
      await emptyTables(connection, version !== null);
      // They were those of the tables before.
      if (version !== null) await grantRights(connection, null);
    }
    await connection.exec('COMMIT');
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {});
    if (systemCode(error) === '42501')
      throw new ReceiptdError('LEDGER_OLDER.inDatabase', { where }, { cause: error });
    throw error;
  }
}

/**
 * For those that only read.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, LEDGER_NEWER; LEDGER_UNREACHABLE while the tables are made anew
 */
export async function requireTables(sql: Pick<Sql, 'get'>, where: string): Promise<void> {
  const version = await versionOf(sql);
  if (version === null) throw new ReceiptdError('LEDGER_MISSING.inDatabase', { where });
  if (version > SCHEMA_VERSION) throw newer(where, version);
  if (version < SCHEMA_VERSION) throw new ReceiptdError('LEDGER_OLDER.inDatabase', { where });
  const tables = await sql.get<{ readonly behind: number | null }>('SELECT behind FROM tables');
  if (tables?.behind !== null) throw madeAnew(where);
}

/** Within a transaction: until its end, nobody makes them anew. */
export async function lockTables(connection: Connection): Promise<void> {
  await connection.run('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
}

/**
 * Before tables are made anew from the chains.
 * @throws ReceiptdError LEDGER_REFUSED if these don't begin with their first lines any more
 */
export async function requireWholeChains(sql: Pick<Sql, 'get'>, where: string): Promise<void> {
  if (await sql.get('SELECT FROM archives LIMIT 1'))
    throw new ReceiptdError('LEDGER_REFUSED.historyArchived', { where });
}

/** Within a transaction. */
async function emptyTables(connection: Connection, hasChains: boolean): Promise<void> {
  await connection.exec(`DROP TABLE IF EXISTS ${[...TABLE_NAMES, ...Object.keys(COUNTED)].join(', ')};
    ${createTables(TYPES)} ${UPKEEP}
    DELETE FROM tables; INSERT INTO tables VALUES (${SCHEMA_VERSION}, ${hasChains ? 0 : 'NULL'})`);
}

export function madeAnew(where: string): ReceiptdError {
  return new ReceiptdError('LEDGER_UNREACHABLE.connection', {
    where,
    detail: 'tablesAnew',
  });
}

export function newer(where: string, version: number): ReceiptdError {
  return new ReceiptdError('LEDGER_NEWER.inDatabase', { where, version, known: SCHEMA_VERSION });
}

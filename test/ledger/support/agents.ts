import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { systemClock } from '../../../src/system/systemClock.ts';
import { startSqlite } from '../../../src/ledger/sqlite/start.ts';
import { Member, type MemberOptions } from '../../../src/ledger/fleet/member.ts';
import type { LedgerCore } from '../../../src/ledger/ledger.ts';
import { journalPathOf } from '../../../src/ledger/sqlite/files.ts';
import { SCHEMA_VERSION } from '../../../src/ledger/postgres/tables.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { freshDatabase, type FreshDatabase } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

export function agentOptions(url: string, name = 'one', more: Partial<MemberOptions> = {}): MemberOptions {
  return {
    target: { url, passwordFile: null, caFile: null },
    name,
    instance: randomUUID(),
    version: '0.0.0',
    leaseMs: 15_000,
    shares: new Map(),
    clock: systemClock,
    random: Math.random,
    log: new RecordedLog(),
    ...more,
  };
}

export async function openPostgres(
  url: string,
  name?: string,
  more?: Partial<MemberOptions>,
): Promise<Member> {
  const agent = new Member(agentOptions(url, name, more));
  await agent.start();
  return agent;
}

const clients = new Map<string, Promise<Client>>();

/** Runs one query on a connection that nothing else uses, and that lasts as long as the database: to connect takes longer than most queries. */
export async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const connected = clients.get(url) ?? connect(url);
  clients.set(url, connected);
  return (await (await connected).query(text, values)).rows as Row[];
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: '-c search_path=receiptd' });
  client.on('error', () => {});
  client.on('end', () => clients.delete(url));
  try {
    await client.connect();
  } catch (error) {
    clients.delete(url);
    throw error;
  }
  return client;
}

const EMPTY = `DO $$
DECLARE each text;
BEGIN
  FOR each IN SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('receiptd') AND relkind = 'r' LOOP
    EXECUTE format('DELETE FROM receiptd.%I', each);
  END LOOP;
  IF to_regclass('receiptd.tables') IS NOT NULL THEN
    INSERT INTO receiptd.tables VALUES (${SCHEMA_VERSION});
    ALTER TABLE receiptd.agents ALTER id RESTART;
    ALTER TABLE receiptd.chain ALTER ord RESTART;
  END IF;
END $$`;

/** SQLSTATE of a deadlock (PostgreSQL, Appendix A). */
const DEADLOCK = '40P01';

/** Leaves a ledger as its tables were made. Its agents must be closed; the server may still be ending their last statements. */
export async function emptyLedger(url: string): Promise<void> {
  await ask(url, EMPTY).catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || error.code !== DEADLOCK) throw error;
    return ask(url, EMPTY);
  });
}

/** One database for the tests of a file, emptied after each, when its agents are closed: to make one with its tables takes longer than most tests. */
export function databaseOfEachTest(): Pick<FreshDatabase, 'url' | 'name'> {
  let database: FreshDatabase;
  beforeAll(async () => void (database = await freshDatabase()));
  afterEach(() => emptyLedger(database.url));
  afterAll(() => database?.remove());
  return {
    get url() {
      return database.url;
    },
    get name() {
      return database.name;
    },
  };
}

export interface OpenFile {
  readonly core: LedgerCore;
  readonly path: string;
  readonly journal: string;
  /** Starts again without the journal. */
  loseJournal(): Promise<LedgerCore>;
  close(): Promise<void>;
}

/** A ledger in a folder of its own. */
export async function openSqlite(now: () => number = Date.now): Promise<OpenFile> {
  const dir = mkdtempSync(join(memoryDirectory(), 'receiptd-ledger-'));
  const path = join(dir, 'ledger.db');
  const journal = journalPathOf(path);
  const start = async (): Promise<LedgerCore> => (await startSqlite({ path, now, backups: () => [] })).core;
  const core = await start();
  let open = core;
  return {
    core,
    path,
    journal,
    async loseJournal() {
      await open.close();
      rmSync(journal);
      open = await start();
      return open;
    },
    async close() {
      await open.close();
      rmSync(dir, { recursive: true });
    },
  };
}

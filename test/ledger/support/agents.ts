import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { systemClock } from '../../../src/system/systemClock.ts';
import { startSqlite } from '../../../src/ledger/sqlite/start.ts';
import { Member, type MemberOptions } from '../../../src/ledger/fleet/member.ts';
import type { LedgerCore } from '../../../src/ledger/ledger.ts';
import { journalPathOf } from '../../../src/ledger/sqlite/files.ts';
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

/** Runs one query on a connection of its own. */
export async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url, options: '-c search_path=receiptd' });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
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
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-ledger-'));
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

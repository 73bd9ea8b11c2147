import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileIdentity } from '../../src/core/domain/document.ts';
import { apply } from '../../src/ledger/sqlite/apply.ts';
import { toJournal, type LedgerEvent } from '../../src/ledger/events.ts';
import { openLedgerAndJournal } from '../../src/ledger/sqlite/openLedgerAndJournal.ts';
import { leaveCleanShutdownMark } from '../../src/ledger/sqlite/cleanShutdownMark.ts';
import { SET_HEAD } from '../../src/ledger/sqlite/sql/journal.ts';
import { createSql } from '../../src/ledger/sqlite/statements.ts';
import { ENDPOINT } from './agent.ts';

export interface Entry {
  /** From 1, in order. */
  readonly number: number;
  readonly file: string;
  readonly sha256: string;
  readonly identity: FileIdentity;
}

export interface Filling {
  /** Path of a ledger that has no documents or does not exist. */
  readonly path: string;
  readonly baseUrl: string;
  readonly folder: string;
  readonly state: 'accepted' | 'queued';
  readonly entries: Iterable<Entry>;
}

/** Documents per transaction. */
const BATCH = 1_000;
/** Interval between arrivals: a million documents take about a day. */
const APART_MS = 100;
const RESPONSE = JSON.stringify({ status: 'PROCESSING' });

/**
 * Writes the same events, journal and rows as the agent, but faster: without look-ups (nothing is known yet) and with one
 * commit for many documents.
 */
export function fillLedger({ path, baseUrl, folder, state, entries }: Filling): void {
  const startedAt = Date.now();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { db, journal } = openLedgerAndJournal({
    path,
    backupsDir: join(dirname(path), 'backups'),
    at: startedAt,
    onMended: (story) => {
      throw new Error(story);
    },
  });
  // A large cache for the random hashes in the indexes. No syncs, because a partial ledger is useless.
  db.exec('PRAGMA cache_size = -400000; PRAGMA synchronous = OFF');
  const sql = createSql(db);
  const write = (batch: readonly Entry[]): void => {
    db.exec('BEGIN IMMEDIATE');
    const told = batch.flatMap((entry) => {
      const at = startedAt + entry.number * APART_MS - 1_000_000 * APART_MS;
      return eventsOf(entry, { baseUrl, folder, state }).map((event) => {
        apply(sql, event, at);
        return toJournal(event, at);
      });
    });
    sql.run(SET_HEAD, { ...journal.append(told) });
    db.exec('COMMIT');
  };
  try {
    let batch: Entry[] = [];
    for (const entry of entries) {
      if (batch.push(entry) < BATCH) continue;
      write(batch);
      batch = [];
    }
    if (batch.length > 0) write(batch);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    sql.forget();
    db.close();
    journal.close();
  }
  // Leaves the mark of a clean shutdown, as the agent does.
  leaveCleanShutdownMark(path, startedAt, Date.now());
}

function eventsOf(
  { number, file, sha256, identity }: Entry,
  { baseUrl, folder, state }: Pick<Filling, 'baseUrl' | 'folder' | 'state'>,
): LedgerEvent[] {
  const { size } = identity;
  const image = { document: number, sha256, size, folder, path: file };
  const seen = { supersedes: null, verdict: 'document', policy: null, reason: null, message: null } as const;
  const arrived: LedgerEvent[] = [
    {
      kind: 'named',
      ...image,
      endpoint: { baseUrl, uid: ENDPOINT },
      name: `${file.replace(/\.\w+$/, '')}-${sha256.slice(0, 12)}`,
      type: 'jpeg',
      lane: 'backlog',
      line: number,
      seq: null,
    },
    {
      kind: 'sighted',
      ...image,
      ...seen,
      sighting: number,
      mtimeNs: String(identity.mtimeNs),
      ctimeNs: String(identity.ctimeNs),
      inode: String(identity.inode),
    },
  ];
  if (state === 'queued') return arrived;
  const attempt = { attempt: number, document: number };
  return [
    ...arrived,
    { kind: 'began', ...attempt, bytes: size },
    { kind: 'ended', ...attempt, outcome: 'accepted', httpStatus: 200, message: null },
    { kind: 'moved', documents: [number], state: 'accepted', status: 'PROCESSING', response: RESPONSE },
  ];
}

function fileName(number: number): string {
  return `SCAN${String(number).padStart(7, '0')}.jpg`;
}

/** Invented files that nothing searches for. */
export function* imaginedFiles(count: number): Generator<Entry> {
  for (let number = 1; number <= count; number += 1) {
    const file = fileName(number);
    const sha256 = createHash('sha256').update(file).digest('hex');
    const identity = { size: 1_000_000, mtimeNs: 1n, ctimeNs: 1n, inode: BigInt(number) };
    yield { number, file, sha256, identity };
  }
}

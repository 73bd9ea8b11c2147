import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { messageOf, ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalEvent } from '../../core/ports/journal.ts';
import { blankInJournal, createJournal, openJournal, type Journal } from '../journal/journal.ts';
import { backupsIn } from './backup.ts';
import { openForWriting, rewriteFile } from './connection.ts';
import { toJournal, type LedgerEvent } from '../events.ts';
import { damageMarkOf, journalPathOf, lastAside, markDamaged, setAside } from './files.ts';
import { rebuild } from './rebuild.ts';
import { snapshot, type Told } from './snapshot.ts';
import { takeCleanShutdownMark } from './cleanShutdownMark.ts';
import { END_ERASURE, PENDING_ERASURES, SET_HEAD } from './sql/journal.ts';
import { bringTogether, catchUp, headOf, standingOf } from './standing.ts';
import { createSql } from './statements.ts';

export interface LedgerAndJournal {
  readonly db: DatabaseSyncInstance;
  readonly journal: Journal;
  /** When the ledger was last checked and found sound; `at` if it was checked now. */
  readonly lookedAt: number;
}

export interface LedgerAndJournalOptions {
  readonly path: string;
  readonly backupsDir: string;
  readonly at: number;
  /** Called with each repair that was needed, in sentences. */
  readonly onMended: (story: string) => void;
}

/** Entries of a snapshot that are appended at once. */
const BATCH = 1_000;

/**
 * Opens ledger and journal, and repairs them until they agree:
 *
 *   neither                          ▶ both are created
 *   journal ahead of the ledger      ▶ a crash came between the two: the ledger replays the entries
 *   ledger damaged, gone or outdated ▶ set aside and rebuilt (rebuild.ts)
 *   journal damaged, gone or behind  ▶ set aside; a new one continues the chain from the ledger's head
 *   both damaged                     ▶ first the ledger, from what is readable, then the journal
 *
 * A ledger that was shut down cleanly and agrees with its journal is not checked again (cleanShutdownMark.ts).
 *
 * @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER
 */
export function openLedgerAndJournal(options: LedgerAndJournalOptions): LedgerAndJournal {
  const journalPath = journalPathOf(options.path);
  const found = findJournal(journalPath);
  let db: DatabaseSyncInstance | null = null;
  let journal: Journal | null = null;
  try {
    let lookedAt: number;
    ({ db, lookedAt } = openOrRemake(options, found));
    if (found.journal !== null && standingOf(db, found.journal, journalPath) === 'outdated') {
      db.close();
      db = remake(options, found.journal, `The ledger ${options.path} is older than its journal.`);
    }
    const damage = found.damage ?? bringTogether(db, found.journal, journalPath);
    if (found.journal === null || damage !== null || standingOf(db, found.journal, journalPath) !== 'same') {
      if (found.damage !== null) catchUp(db, journalPath, () => {});
      found.journal?.close();
      journal = beginJournal(db, { ...options, journalPath, damage });
    } else journal = found.journal;
    // What was just created or replayed must not depend on a WAL that was never synced.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    finishErasures(db, journalPath);
    return { db, journal, lookedAt };
  } catch (error) {
    if (found.journal !== journal) found.journal?.close();
    journal?.close();
    if (db?.isOpen) db.close();
    throw error;
  }
}

function openOrRemake(
  options: LedgerAndJournalOptions,
  found: FoundJournal,
): Pick<LedgerAndJournal, 'db' | 'lookedAt'> {
  const { path, at } = options;
  const markedAt = takeCleanShutdownMark(path);
  let lookedAt = at;
  const isKnownSound = (db: DatabaseSyncInstance): boolean => {
    if (markedAt === null || found.journal === null) return false;
    if (standingOf(db, found.journal, journalPathOf(path)) !== 'same') return false;
    lookedAt = markedAt;
    return true;
  };
  const damage = damageOf(options, found);
  if (damage !== null) return { db: remake(options, found.journal, damage), lookedAt };
  try {
    return { db: openForWriting(path, at, isKnownSound, options.backupsDir), lookedAt };
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code !== 'LEDGER_DAMAGED') throw error;
    return { db: remake(options, found.journal, error.message), lookedAt: at };
  }
}

interface FoundJournal {
  readonly journal: Journal | null;
  readonly damage: string | null;
}

function findJournal(journalPath: string): FoundJournal {
  try {
    return { journal: openJournal(journalPath), damage: null };
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'JOURNAL_DAMAGED')
      return { journal: null, damage: error.message };
    throw new ReceiptdError(
      'STATE_UNWRITABLE.journal',
      { path: journalPath, detail: messageOf(error) },
      { cause: error },
    );
  }
}

/** Why the ledger must be rebuilt even if it looks sound; null if it need not be. */
function damageOf(
  { path, backupsDir }: LedgerAndJournalOptions,
  { journal, damage }: FoundJournal,
): string | null {
  const mark = damageMarkOf(path);
  if (fs.existsSync(mark)) return fs.readFileSync(mark, 'utf8').trim();
  if (fs.existsSync(path)) return null;
  const log = fs.statSync(`${path}-wal`, { throwIfNoEntry: false });
  // A crash during the very first start leaves a journal without content.
  const isFirst =
    (journal === null || journal.head.seq === 1) &&
    damage === null &&
    !log?.size &&
    backupsIn(backupsDir).length === 0;
  return isFirst ? null : `The ledger ${path} is gone.`;
}

function remake(
  options: LedgerAndJournalOptions,
  journal: Journal | null,
  because: string,
): DatabaseSyncInstance {
  const { path, backupsDir, at, onMended } = options;
  const isAnew = fs.existsSync(damageMarkOf(path));
  // If the agent crashes before the rebuilt ledger is in place, the next start must not take it for a first start.
  markDamaged(path, because);
  const damaged = setAside(path, at) ?? (isAnew ? lastAside(path) : null);
  const ledger = journal?.head.ledger ?? null;
  const journalPath = journalPathOf(path);
  const { story, fromSeq } = rebuild({ path, journalPath, ledger, backupsDir, damaged, at });
  fs.rmSync(damageMarkOf(path), { force: true });
  const kept = damaged === null ? [] : [`The damaged file is kept as ${damaged}.`];
  onMended([because, 'The ledger was rebuilt.', ...story, ...kept].join(' '));
  const db = openForWriting(path, at);
  if (journal) append(db, journal, [{ kind: 'rebuilt', because, fromSeq }], at);
  return db;
}

/** Creates a journal file for a ledger with or without rows. */
function beginJournal(
  db: DatabaseSyncInstance,
  {
    journalPath,
    at,
    damage,
    onMended,
  }: LedgerAndJournalOptions & { journalPath: string; damage: string | null },
): Journal {
  const head = headOf(db);
  const aside = setAside(journalPath, at);
  const ledger = head?.ledger ?? randomUUID();
  const why = damage ?? 'The journal was gone.';
  const because = head === null ? 'The ledger was made.' : why;
  if (head !== null || damage !== null) {
    const kept = aside === null ? '' : ` The old file is kept as ${aside}.`;
    onMended(`${why} A new one continues from entry ${head?.seq ?? 0}.${kept}`);
  }
  const first: LedgerEvent = { kind: head === null ? 'begun' : 'continued', ledger, because };
  const sql = createSql(db);
  const journal = createJournal(journalPath, toJournal(first, at), head, { told: batchesOf(snapshot(sql)) });
  sql.run(SET_HEAD, { ...journal.head });
  sql.forget();
  return journal;
}

function* batchesOf(all: Iterable<Told>): Generator<JournalEvent[]> {
  let batch: JournalEvent[] = [];
  for (const { event, at } of all) {
    batch.push(toJournal(event, at));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function append(
  db: DatabaseSyncInstance,
  journal: Journal,
  events: readonly LedgerEvent[],
  at: number,
): void {
  const sql = createSql(db);
  journal.append(events.map((event) => toJournal(event, at)));
  sql.run(SET_HEAD, { ...journal.head });
  sql.forget();
}

/** A crash may have come after an erasure was recorded and before its entries were blank. */
function finishErasures(db: DatabaseSyncInstance, journalPath: string): void {
  const sql = createSql(db);
  const pending = sql.all<{ entries: string }>(PENDING_ERASURES);
  for (const { entries } of pending) {
    const ranges: [from: number, to: number][] = JSON.parse(entries);
    blankInJournal(journalPath, ranges);
  }
  try {
    if (pending.length > 0) rewriteFile(db);
    for (const { entries } of pending) sql.run(END_ERASURE, { entries });
  } catch {
    // The disk is full, say: the next start tries again.
  }
  sql.forget();
}

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { messageOf, ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import {
  blankInJournal,
  createJournal,
  damagedJournal,
  openJournal,
  readJournal,
  type Journal,
  type JournalFault,
} from '../journal/journal.ts';
import { backupsIn } from './backup.ts';
import { openForWriting } from './connection.ts';
import { toJournal, type LedgerEvent } from '../events.ts';
import { damageMarkOf, journalPathOf, lastAside, markDamaged, setAside } from './files.ts';
import { isPartOf, rebuild } from './rebuild.ts';
import { replay } from './replay.ts';
import { snapshot, type Told } from './snapshot.ts';
import { takeCleanShutdownMark } from './cleanShutdownMark.ts';
import { END_ERASURE, HEAD, HOLDS_SOMETHING, PENDING_ERASURES, SET_HEAD } from './sql/journal.ts';
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
    if (found.journal === null || damage !== null || !isSame(db, found.journal, journalPath)) {
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
    if (!isSame(db, found.journal, journalPathOf(path))) return false;
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

/** Replays what a crash left the ledger without. Returns what is wrong with the journal, or null. */
function bringTogether(
  db: DatabaseSyncInstance,
  journal: Journal | null,
  journalPath: string,
): string | null {
  if (journal === null) return null;
  switch (standingOf(db, journal, journalPath)) {
    case 'same':
    case 'outdated':
      return null;
    case 'foreign':
      return foreign(headOf(db), journal.head);
    case 'behind': {
      let damage: string | null = null;
      catchUp(db, journalPath, ({ after, what }) => {
        damage ??= damagedJournal(journalPath, after + 1, what).message;
      });
      return damage;
    }
  }
}

function isSame(db: DatabaseSyncInstance, journal: Journal, journalPath: string): boolean {
  return standingOf(db, journal, journalPath) === 'same';
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
      'STATE_UNWRITABLE',
      `The journal ${journalPath} can't be opened: ${messageOf(error)}.`,
      {
        hint: 'Check the disk, and the permissions of the file and its directory.',
        cause: error,
      },
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

/**
 * How a ledger relates to a sound journal. `behind`: it lacks the last entries, as after a crash. `outdated`: it is
 * older than the file, which begins with a complete snapshot. `foreign`: the journal belongs to another ledger, or
 * lacks its own end.
 */
function standingOf(
  db: DatabaseSyncInstance,
  journal: Journal,
  journalPath: string,
): 'same' | 'behind' | 'outdated' | 'foreign' {
  const head = headOf(db);
  const last = journal.head;
  if (head === null) {
    // A ledger with content but no head is older than journals: a new journal must record its content.
    if (!isEmpty(db)) return 'foreign';
    return last.seq === 1 ? 'behind' : 'outdated';
  }
  if (head.ledger !== last.ledger) return 'foreign';
  if (head.seq === last.seq) return head.hash === last.hash ? 'same' : 'foreign';
  if (last.seq < head.seq) return 'foreign';
  return isPartOf(head, last.ledger, journalPath) ? 'behind' : 'outdated';
}

function foreign(head: JournalHead | null, last: JournalHead): string | null {
  if (head === null) return null;
  if (head.ledger === last.ledger && last.seq < head.seq)
    return `The journal ended at entry ${last.seq}, but the ledger has entries up to ${head.seq}.`;
  return 'The journal did not belong to the ledger.';
}

/** Replays whatever is readable of the journal after the ledger's head, even if it is damaged. */
function catchUp(
  db: DatabaseSyncInstance,
  journalPath: string,
  onFault: (fault: JournalFault) => void,
): void {
  const head = headOf(db) ?? (isEmpty(db) ? beginningOf(journalPath) : null);
  if (head === null || (head.seq > 0 && !isPartOf(head, head.ledger, journalPath))) return;
  const { misfits } = replay(db, head.ledger, readJournal(journalPath, head.seq, { lenient: true, onFault }));
  for (const seq of misfits) onFault({ after: seq - 1, what: 'it does not fit what comes before it' });
}

/** The head before the journal's first entry; null if the journal does not name its ledger. */
function beginningOf(journalPath: string): JournalHead | null {
  for (const { facts } of readJournal(journalPath, 0, { lenient: true })) {
    const { ledger } = facts;
    return typeof ledger === 'string' ? { ledger, seq: 0, hash: '' } : null;
  }
  return null;
}

function isEmpty(db: DatabaseSyncInstance): boolean {
  const sql = createSql(db);
  const row = sql.get(HOLDS_SOMETHING);
  sql.forget();
  return row === undefined;
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
    sql.run(END_ERASURE, { entries });
  }
  sql.forget();
}

function headOf(db: DatabaseSyncInstance): JournalHead | null {
  const sql = createSql(db);
  const head = sql.get<JournalHead>(HEAD);
  sql.forget();
  return head ? { ...head } : null;
}

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { ReceiptdError } from '../../domain/errors.ts';
import type { JournalEvent, JournalHead } from '../../ports/journal.ts';
import {
  blankInJournal,
  createJournal,
  damagedJournal,
  openJournal,
  readJournal,
  type Journal,
  type JournalFault,
} from '../journal/journal.ts';
import { openForWriting } from './connection.ts';
import { toJournal, type LedgerEvent } from './events.ts';
import { damageMarkOf, journalPathOf, lastAside, markDamaged, setAside } from './files.ts';
import { isPartOf, rebuild } from './rebuild.ts';
import { replay } from './replay.ts';
import { snapshot } from './snapshot.ts';
import { END_ERASURE, HEAD, PENDING_ERASURES, SET_HEAD } from './sql/journal.ts';
import { createSql } from './statements.ts';

export interface Pair {
  readonly db: DatabaseSyncInstance;
  readonly journal: Journal;
}

export interface PairOptions {
  readonly path: string;
  readonly backupsDir: string;
  readonly at: number;
  /** Told what had to be mended, in sentences. */
  readonly onMended: (story: string) => void;
}

/** Entries of a snapshot that are appended at once. */
const BATCH = 1_000;

/**
 * Opens ledger and journal so that both say the same, whatever became of either:
 *
 *   neither                         ▶ both are begun
 *   journal ahead of the ledger     ▶ a crash came between the two: the ledger takes the entries over
 *   ledger damaged or gone          ▶ set aside and rebuilt (rebuild.ts)
 *   journal damaged, gone or behind ▶ set aside; a new one continues the chain from the head that the ledger holds
 *   both damaged                    ▶ the ledger first, from what can be read, then the journal
 *
 * @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER
 */
export function openPair(options: PairOptions): Pair {
  const { path, at, onMended } = options;
  const journalPath = journalPathOf(path);
  const found = findJournal(journalPath);
  let journal = found.journal;
  let db: DatabaseSyncInstance | null = null;
  try {
    const damage = damageOf(options, found);
    if (damage === null) {
      try {
        db = openForWriting(path, at);
      } catch (error) {
        if (!(error instanceof ReceiptdError) || error.code !== 'LEDGER_DAMAGED') throw error;
        db = remake(options, journal, error.message);
      }
    } else db = remake(options, journal, damage);
    const head = headOf(db);
    let journalDamage = found.damage;
    const onFault = ({ after, what }: JournalFault): void => {
      journalDamage ??= damagedJournal(journalPath, after + 1, what).message;
    };
    if (journal === null || head === null || !isContinued(db, journal, head, journalPath, onFault)) {
      journal?.close();
      journal = null;
      if (journalDamage !== null) onMended(`The journal was damaged: ${journalDamage}`);
      // Asked again: what could be taken over has moved it.
      journal = beginJournal(db, headOf(db), { ...options, journalPath, damage: journalDamage });
    }
    finishErasures(db, journalPath);
    return { db, journal };
  } catch (error) {
    journal?.close();
    db?.close();
    throw error;
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
      'STATE_UNWRITABLE',
      `The journal ${journalPath} can't be opened: ${words(error)}.`,
      {
        hint: 'Check the disk, and the permissions of the file and its directory.',
        cause: error,
      },
    );
  }
}

/** Why the ledger must be made anew although it may look well; null where it is as it should be. */
function damageOf({ path }: PairOptions, { journal, damage }: FoundJournal): string | null {
  const mark = damageMarkOf(path);
  if (fs.existsSync(mark)) return fs.readFileSync(mark, 'utf8').trim();
  if (fs.existsSync(path)) return null;
  const log = fs.statSync(`${path}-wal`, { throwIfNoEntry: false });
  // A crash in the very first moment leaves a journal with nothing in it.
  const isFirst = (journal === null || journal.head.seq === 1) && damage === null && !log?.size;
  return isFirst ? null : `The ledger ${path} is gone.`;
}

function remake(options: PairOptions, journal: Journal | null, because: string): DatabaseSyncInstance {
  const { path, backupsDir, at, onMended } = options;
  const isAnew = fs.existsSync(damageMarkOf(path));
  // A kill before the rebuilt one is in its place must not look like a ledger that never was.
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

/** True once the ledger holds every entry of the journal. Where that is damaged it holds what can be read of it. */
function isContinued(
  db: DatabaseSyncInstance,
  journal: Journal,
  head: JournalHead,
  journalPath: string,
  onFault: (fault: JournalFault) => void,
): boolean {
  if (head.ledger === journal.head.ledger && head.seq === journal.head.seq) {
    if (head.hash === journal.head.hash) return true;
  }
  if (journal.head.seq <= head.seq || !isPartOf(head, journal.head.ledger, journalPath)) return false;
  let isSound = true;
  const entries = readJournal(journalPath, head.seq, {
    lenient: true,
    onFault(fault) {
      isSound = false;
      onFault(fault);
    },
  });
  const { misfits } = replay(db, head.ledger, entries);
  return isSound && misfits.length === 0;
}

/** A new journal file for a ledger that has rows already, or none. */
function beginJournal(
  db: DatabaseSyncInstance,
  head: JournalHead | null,
  { journalPath, at, damage, onMended }: PairOptions & { journalPath: string; damage: string | null },
): Journal {
  const aside = setAside(journalPath, at);
  const ledger = head?.ledger ?? randomUUID();
  const why =
    damage ?? (aside === null ? 'The journal was gone.' : 'The journal did not belong to the ledger.');
  const because = head === null ? 'The ledger was made.' : why;
  if (head !== null) {
    const kept = aside === null ? '' : ` The old file is kept as ${aside}.`;
    onMended(`${why} A new one goes on from entry ${head.seq}.${kept}`);
  }
  const first: LedgerEvent = { kind: head === null ? 'begun' : 'continued', ledger, because };
  const journal = createJournal(journalPath, toJournal(first, at), head);
  const sql = createSql(db);
  let batch: JournalEvent[] = [];
  for (const told of snapshot(sql)) {
    batch.push(toJournal(told.event, told.at));
    if (batch.length < BATCH) continue;
    journal.append(batch);
    batch = [];
  }
  journal.append(batch);
  sql.run(SET_HEAD, { ...journal.head });
  sql.forget();
  return journal;
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

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

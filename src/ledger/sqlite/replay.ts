import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { JournalEntry } from '../../core/ports/journal.ts';
import { apply } from './apply.ts';
import { fromJournal } from '../events.ts';
import { isStoreFailure } from './failure.ts';
import { SET_HEAD } from './sql/journal.ts';
import { createSql } from './statements.ts';

/** Entries per transaction. */
const BATCH = 2_000;

export interface Replayed {
  readonly entries: number;
  /** Numbers of entries that did not fit the existing rows: at most the first hundred. */
  readonly misfits: readonly number[];
}

/**
 * Brings a ledger up to date with the journal. Each transaction also moves the ledger's head, so that a crash in
 * between can be resumed. Skips and reports an entry that does not fit (because a damaged journal lacks an earlier
 * one).
 */
export function replay(db: DatabaseSyncInstance, ledger: string, entries: Iterable<JournalEntry>): Replayed {
  const sql = createSql(db);
  const misfits: number[] = [];
  let count = 0;
  let head: { seq: number; hash: string } | null = null;
  const commit = (): void => {
    if (head) sql.run(SET_HEAD, { ledger, ...head });
    db.exec('COMMIT');
  };
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const entry of entries) {
      sql.run('SAVEPOINT entry');
      try {
        apply(sql, fromJournal(entry), entry.at);
      } catch (error) {
        if (isStoreFailure(error)) throw error;
        sql.rollback('ROLLBACK TO entry');
        if (misfits.length < 100) misfits.push(entry.seq);
      }
      sql.run('RELEASE entry');
      head = { seq: entry.seq, hash: entry.hash };
      count += 1;
      if (count % BATCH === 0) {
        commit();
        db.exec('BEGIN IMMEDIATE');
      }
    }
    commit();
  } catch (error) {
    sql.rollback('ROLLBACK');
    throw error;
  } finally {
    sql.forget();
  }
  return { entries: count, misfits };
}

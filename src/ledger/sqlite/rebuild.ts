import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import { readJournal } from '../journal/journal.ts';
import { apply } from './apply.ts';
import { backupsIn, checkBackup } from './backup.ts';
import { isStoreFailure } from './failure.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { syncFile } from './files.ts';
import { migrate } from './migrate.ts';
import { replay } from './replay.ts';
import { snapshot } from './snapshot.ts';
import { createSql } from './statements.ts';

export interface RebuildSources {
  readonly path: string;
  readonly journalPath: string;
  /** Id of the ledger; null if no journal records it. */
  readonly ledger: string | null;
  readonly backupsDir: string;
  /** A damaged ledger that was set aside: its readable rows are used if no other source has them. */
  readonly damaged: string | null;
  readonly at: number;
}

export interface Rebuilt {
  /** What was done, in sentences. */
  readonly story: readonly string[];
  /** Number of the last journal entry in the backup; 0 without one. */
  readonly fromSeq: number;
  readonly backup: string | null;
}

/**
 * Rebuilds the ledger under a temporary name and renames it once complete: from the newest good backup, every journal
 * entry after it and, where the journal has gaps, whatever is readable in the damaged file. Anything still unknown is
 * found again in the folders, as new files.
 */
export function rebuild(sources: RebuildSources): Rebuilt {
  const { path, journalPath, ledger, damaged, at } = sources;
  const aside = `${path}.new`;
  for (const left of [aside, `${aside}-journal`, `${aside}-wal`, `${aside}-shm`])
    fs.rmSync(left, { force: true });
  const story: string[] = [];
  const found = goodBackup(sources, story);
  if (found) fs.copyFileSync(found.path, aside);
  else fs.closeSync(fs.openSync(aside, 'wx', 0o600));
  fs.chmodSync(aside, 0o600);
  const db = new DatabaseSync(aside, { enableForeignKeyConstraints: true });
  try {
    // Without a WAL, so that renaming the one file moves everything.
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF');
    migrate(db, versionOf(db), at);
    const fromSeq = found?.head.seq ?? 0;
    if (found) story.push(`Started from the backup ${found.path} (journal entry ${fromSeq}).`);
    let gaps = 0;
    if (ledger !== null) {
      const onFault = (): void => void (gaps += 1);
      const { entries, misfits } = replay(
        db,
        ledger,
        readJournal(journalPath, fromSeq, { lenient: true, onFault }),
      );
      story.push(`Applied ${entries} entries of the journal.`);
      if (gaps > 0) story.push(`The journal is damaged in ${gaps} places.`);
      if (misfits.length > 0) story.push(`Entries that could not be used: ${misfits.join(', ')}.`);
      gaps += misfits.length;
    }
    if (damaged !== null && (ledger === null || gaps > 0)) story.push(salvage(db, damaged));
    db.close();
    syncFile(aside);
    fs.renameSync(aside, path);
    syncDirectorySync(dirname(path));
    return { story, fromSeq, backup: found?.path ?? null };
  } catch (error) {
    if (db.isOpen) db.close();
    throw error;
  }
}

function goodBackup(
  { backupsDir, journalPath, ledger }: RebuildSources,
  story: string[],
): { path: string; head: JournalHead } | null {
  for (const path of backupsIn(backupsDir)) {
    try {
      const head = checkBackup(path);
      if (ledger === null || isPartOf(head, ledger, journalPath)) return { path, head };
      story.push(`The backup ${path} does not belong to the journal.`);
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      story.push(error.message);
    }
  }
  return null;
}

/** Whether the journal contains exactly this entry. */
export function isPartOf(head: JournalHead, ledger: string, journalPath: string): boolean {
  if (head.ledger !== ledger) return false;
  try {
    for (const entry of readJournal(journalPath, head.seq - 1, { lenient: true })) {
      return entry.seq === head.seq && entry.hash === head.hash;
    }
    return false;
  } catch {
    return false;
  }
}

/** Adds what a damaged ledger still contains: an image that it knows as accepted must not be sent again. */
function salvage(db: DatabaseSyncInstance, damaged: string): string {
  let lost = 0;
  let taken = 0;
  const sql = createSql(db);
  try {
    const old = new DatabaseSync(damaged, { readOnly: true });
    const oldSql = createSql(old);
    try {
      db.exec('BEGIN IMMEDIATE');
      for (const { event, at } of snapshot(oldSql, () => void (lost += 1))) {
        sql.run('SAVEPOINT row');
        try {
          apply(sql, event, at);
          taken += 1;
        } catch (error) {
          if (isStoreFailure(error)) throw error;
          // Already known from a better source.
          sql.rollback('ROLLBACK TO row');
        }
        sql.run('RELEASE row');
      }
      db.exec('COMMIT');
    } finally {
      oldSql.forget();
      old.close();
    }
  } catch (error) {
    sql.rollback('ROLLBACK');
    return `Nothing could be read from ${damaged}: ${messageOf(error)}.`;
  } finally {
    sql.forget();
  }
  const unreadable = lost > 0 ? ` ${lost} rows could not be read.` : '';
  return `Recovered ${taken} records from ${damaged}.${unreadable}`;
}

function versionOf(db: DatabaseSyncInstance): number {
  const sql = createSql(db);
  const row = sql.get<{ user_version: number }>('PRAGMA user_version');
  sql.forget();
  return row?.user_version ?? 0;
}

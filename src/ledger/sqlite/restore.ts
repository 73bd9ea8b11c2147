import fs from 'node:fs';
import { ReceiptdError } from '../../domain/errors.ts';
import type { JournalHead } from '../../ports/journal.ts';
import { openJournal } from '../journal/journal.ts';
import { checkBackup } from './backup.ts';
import { toJournal } from '../events.ts';
import { journalPathOf, setAside, syncFile } from './files.ts';
import { openPair } from './pair.ts';
import { isPartOf } from './rebuild.ts';
import { SET_HEAD } from './sql/journal.ts';
import { createSql } from './statements.ts';

export interface Restored {
  readonly head: JournalHead;
  readonly documents: number;
  /** Journal entries after the backup that were taken over. */
  readonly replayed: number;
  /** Where the ledger that was there before is kept; null if there was none. */
  readonly setAside: string | null;
  /** What had to be mended besides. */
  readonly story: readonly string[];
}

/**
 * Puts a backup into the ledger's place, and brings it to where the journal is: names that were given out and images
 * that were accepted since are not forgotten. The journal says so in an entry. The caller holds the instance lock.
 * @throws ReceiptdError BACKUP_FAILED, LEDGER_FOREIGN if the journal beside the ledger is another ledger's
 */
export function restoreBackup(options: {
  readonly path: string;
  readonly backup: string;
  readonly backupsDir: string;
  readonly at: number;
  /** Operating-system user. */
  readonly by: string;
}): Restored {
  const { path, backup, backupsDir, at, by } = options;
  const journalPath = journalPathOf(path);
  const from = checkBackup(backup);
  refuseForeign(from, backup, journalPath);
  const aside = setAside(path, at);
  fs.copyFileSync(backup, path, fs.constants.COPYFILE_EXCL);
  fs.chmodSync(path, 0o600);
  syncFile(path);
  const story: string[] = [];
  const { db, journal } = openPair({ path, backupsDir, at, onMended: (text) => void story.push(text) });
  const sql = createSql(db);
  try {
    // A journal that had to be begun anew gave nothing.
    const replayed = story.length === 0 ? journal.head.seq - from.seq : 0;
    const because = `Restored from ${backup} by ${by}.`;
    const head = journal.append([toJournal({ kind: 'restored', because, fromSeq: from.seq }, at)]);
    sql.run(SET_HEAD, { ...head });
    const documents = sql.get<{ count: number }>('SELECT count(*) AS count FROM documents')?.count ?? 0;
    return { head, documents, replayed, setAside: aside, story };
  } finally {
    sql.forget();
    db.close();
    journal.close();
  }
}

function refuseForeign(from: JournalHead, backup: string, journalPath: string): void {
  let ledger: string | null;
  try {
    const journal = openJournal(journalPath);
    ledger = journal?.head.ledger ?? null;
    journal?.close();
  } catch (error) {
    // A damaged journal is set aside, and one more reason to restore.
    if (error instanceof ReceiptdError) return;
    throw error;
  }
  if (ledger === null || isPartOf(from, ledger, journalPath)) return;
  const message =
    ledger === from.ledger
      ? `The journal ${journalPath} does not hold the entry that ${backup} ends with.`
      : `${backup} belongs to another ledger than the journal ${journalPath}.`;
  throw new ReceiptdError('LEDGER_FOREIGN', message, {
    hint: 'Name another backup. To go on from this one alone, and forget what the journal knows since, move the journal away first.',
  });
}

import fs from 'node:fs';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import { toJournal } from '../events.ts';
import { checkedLines } from '../journal/read.ts';
import { checkBackup } from './backup.ts';
import { journalPathOf, syncFile } from './files.ts';
import { openLedgerAndJournal } from './openLedgerAndJournal.ts';
import { SET_HEAD } from './sql/journal.ts';
import { createSql } from './statements.ts';

export interface Adopted {
  readonly head: JournalHead;
  readonly documents: number;
  /** Entries of the journal after the ledger that were taken over. */
  readonly replayed: number;
  /** What had to be mended, in sentences. */
  readonly story: readonly string[];
}

export interface AdoptOptions {
  readonly path: string;
  /** A ledger that can't be mended from its journal alone is from here on. */
  readonly backupsDir: string;
  readonly because: string;
  readonly at: number;
  /** Both were written by one agent at one moment, as a backup holds them: anything that has to be mended is a reason to refuse them. */
  readonly isPair: boolean;
}

/** Where entry `seq` ends in a journal, in bytes; null where it is not to be found with that hash. */
export function endOfEntry(journal: string, { seq, hash }: Pick<JournalHead, 'seq' | 'hash'>): number | null {
  for (const { raw, parsed } of checkedLines(journal, seq)) {
    if (parsed === null || parsed.entry.seq > seq) return null;
    if (parsed.entry.seq === seq)
      return parsed.entry.hash === hash ? raw.offset + (raw.bytes?.length ?? 0) + 1 : null;
  }
  return null;
}

/**
 * Opens the ledger of a backup, in a place of its own, with the journal that lies beside it there: brings it to the latest version, and to where
 * the journal is, so that names that were given out and images that were accepted since are not forgotten. The journal gets an entry that
 * says so; a new one goes on where there is none. Whole, durable and one file each when this returns.
 * @throws ReceiptdError BACKUP_FAILED, LEDGER_DAMAGED, STATE_UNWRITABLE
 */
export function adoptLedger({ path, backupsDir, because, at, isPair }: AdoptOptions): Adopted {
  const from = checkBackup(path);
  const story: string[] = [];
  const { db, journal } = openLedgerAndJournal({
    path,
    backupsDir,
    at,
    onMended: (text) => void story.push(text),
  });
  const sql = createSql(db);
  try {
    if (isPair && story.length > 0) throw unfit(path, story.join(' '));
    // A journal that had to be restarted gave nothing.
    const replayed = story.length === 0 ? journal.head.seq - from.seq : 0;
    const head = journal.append([toJournal({ kind: 'restored', because, fromSeq: from.seq }, at)]);
    sql.run(SET_HEAD, { ...head });
    const documents = sql.get<{ count: number }>('SELECT count(*) AS count FROM documents')?.count ?? 0;
    return { head, documents, replayed, story };
  } finally {
    sql.forget();
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    journal.close();
    intoNewFile(path);
    syncFile(journalPathOf(path));
  }
}

/**
 * SQLite ends a connection only when its last statement is collected, and puts its file in order then, by path: what is going
 * to be moved must be a file that this process never opened.
 */
function intoNewFile(path: string): void {
  const aside = `${path}.new`;
  fs.copyFileSync(path, aside, fs.constants.COPYFILE_EXCL);
  fs.chmodSync(aside, 0o600);
  syncFile(aside);
  if (fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size)
    throw unfit(path, 'its log could not be folded into it');
  fs.renameSync(aside, path);
}

function unfit(path: string, why: string): ReceiptdError {
  return new ReceiptdError('LEDGER_DAMAGED', `The ledger ${path} can't be used: ${why.replace(/\.$/, '')}.`);
}

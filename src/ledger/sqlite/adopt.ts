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
  /** Number of journal entries after the ledger that were replayed. */
  readonly replayed: number;
  /** Repairs that were needed, in sentences. */
  readonly story: readonly string[];
}

export interface AdoptOptions {
  readonly path: string;
  /** Source for a ledger that can't be repaired from its journal alone; the directory for its backups from now on. */
  readonly backupsDir: string;
  readonly because: string;
  readonly at: number;
  /** One agent wrote both at the same moment, as in a backup: if a repair is needed, they are refused. */
  readonly isPair: boolean;
}

/** End offset of entry `seq` in a journal; null if there is no entry with that number and hash. */
export function endOfEntry(journal: string, { seq, hash }: Pick<JournalHead, 'seq' | 'hash'>): number | null {
  for (const { raw, parsed } of checkedLines(journal, seq)) {
    if (parsed === null || parsed.entry.seq > seq) return null;
    if (parsed.entry.seq === seq)
      return parsed.entry.hash === hash ? raw.offset + (raw.bytes?.length ?? 0) + 1 : null;
  }
  return null;
}

/**
 * Opens the ledger of a backup, in a separate directory, with the journal next to it: upgrades it to the latest
 * version and replays the journal, so that names given out and images accepted since are not forgotten. An entry in the
 * journal records the restore; without a journal, a new one is begun. On return, both are complete, durable, and one
 * file each.
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
    // A journal that had to be restarted contributed nothing.
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
 * Copies the ledger to a new file. SQLite closes a connection only when its last statement is garbage-collected, and
 * then tidies its files by path: a file that will be moved must be one that this process never opened.
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
  return new ReceiptdError('LEDGER_DAMAGED.unfit', { path, detail: why.replace(/\.$/, '') });
}

import fs from 'node:fs';
import { ReceiptdError } from '../../domain/errors.ts';
import type { JournalHead } from '../../ports/journal.ts';
import { checkedLines } from '../journal/read.ts';
import { checkBackup } from './backup.ts';
import { toJournal } from '../events.ts';
import { journalPathOf, syncFile } from './files.ts';
import { openPair } from './pair.ts';
import { SET_HEAD } from './sql/journal.ts';
import { createSql } from './statements.ts';

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
 * Opens a ledger and its journal that came from elsewhere, in a place of their own, brings them to the latest version, and
 * says in the journal that they came. Whole, durable and one file each when this returns.
 * @throws ReceiptdError LEDGER_DAMAGED where they are not what one agent left behind; BACKUP_FAILED, STATE_UNWRITABLE
 */
export function adoptLedger(
  path: string,
  head: JournalHead,
  because: string,
  at: number,
): { readonly documents: number } {
  const found = checkBackup(path);
  const story: string[] = [];
  if (found.ledger !== head.ledger || found.seq !== head.seq || found.hash !== head.hash)
    throw unfit(path, 'it does not end where it should');
  if (endOfEntry(journalPathOf(path), found) === null)
    throw unfit(path, 'its journal does not end as it does');
  const { db, journal } = openPair({
    path,
    backupsDir: `${path}.none`,
    at,
    onMended: (text) => void story.push(text),
  });
  const sql = createSql(db);
  try {
    if (story.length > 0) throw unfit(path, story.join(' '));
    sql.run(SET_HEAD, {
      ...journal.append([toJournal({ kind: 'restored', because, fromSeq: found.seq }, at)]),
    });
    return { documents: sql.get<{ count: number }>('SELECT count(*) AS count FROM documents')?.count ?? 0 };
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
  return new ReceiptdError(
    'LEDGER_DAMAGED',
    `The ledger ${path} can't be taken over: ${why.replace(/\.$/, '')}.`,
  );
}

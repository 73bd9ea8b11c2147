import fs from 'node:fs';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import { backupsIn } from './backup.ts';
import { journalPathOf, syncFile } from './files.ts';
import { isFault } from '../../core/messages.ts';
import { startSqlite } from './start.ts';
import { checkBackup } from './backup.ts';
import { factOf, within, type Detail } from '../../core/domain/why.ts';

export interface Adopted {
  readonly head: JournalHead;
  readonly documents: number;
  /** Number of journal entries behind the ledger that were folded. */
  readonly replayed: number;
  /** What had to be mended, as messages. */
  readonly story: readonly string[];
}

export interface AdoptOptions {
  readonly path: string;
  /** Source of rows that nothing else has; the directory for its backups from now on. */
  readonly backupsDir: string;
  readonly because: string;
  readonly at: number;
  /** One agent wrote both at the same moment, as in a backup: if something has to be mended, they are refused. */
  readonly isPair: boolean;
}

/**
 * Opens the ledger of a backup, in a separate directory, with the journal next to it: the start folds what the ledger lacks, so that names given out and
 * images accepted since are not forgotten. An entry records the restore; without a journal, a new one is begun. On return, both are complete, durable, and
 * one file each.
 * @throws ReceiptdError BACKUP_FAILED, LEDGER_DAMAGED, STATE_UNWRITABLE
 */
export async function adoptLedger({ path, backupsDir, because, at, isPair }: AdoptOptions): Promise<Adopted> {
  const from = checkBackup(path);
  const story: string[] = [];
  const { core, engine } = await startSqlite({
    path,
    now: () => at,
    backups: () => backupsIn(backupsDir),
    onMended: (text) => void story.push(text),
  });
  try {
    if (isPair && story.length > 0)
      throw unfit(path, within({ is: 'story', parts: story.map((each) => factOf(each) ?? each) }));
    // A journal that had to be restarted contributed nothing.
    const replayed = story.length === 0 ? engine.journalHead.seq - from.seq : 0;
    const [[done]] = await core.run([['record', [{ record: 'restored', because, fromSeq: from.seq, at }]]]);
    if (isFault(done)) throw done.fault;
    const [count] = engine.each<{ readonly n: number }>('SELECT count(*) AS n FROM documents d', null);
    return { head: engine.journalHead, documents: count?.n ?? 0, replayed, story };
  } finally {
    engine.foldLog();
    await core.close();
    intoNewFile(path);
    syncFile(journalPathOf(path));
  }
}

/**
 * Copies the ledger to a new file. SQLite closes a connection only when its last statement is garbage-collected, and then tidies its files by path: a file
 * that will be moved must be one that this process never opened.
 */
function intoNewFile(path: string): void {
  const aside = `${path}.new`;
  fs.copyFileSync(path, aside, fs.constants.COPYFILE_EXCL);
  fs.chmodSync(aside, 0o600);
  syncFile(aside);
  if (fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size)
    throw unfit(path, { detail: 'logNotFolded' });
  fs.renameSync(aside, path);
}

function unfit(path: string, why: Detail): ReceiptdError {
  return new ReceiptdError('LEDGER_DAMAGED.unfit', { path, ...why });
}

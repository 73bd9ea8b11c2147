import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { jsonObject } from '../core/domain/jsonObject.ts';
import { writeDurably } from '../system/durableFile.ts';
import { syncDirectory } from '../system/syncDirectory.ts';
import { NotAFile, readPlainFile } from '../system/plainFile.ts';

/*
 * Two marks in a state directory, read by anyone who has just got its instance lock:
 *
 *   moved-away.json   `backup --final` closed it, or it is a copy to look at: nothing runs here until that is taken back
 *   restore.json      a restore was complete and checked, and is being put in place: anyone who comes after a kill ends it
 */

const AWAY = 'moved-away.json';
const COMMITTED = 'restore.json';
/** Complete parts that wait for `restore.json`. */
export const STAGING = 'restoring';

/** Of the ledger that goes: these go aside first, while what belongs to them still lies there. */
const WITHOUT_SUCCESSOR = ['ledger.db-wal', 'ledger.db-shm', 'ledger.db.sound', 'ledger.db.damaged', AWAY];
/** Each goes aside where its successor is among the parts: one that is not there any more is in its place. */
const REPLACED = ['spool', 'attention', 'results-handed', 'ledger.journal', 'ledger.db'];

export interface MovedAway {
  readonly at: string;
  /** The archive that was made of it. */
  readonly file: string;
  /** Of a backup, only to look at. */
  readonly isCopy: boolean;
}

export async function markMovedAway(stateDir: string, mark: MovedAway): Promise<void> {
  await writeDurably(path.join(stateDir, AWAY), `${JSON.stringify(mark)}\n`);
}

/** @returns whether it was marked */
export async function unmarkMovedAway(stateDir: string): Promise<boolean> {
  try {
    await fs.unlink(path.join(stateDir, AWAY));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Null where it was not. A mark that can't be read is one anyway. */
export async function movedAway(stateDir: string): Promise<MovedAway | null> {
  const text = await readPlainFile(path.join(stateDir, AWAY)).catch((error: unknown) => {
    if (error instanceof NotAFile) return '';
    throw error;
  });
  if (text === null) return null;
  const { at, file, isCopy } = jsonObject(text);
  return {
    at: typeof at === 'string' ? at : 'an unknown time',
    file: typeof file === 'string' ? file : '',
    isCopy: isCopy === true,
  };
}

/** What a person is told about a mark, without the code. */
export function sayMoved({ at, file, isCopy }: MovedAway): string {
  const from = file === '' ? '' : `, in ${file}`;
  return isCopy
    ? `This is a copy for viewing (restored ${at}${from}). The agent runs elsewhere.`
    : `The ledger was moved to another PC (${at}${from}), and receiptd runs there.`;
}

/** @throws ReceiptdError STATE_MOVED */
export async function refuseIfMoved(stateDir: string): Promise<void> {
  const mark = await movedAway(stateDir);
  if (mark === null) return;
  throw new ReceiptdError('STATE_MOVED', `${stateDir} is closed. ${sayMoved(mark)}`, {
    hint: 'Two agents would both send what is waiting. If no agent runs there, reopen this PC with `receiptd backup --reopen`.',
  });
}

/** From here on the restore is what counts: it is put in place now, or by whoever gets the lock next. */
export async function commitRestore(
  stateDir: string,
  mark: {
    /** Name of a directory for what was there before. */
    readonly aside: string;
    /** The automatic backups are of the same ledger, and stay. */
    readonly keepsBackups: boolean;
    readonly closed: MovedAway | null;
  },
): Promise<void> {
  await writeDurably(path.join(stateDir, COMMITTED), `${JSON.stringify(mark)}\n`);
}

/** Ends what was committed, and removes what was not. Can be killed anywhere and begun again. The caller holds the instance lock. */
export async function finishRestore(stateDir: string): Promise<void> {
  const text = await readPlainFile(path.join(stateDir, COMMITTED));
  if (text === null) {
    // Half a mark is none.
    for (const name of [`${COMMITTED}.tmp`, `${AWAY}.tmp`, STAGING])
      await fs.rm(path.join(stateDir, name), { recursive: true, force: true });
    return;
  }
  const { aside, keepsBackups, closed } = jsonObject(text);
  const kept = path.join(stateDir, typeof aside === 'string' ? path.basename(aside) : 'before-restore');
  await fs.mkdir(kept, { recursive: true, mode: 0o700 });
  for (const name of [...WITHOUT_SUCCESSOR, ...(keepsBackups === true ? [] : ['backups'])])
    await move(path.join(stateDir, name), path.join(kept, name));
  for (const name of REPLACED) {
    const next = path.join(stateDir, STAGING, name);
    if (!existsSync(next)) continue;
    await move(path.join(stateDir, name), path.join(kept, name));
    await move(next, path.join(stateDir, name));
  }
  await syncDirectory(stateDir);
  await fs.rm(path.join(stateDir, STAGING), { recursive: true, force: true });
  await fs.rmdir(kept).catch(() => {});
  if (typeof closed === 'object' && closed !== null)
    await writeDurably(path.join(stateDir, AWAY), JSON.stringify(closed));
  await fs.unlink(path.join(stateDir, COMMITTED));
}

async function move(from: string, to: string): Promise<void> {
  try {
    await fs.rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { jsonObject } from '../core/domain/jsonObject.ts';
import { writeDurably } from '../system/durableFile.ts';
import { syncDirectory } from '../system/syncDirectory.ts';
import { NotAFile, readPlainFile } from '../system/plainFile.ts';
import { makeDirectory } from '../system/makeDirectory.ts';

/*
 * Two marks in a state directory, read right after acquiring its instance lock:
 *
 *   moved-away.json   closed by `backup --final`, or a copy for viewing only: no agent runs here until that is undone
 *   restore.json      a complete and verified restore is being put in place: after a kill, the next process finishes it
 */

const AWAY = 'moved-away.json';
const COMMITTED = 'restore.json';
/** Directory of the restored parts until `restore.json` commits them. */
export const STAGING = 'restoring';

/** Files of the replaced ledger without a successor: moved aside first, before the files that they belong to. */
const WITHOUT_SUCCESSOR = ['ledger.db-wal', 'ledger.db-shm', 'ledger.db.sound', 'ledger.db.damaged', AWAY];
/** Moved aside while the successor is still in staging; a successor no longer there is already in place. */
const REPLACED = ['spool', 'attention', 'results-handed', 'ledger.journal', 'ledger.db'];

export interface MovedAway {
  /** Null if the mark can't be read. */
  readonly at: string | null;
  /** The archive that `backup` wrote. */
  readonly file: string;
  /** A restored copy for viewing only. */
  readonly isCopy: boolean;
}

export async function markMovedAway(stateDir: string, mark: MovedAway): Promise<void> {
  await writeDurably(path.join(stateDir, AWAY), `${JSON.stringify(mark)}\n`);
}

/** @returns whether it was marked */
export async function unmarkMovedAway(stateDir: string): Promise<boolean> {
  try {
    await fs.unlink(path.join(stateDir, AWAY));
    await syncDirectory(stateDir);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Null if there is no mark. Something unreadable in its place is a mark without content. */
export async function readMark(stateDir: string, name: string): Promise<Record<string, unknown> | null> {
  const text = await readPlainFile(path.join(stateDir, name)).catch((error: unknown) => {
    if (error instanceof NotAFile) return '';
    throw error;
  });
  return text === null ? null : jsonObject(text);
}

/** Null if there is no mark. An unreadable mark counts as moved. */
export async function movedAway(stateDir: string): Promise<MovedAway | null> {
  const mark = await readMark(stateDir, AWAY);
  if (mark === null) return null;
  const { at, file, isCopy } = mark;
  return {
    at: typeof at === 'string' ? at : null,
    file: typeof file === 'string' ? file : '',
    isCopy: isCopy === true,
  };
}

/** @throws ReceiptdError STATE_MOVED */
export async function refuseIfMoved(stateDir: string): Promise<void> {
  const mark = await movedAway(stateDir);
  if (mark === null) return;
  throw new ReceiptdError('STATE_MOVED', { stateDir, ...mark });
}

/** The point of no return: the restore is put in place now, or by the next process that gets the lock. */
export async function commitRestore(
  stateDir: string,
  mark: {
    /** Directory name for the previous files. */
    readonly aside: string;
    /** Keeps the automatic backups, because they are of the same ledger. */
    readonly keepsBackups: boolean;
    readonly closed: MovedAway | null;
  },
): Promise<void> {
  await writeDurably(path.join(stateDir, COMMITTED), `${JSON.stringify(mark)}\n`);
}

/** Finishes a committed restore, or removes an uncommitted one. Safe to kill and repeat. Requires the instance lock. */
export async function finishRestore(stateDir: string): Promise<void> {
  const text = await readPlainFile(path.join(stateDir, COMMITTED));
  if (text === null) {
    // A partially written mark does not count.
    for (const name of [`${COMMITTED}.tmp`, `${AWAY}.tmp`, STAGING])
      await fs.rm(path.join(stateDir, name), { recursive: true, force: true });
    return;
  }
  const { aside, keepsBackups, closed } = jsonObject(text);
  const kept = path.join(stateDir, typeof aside === 'string' ? path.basename(aside) : 'before-restore');
  await makeDirectory(kept, 0o700);
  for (const name of [...WITHOUT_SUCCESSOR, ...(keepsBackups === true ? [] : ['backups'])])
    await move(path.join(stateDir, name), path.join(kept, name));
  for (const name of REPLACED) {
    const next = path.join(stateDir, STAGING, name);
    if (!existsSync(next)) continue;
    await move(path.join(stateDir, name), path.join(kept, name));
    await move(next, path.join(stateDir, name));
  }
  await syncDirectory(kept);
  await syncDirectory(stateDir);
  await fs.rm(path.join(stateDir, STAGING), { recursive: true, force: true });
  await fs.rmdir(kept).catch(() => {});
  if (typeof closed === 'object' && closed !== null)
    await writeDurably(path.join(stateDir, AWAY), JSON.stringify(closed));
  await fs.unlink(path.join(stateDir, COMMITTED));
  await syncDirectory(stateDir);
}

async function move(from: string, to: string): Promise<void> {
  try {
    await fs.rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

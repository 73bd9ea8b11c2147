import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReceiptdError } from '../core/domain/errors.ts';
import { unwritable } from './stateDir.ts';
import { finishRestore, refuseIfMoved } from './stateMarks.ts';

/*
 * One instance per state directory.
 *
 *   free ──acquire──▶ held ──release, or the end of the process however it comes──▶ free
 *
 * What is held is an exclusive transaction of SQLite on `instance.lock`, which is a lock of the operating
 * system: it ends with the process, so a file left behind blocks nothing. `instance.json` only tells people
 * who holds it.
 *
 * Nothing else in this process may open and close `instance.lock`: POSIX drops a process's locks on a file
 * when the process closes any descriptor of it.
 */

export interface InstanceLock {
  /** False once the lock's file was removed or replaced: nothing keeps another instance from starting then. */
  isInPlace(): Promise<boolean>;
  /** Idempotent. */
  release(): Promise<void>;
}

const LOCK_FILE = 'instance.lock';
const OWNER_FILE = 'instance.json';

/**
 * Of two processes that start at once, each may hold what the other needs for a moment. While SQLite waits,
 * the one that came second lets go, so that exactly one gets the lock.
 */
const WAIT_MS = 500;

// A database nobody refers to is closed by the garbage collector, and the lock with it.
const held = new Set<DatabaseSyncInstance>();

/**
 * Holds the lock until `release` or the end of the process. The directory must exist (`prepareStateDir`). A restore that was killed
 * while it was put in place is ended here. `evenIfMoved`: for who takes a move back, or puts something else in its place.
 * @throws ReceiptdError ALREADY_RUNNING, STATE_UNWRITABLE, STATE_MOVED
 */
export async function acquireInstanceLock(
  stateDir: string,
  { evenIfMoved = false }: { readonly evenIfMoved?: boolean } = {},
): Promise<InstanceLock> {
  const file = path.join(stateDir, LOCK_FILE);
  const owner = path.join(stateDir, OWNER_FILE);
  const database = open(stateDir, file, { timeout: WAIT_MS });
  try {
    // No journal file and no commit, and so nothing for the next start to recover. The write that is never
    // committed makes sure of the lock: on a read-only file, BEGIN EXCLUSIVE quietly takes a shared one.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1');
  } catch (error) {
    database.close();
    throw isBusy(error) ? await alreadyRunning(stateDir) : unwritable(stateDir, error);
  }
  held.add(database);
  const { ino } = await stat(file, { bigint: true });
  const isInPlace = async (): Promise<boolean> =>
    (await stat(file, { bigint: true }).catch(() => null))?.ino === ino;
  const release = async (): Promise<void> => {
    if (!held.delete(database)) return;
    // Before the lock goes, or the next holder's file would be removed.
    if (await isInPlace()) await rm(owner, { force: true });
    database.close();
  };
  try {
    await chmod(file, 0o600);
    const startedAt = new Date().toISOString();
    await writeFile(owner, `${JSON.stringify({ pid: process.pid, startedAt })}\n`, { mode: 0o600 });
    await finishRestore(stateDir);
  } catch (error) {
    await release();
    throw unwritable(stateDir, error);
  }
  if (!evenIfMoved) {
    await refuseIfMoved(stateDir).catch(async (error: unknown) => {
      await release();
      throw error;
    });
  }
  return { isInPlace, release };
}

function open(stateDir: string, file: string, options: { readonly timeout: number }): DatabaseSyncInstance {
  try {
    return new DatabaseSync(file, options);
  } catch (error) {
    throw unwritable(stateDir, error);
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY;
}

async function alreadyRunning(stateDir: string): Promise<ReceiptdError> {
  const pid = await ownerPid(stateDir);
  const who = pid === null ? '' : ` (process ${pid})`;
  return new ReceiptdError(
    'ALREADY_RUNNING',
    `receiptd is already running${who} on the state directory ${stateDir}.`,
    {
      hint: 'Stop it first, or use a different stateDir for this one.',
    },
  );
}

async function ownerPid(stateDir: string): Promise<number | null> {
  try {
    const owner: { pid?: unknown } = JSON.parse(await readFile(path.join(stateDir, OWNER_FILE), 'utf8'));
    return typeof owner.pid === 'number' ? owner.pid : null;
  } catch {
    return null;
  }
}

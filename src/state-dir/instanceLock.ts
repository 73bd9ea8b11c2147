import { chmod, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReceiptdError } from '../core/domain/errors.ts';
import { held, isBusy, LOCK_FILE, OWNER_FILE, ownerPid } from './lockHolder.ts';
import { unwritable } from './stateDir.ts';
import { finishRestore, refuseIfMoved } from './stateMarks.ts';

/*
 * One instance per state directory.
 *
 *   free ──acquire──▶ held ──release, or any end of the process──▶ free
 *
 * The lock is an exclusive SQLite transaction on `instance.lock`, and thereby an operating system lock:
 * it ends with the process, so a leftover file blocks nothing. `instance.json` only tells people
 * who holds it.
 *
 * Nothing else in this process may open and close `instance.lock`: POSIX drops a process's locks on a file
 * when the process closes any descriptor for it.
 */

export interface InstanceLock {
  /** False once the lock file was removed or replaced, which would let another instance start. */
  isInPlace(): Promise<boolean>;
  /** Idempotent. */
  release(): Promise<void>;
}

/**
 * Two processes that start at once may briefly block each other. While SQLite waits, the second one lets go,
 * so that exactly one gets the lock.
 */
const WAIT_MS = 500;

/**
 * Holds the lock until `release` or the end of the process. The directory must exist (`prepareStateDir`). Completes a
 * committed restore that was killed. `evenIfMoved`: for callers that undo a move or restore over it.
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
    // No journal file and no commit, so the next start has nothing to recover. The uncommitted write ensures
    // an exclusive lock: on a read-only file, BEGIN EXCLUSIVE silently takes a shared one.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1');
  } catch (error) {
    database.close();
    throw isBusy(error) ? await alreadyRunning(stateDir) : unwritable(stateDir, error);
  }
  held.set(database, file);
  const { ino } = await stat(file, { bigint: true });
  const isInPlace = async (): Promise<boolean> =>
    (await stat(file, { bigint: true }).catch(() => null))?.ino === ino;
  const release = async (): Promise<void> => {
    if (!held.delete(database)) return;
    // Before releasing the lock: later it would remove the next holder's file.
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

async function alreadyRunning(stateDir: string): Promise<ReceiptdError> {
  const pid = await ownerPid(stateDir);
  return new ReceiptdError('ALREADY_RUNNING.here', { pid, stateDir });
}

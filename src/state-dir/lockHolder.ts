import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/* Who holds the lock of instanceLock.ts. A file of its own, since commands that only look need no more. */

export const LOCK_FILE = 'instance.lock';
export const OWNER_FILE = 'instance.json';

/** The locks of this process. Keeps a reference: garbage collection would close the database and release the lock. */
export const held = new Map<DatabaseSyncInstance, string>();

/**
 * Whether a process holds the lock: its id, or null if that is unknown. False if none does, or this user may not look.
 * Reading waits for no lock, and takes none that would keep an agent from starting.
 */
export async function lockHolder(stateDir: string): Promise<{ readonly pid: number | null } | false> {
  const file = path.join(stateDir, LOCK_FILE);
  // Closing the file would release a lock of this process.
  if (![...held.values()].includes(file)) {
    if ((await stat(file).catch(() => null)) === null) return false;
    try {
      const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
      try {
        database.prepare('PRAGMA user_version').get();
        return false;
      } finally {
        database.close();
      }
    } catch (error) {
      if (!isBusy(error)) return false;
    }
  }
  return { pid: await ownerPid(stateDir) };
}

const SQLITE_BUSY = 5;

export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY;
}

export async function ownerPid(stateDir: string): Promise<number | null> {
  try {
    const owner: { pid?: unknown } = JSON.parse(await readFile(path.join(stateDir, OWNER_FILE), 'utf8'));
    return typeof owner.pid === 'number' ? owner.pid : null;
  } catch {
    return null;
  }
}

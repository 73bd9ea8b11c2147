import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * If root runs a command: the service's user, who owns the state directory. Null if the current user owns it or it does not
 * exist yet.
 */
export async function otherOwner(stateDir: string): Promise<{ uid: number; gid: number } | null> {
  if (process.geteuid?.() !== 0) return null;
  const status = await lstat(stateDir).catch(() => null);
  return status === null || status.uid === 0 ? null : { uid: status.uid, gid: status.gid };
}

/**
 * Runs `work` as the owner of the state directory, who alone may write the ledger. Switches the user of the whole process,
 * unless the current user is the owner.
 */
export async function asOwner<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const owner = await otherOwner(stateDir);
  return owner === null ? work() : asIds(owner, work);
}

/** Runs `work` as another user, switching the whole process. Needs root. */
export async function asIds<T>(
  owner: { readonly uid: number; readonly gid: number },
  work: () => Promise<T>,
): Promise<T> {
  const groups = process.getgroups?.() ?? [];
  const group = process.getegid?.() ?? 0;
  process.setgroups?.([owner.gid]);
  process.setegid?.(owner.gid);
  process.seteuid?.(owner.uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
    process.setgroups?.(groups);
  }
}

/** Gives files written by root to the owner of the state directory, who has to read and replace them. */
export async function giveToOwner(stateDir: string, paths: readonly string[]): Promise<void> {
  const owner = await otherOwner(stateDir);
  if (owner === null) return;
  for (const path of paths) {
    const status = await lstat(path).catch(() => null);
    if (status === null || status.uid === owner.uid) continue;
    await lchown(path, owner.uid, owner.gid);
    if (status.isDirectory())
      for (const name of await readdir(path)) await lchown(join(path, name), owner.uid, owner.gid);
  }
}

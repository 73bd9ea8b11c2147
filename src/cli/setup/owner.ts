import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The user of the service, whose state directory it is, where root sets things up; null where it is one's own, or not
 * there yet.
 */
export async function otherOwner(stateDir: string): Promise<{ uid: number; gid: number } | null> {
  if (process.geteuid?.() !== 0) return null;
  const status = await lstat(stateDir).catch(() => null);
  return status === null || status.uid === 0 ? null : { uid: status.uid, gid: status.gid };
}

/**
 * Does the work as the user whose directory it is, for all of this process: the ledger in it is written by nobody else.
 * As anyone who runs this where it is one's own.
 */
export async function asOwner<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const owner = await otherOwner(stateDir);
  return owner === null ? work() : asIds(owner, work);
}

/** As another user, for all of this process. Root alone may. */
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

/** What root wrote there has to be readable, and replaceable, for the user whose directory it is. */
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

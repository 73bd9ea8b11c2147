import { chown } from 'node:fs/promises';

const NOBODY = 65_534;

/**
 * Runs `fn` without root's rights, because root passes every permission check. An ordinary user stays
 * who they are. What `fn` is to reach must be open to that user: see `ordinaryOwner`.
 */
export async function asOrdinaryUser<T>(fn: () => Promise<T> | T): Promise<T> {
  if (process.geteuid?.() !== 0) return await fn();
  const groups = process.getgroups?.() ?? [];
  const group = process.getegid?.() ?? 0;
  process.setgroups?.([]);
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await fn();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
    process.setgroups?.(groups);
  }
}

/** The owner to give a file to (`chown`), so that `asOrdinaryUser` owns it: oneself, or nobody for root. */
export function ordinaryOwner(): { readonly uid: number; readonly gid: number } {
  if (process.geteuid?.() === 0) return { uid: NOBODY, gid: NOBODY };
  return { uid: process.geteuid?.() ?? -1, gid: process.getegid?.() ?? -1 };
}

/** Runs `fn` as the ordinary user, who owns `dir` from now on. */
export async function asOwnerOf<T>(dir: string, fn: () => Promise<T> | T): Promise<T> {
  const { uid, gid } = ordinaryOwner();
  await chown(dir, uid, gid);
  return asOrdinaryUser(fn);
}

import { chown, mkdir, writeFile } from 'node:fs/promises';

const NOBODY = 65_534;

/**
 * Runs `fn` without root's rights, because root passes every permission check. Not as root, it runs `fn`
 * unchanged. Files that `fn` needs must be accessible to that user: see `ordinaryOwner`.
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

/** The owner to give files to (`chown`) for `asOrdinaryUser`: the current user, or `nobody` for root. */
export function ordinaryOwner(): { readonly uid: number; readonly gid: number } {
  if (process.geteuid?.() === 0) return { uid: NOBODY, gid: NOBODY };
  return { uid: process.geteuid?.() ?? -1, gid: process.getegid?.() ?? -1 };
}

/** Gives `dir` to the ordinary user, then runs `fn` as that user. */
export async function asOwnerOf<T>(dir: string, fn: () => Promise<T> | T): Promise<T> {
  const { uid, gid } = ordinaryOwner();
  await chown(dir, uid, gid);
  return asOrdinaryUser(fn);
}

/** A file that the ordinary user owns and nobody else may read. */
export async function writeOwned(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  const { uid, gid } = ordinaryOwner();
  await chown(file, uid, gid);
}

/** A new directory that the ordinary user owns and nobody else may enter. */
export async function makeOwned(dir: string): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  const { uid, gid } = ordinaryOwner();
  await chown(dir, uid, gid);
}

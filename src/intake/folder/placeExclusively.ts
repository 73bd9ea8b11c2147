import { link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { systemCode } from '../../core/domain/errors.ts';
import { whileHeld } from '../../core/domain/heldFile.ts';

// No link is possible: another file system; FAT, exFAT or SMB; another owner's file under protected_hardlinks; too many links.
const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'UNKNOWN']);

/** Links `source` as `target`; `link` never overwrites. */
export async function placeByLink(
  source: string,
  target: string,
): Promise<'placed' | 'taken' | 'unsupported'> {
  try {
    await link(source, target);
    return 'placed';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return 'taken';
    if (code === undefined || !NO_LINK.has(code)) throw error;
    return 'unsupported';
  }
}

/**
 * For file systems without links: reserves the name with an empty file, then renames the source over it unless somebody
 * has written to it meanwhile. False if the name is taken. Not atomic: between the last check and the rename somebody
 * else can still open the empty file, and a crash there leaves it behind.
 */
export async function placeByRename(source: string, target: string): Promise<boolean> {
  const reserved = await openNew(target, 0o600);
  if (reserved === null) return false;
  const ours = await reserved.stat({ bigint: true });
  // Windows can't rename onto an open file.
  await reserved.close();
  const isStillOurs = async (): Promise<boolean> => {
    const there = await lstat(target, { bigint: true }).catch(() => null);
    return there !== null && there.dev === ours.dev && there.ino === ours.ino && there.size === 0n;
  };
  const giveWay = async (): Promise<boolean> => {
    if (!(await isStillOurs())) return false;
    await rename(source, target);
    return true;
  };
  try {
    return await whileHeld(giveWay, process);
  } catch (error) {
    if (await isStillOurs()) await unlink(target);
    throw error;
  }
}

/** Creates a file; null if the name is taken. */
export async function openNew(target: string, mode: number): Promise<FileHandle | null> {
  try {
    return await open(target, 'wx', mode);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null;
    throw error;
  }
}

export async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([lstat(a, { bigint: true }), lstat(b, { bigint: true })]);
  return first.ino !== 0n && first.ino === second.ino && first.dev === second.dev;
}

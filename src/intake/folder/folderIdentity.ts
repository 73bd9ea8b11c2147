import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { systemError } from '../../core/domain/errors.ts';

/** Follows links, since an admin may configure one. Rejects with the system's error; ENOTDIR if it is not a directory. */
export async function statFolder(folder: string): Promise<BigIntStats> {
  const stats = await stat(folder, { bigint: true });
  if (!stats.isDirectory()) throw systemError('ENOTDIR', folder);
  return stats;
}

/**
 * Identifies a folder: changes if another one takes its place. The inode alone is not enough, because a folder that is
 * deleted and recreated at once usually gets the inode just freed. File systems without birth times report 0.
 */
export function tokenOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Follows a link: an admin may well configure one. Rejects with the system's error, ENOTDIR included. */
export async function statFolder(folder: string): Promise<BigIntStats> {
  const stats = await stat(folder, { bigint: true });
  if (!stats.isDirectory()) throw Object.assign(new Error(`ENOTDIR: ${folder}`), { code: 'ENOTDIR' });
  return stats;
}

/**
 * Changes when another folder takes its place. The inode alone does not: a folder deleted and made again at once
 * mostly gets the one just freed. The time of birth is 0 on file systems that keep none.
 */
export function tokenOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

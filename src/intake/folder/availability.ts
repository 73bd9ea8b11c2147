import type { BigIntStats } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import type { FileSystem, FolderAvailability } from '../../core/ports/folder.ts';
import { fileSystemOf, type FileSystemSources } from './fileSystem.ts';

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

/** Checks the folder. Rejects with the system's error if it can't be used. */
export async function checkFolder(
  folder: string,
  sources?: FileSystemSources,
): Promise<{ readonly token: string; readonly device: bigint; readonly fileSystem: FileSystem }> {
  const stats = await statFolder(folder);
  await (await opendir(folder)).close();
  // Listing names is not enough: without the search permission no file can be opened.
  await lstat(`${folder}/.`);
  const fileSystem = await fileSystemOf(folder, stats.dev, sources);
  return { token: tokenOf(stats), device: stats.dev, fileSystem };
}

/** What an error of `checkFolder` means; rethrows it if it is not a system error. */
export async function unavailability(folder: string, error: unknown): Promise<FolderAvailability> {
  const system = systemCode(error);
  if (system === undefined) throw error;
  if (isUnreachable(system)) return { state: 'unreachable', why: { is: 'unreachable', folder, system } };
  // ENOTDIR: a file is in the place of the folder, or of a parent, so that the folder is missing.
  const isFile = system === 'ENOTDIR' && (await isThere(folder)) && (await isThere(join(folder, '..')));
  if (isFile) return { state: 'notADirectory', why: { is: 'notADirectory', folder } };
  if (system === 'ENOENT' || system === 'ENOTDIR')
    return { state: 'missing', why: { is: 'missing', folder } };
  const is = system === 'EACCES' || system === 'EPERM' ? 'notAllowed' : 'unreadable';
  return { state: 'unreadable', why: { is, folder, system } };
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

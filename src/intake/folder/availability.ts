import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import type { FileSystem, FolderAvailability } from '../../core/ports/folder.ts';
import { fileSystemOf, type FileSystemSources } from './fileSystem.ts';
import { statFolder, tokenOf } from './folderIdentity.ts';

export interface Look {
  readonly token: string;
  readonly device: bigint;
  readonly fileSystem: FileSystem;
}

/** Checks the folder. Rejects with the system's error if it can't be used. */
export async function lookAt(folder: string, sources?: FileSystemSources): Promise<Look> {
  const stats = await statFolder(folder);
  await (await opendir(folder)).close();
  // Listing names is not enough: without the search permission no file can be opened.
  await lstat(`${folder}/.`);
  const fileSystem = await fileSystemOf(folder, stats.dev, sources);
  return { token: tokenOf(stats), device: stats.dev, fileSystem };
}

/** Translates an error of `lookAt`; rethrows it if it is not a system error. */
export async function unavailability(folder: string, error: unknown): Promise<FolderAvailability> {
  const code = systemCode(error);
  if (code === undefined) throw error;
  if (isUnreachable(code)) {
    return {
      state: 'unreachable',
      why: { is: 'unreachable', folder, system: code },
    };
  }
  if (code === 'ENOENT') return { state: 'missing', why: { is: 'missing', folder } };
  if (code === 'ENOTDIR') return notADirectory(folder);
  if (code === 'EACCES' || code === 'EPERM') {
    return { state: 'unreadable', why: { is: 'notAllowed', folder, system: code } };
  }
  return { state: 'unreadable', why: { is: 'unreadable', folder, system: code } };
}

/** ENOTDIR means that a file is in the place of the folder, or of a parent: then the folder counts as missing. */
async function notADirectory(folder: string): Promise<FolderAvailability> {
  const parent = await stat(join(folder, '..')).catch(() => null);
  const itself = await stat(folder).catch(() => null);
  return itself !== null && parent !== null
    ? { state: 'notADirectory', why: { is: 'notADirectory', folder } }
    : { state: 'missing', why: { is: 'missing', folder } };
}

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

/** Rejects with the system's error where the folder can't be used. */
export async function lookAt(folder: string, sources?: FileSystemSources): Promise<Look> {
  const stats = await statFolder(folder);
  await (await opendir(folder)).close();
  // Names alone are no use: without the search permission no file can be opened.
  await lstat(`${folder}/.`);
  const fileSystem = await fileSystemOf(folder, stats.dev, sources);
  return { token: tokenOf(stats), device: stats.dev, fileSystem };
}

/** What it means that `lookAt` was refused. */
export async function unavailability(folder: string, error: unknown): Promise<FolderAvailability> {
  const code = systemCode(error);
  if (code === undefined) throw error;
  if (isUnreachable(code)) {
    return {
      state: 'unreachable',
      message: `${folder} is unreachable: its share or disk does not respond (${code}).`,
    };
  }
  if (code === 'ENOENT') return { state: 'missing', message: `${folder} does not exist.` };
  if (code === 'ENOTDIR') return notADirectory(folder);
  if (code === 'EACCES' || code === 'EPERM') {
    return { state: 'unreadable', message: `The agent's user is not allowed to read ${folder} (${code}).` };
  }
  return { state: 'unreadable', message: `${folder} can't be read (${code}).` };
}

/** ENOTDIR comes from a file in the folder's place, and also from a file in place of one of its parents. */
async function notADirectory(folder: string): Promise<FolderAvailability> {
  const parent = await stat(join(folder, '..')).catch(() => null);
  const itself = await stat(folder).catch(() => null);
  return itself !== null && parent !== null
    ? { state: 'notADirectory', message: `${folder} is not a folder.` }
    : { state: 'missing', message: `${folder} does not exist.` };
}

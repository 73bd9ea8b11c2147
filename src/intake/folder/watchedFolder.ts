import { lstat, opendir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemCode } from '../../domain/errors.ts';
import type { Random } from '../../ports/clock.ts';
import type { FileStat, FolderAvailability, WatchedFolder } from '../../ports/folder.ts';
import * as asides from './aside.ts';
import { isAsideName } from './asideName.ts';
import { createExcludedDirectories } from './excludedDirectories.ts';
import { statFolder, tokenOf } from './folderIdentity.ts';
import { inside, isAbsent, nameOf, parentsAreReal, prefixesOf } from './folderPath.ts';
import { listFolder } from './listing.ts';
import { createPathFilter } from './pathFilter.ts';
import { identityOf, readWhole } from './readWhole.ts';

export interface WatchedFolderOptions {
  /** Absolute. */
  readonly path: string;
  readonly recursive: boolean;
  /** Empty: every file. */
  readonly include: readonly string[];
  readonly ignore: readonly string[];
  /** Absolute directories that are never entered. `archiveTo` is always one of them. */
  readonly exclude: readonly string[];
  /** Where `archive` moves files, keeping their relative directory; relative to `path`, or absolute. */
  readonly archiveTo: string;
  readonly random: Random;
}

export function createWatchedFolder(options: WatchedFolderOptions): WatchedFolder {
  const { recursive, random } = options;
  const folder = resolve(options.path);
  const archiveTo = resolve(folder, options.archiveTo);
  const filter = createPathFilter(options.include, options.ignore);
  const excluded = createExcludedDirectories(folder, [...options.exclude, archiveTo]);

  /** Every directory on the way counts, because a pruned one is never listed. */
  const enters = (path: string): boolean =>
    prefixesOf(path).every((prefix) => !filter.ignores(prefix) && !isAsideName(nameOf(prefix))) &&
    !excluded.has(path);

  return {
    path: folder,
    availability: () => availabilityOf(folder),
    async *list(under = '', signal) {
      inside(folder, under);
      if (under !== '' && !(recursive && enters(under))) return;
      yield* listFolder({ folder, recursive, filter, excluded }, under, signal);
    },
    covers: (path) =>
      path !== '' && (recursive || !path.includes('/')) && enters(path) && filter.includes(path),
    stat: (path) => statInside(folder, path),
    async read(path, limit, signal) {
      const file = inside(folder, path);
      try {
        if (!(await parentsAreReal(folder, path))) return { kind: 'gone' };
      } catch (error) {
        const code = systemCode(error);
        if (code === undefined) throw error;
        return { kind: 'unreadable', code };
      }
      return readWhole(file, limit, signal);
    },
    setAside: (path) => asides.setAside(folder, path, random),
    putBack: (aside, path) => asides.putBack(folder, aside, path, random),
    archive: (aside, path) => asides.archive(folder, archiveTo, aside, path, random),
    discard: (aside) => asides.discard(folder, aside),
    leftAside: (signal) => asides.leftAside(folder, excluded, signal),
  };
}

async function statInside(folder: string, path: string): Promise<FileStat | null> {
  const file = inside(folder, path);
  try {
    if (!(await parentsAreReal(folder, path))) return null;
    const stats = await lstat(file, { bigint: true });
    return stats.isFile() ? { kind: 'file', identity: identityOf(stats) } : { kind: 'other' };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function availabilityOf(folder: string): Promise<FolderAvailability> {
  try {
    const token = tokenOf(await statFolder(folder));
    await (await opendir(folder)).close();
    // Names alone are no use: without the search permission no file can be opened.
    await lstat(`${folder}/.`);
    return { state: 'present', token };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT') return { state: 'missing', message: `${folder} does not exist.` };
    if (code === 'ENOTDIR') return notADirectory(folder);
    if (code === 'EACCES' || code === 'EPERM') {
      return { state: 'unreadable', message: `The agent's user may not read ${folder} (${code}).` };
    }
    return { state: 'unreadable', message: `${folder} can't be read (${code}).` };
  }
}

/** ENOTDIR comes from a file in the folder's place, and also from a file in place of one of its parents. */
async function notADirectory(folder: string): Promise<FolderAvailability> {
  const parent = await stat(join(folder, '..')).catch(() => null);
  const itself = await stat(folder).catch(() => null);
  return itself !== null && parent !== null
    ? { state: 'notADirectory', message: `${folder} is not a directory.` }
    : { state: 'missing', message: `${folder} does not exist.` };
}

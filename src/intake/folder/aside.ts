import type { Dirent } from 'node:fs';
import { lstat, mkdir, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ReceiptdError, systemCode, systemError } from '../../core/domain/errors.ts';
import type { Random } from '../../core/ports/clock.ts';
import { asideDirectoryOf, incomingNameOf, isAsideName, newAsideName } from './asideName.ts';
import type { ExcludedDirectories } from './excludedDirectories.ts';
import { inside, isAbsent, joinPath, nameOf, parentOf } from './folderPath.ts';
import { freeNames, nameTaken } from './freeNames.ts';
import { isSameFile, placeByLink, placeByRename } from './placeExclusively.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { clearIncoming, moveToArchive } from './moveToArchive.ts';
import { archiveDirectory, inOwnDirectory } from './ownDirectory.ts';
import { inRealDirectory } from './realDirectory.ts';

/*
 * How a file leaves the folder (promise P3):
 *
 *   in its place ──setAside──▶ aside ──archive──▶ in the archive
 *        ▲                       │ └──discard──▶ deleted
 *        └───────putBack─────────┘
 *
 * A crash leaves it aside, where `leftAside` finds it, or in both places. Directories are held open while a file is moved
 * between them (`inRealDirectory`), so that replacing one by a link can't redirect the file.
 */

/** Directory entries per read. */
const ENTRIES_AT_ONCE = 1_024;

/**
 * Moves a file into a new hidden directory beside it; resolves its path there. Rejects with the system's error; ENOENT if
 * there is no regular file at that path.
 */
export async function setAside(folder: string, path: string, random: Random): Promise<string> {
  const file = inside(folder, path);
  const name = nameOf(path);
  try {
    return await inRealDirectory(folder, parentOf(path), async (parent) => {
      if (!(await lstat(join(parent, name))).isFile()) throw absent(file);
      const directory = await makeAsideDirectory(parent, random);
      try {
        // The directory is new and private, so there is nothing to overwrite.
        await inRealDirectory(parent, directory, (aside) => rename(join(parent, name), join(aside, name)));
        return joinPath(joinPath(parentOf(path), directory), name);
      } catch (error) {
        await removeIfEmpty(join(parent, directory));
        throw error;
      }
    });
  } catch (error) {
    throw isAbsent(error) ? absent(file) : error;
  }
}

async function makeAsideDirectory(parent: string, random: Random): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const directory = newAsideName(random);
    try {
      await mkdir(join(parent, directory), { mode: 0o700 });
      return directory;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt === 16) throw error;
    }
  }
}

/** Moves an aside file back, after removing its unfinished copy in the archive: later nothing would tell whose copy it is. */
export async function putBack(
  folder: string,
  aside: string,
  path: string,
  random: Random,
  archiveTo?: string,
  watched: readonly string[] = [folder],
): Promise<string> {
  const incoming = incomingNameOf(aside);
  inside(folder, path);
  if (archiveTo !== undefined) {
    const to = archiveDirectory(archiveTo, watched);
    await inOwnDirectory(to, parentOf(path), (archived) => clearIncoming(archived, incoming)).catch(
      ignoreSystemErrors,
    );
  }
  return withAside(folder, aside, (source) =>
    inRealDirectory(folder, parentOf(path), async (parent) =>
      joinPath(parentOf(path), await moveBeside(source, parent, nameOf(path), random)),
    ),
  );
}

export async function archive(
  folder: string,
  archiveTo: string,
  aside: string,
  path: string,
  random: Random,
  watched: readonly string[] = [folder],
): Promise<string> {
  const incoming = incomingNameOf(aside);
  inside(folder, path);
  const to = archiveDirectory(archiveTo, watched);
  const place = inside(archiveTo, parentOf(path));
  return withAside(folder, aside, async (source) => {
    const move = async (directory: string) =>
      join(place, await moveToArchive(source, { directory, place, incoming }, nameOf(path), random));
    try {
      return await inOwnDirectory(to, parentOf(path), move, { make: true });
    } catch (error) {
      if (systemCode(error) !== 'ENOTDIR' && systemCode(error) !== 'ELOOP') throw error;
      throw new ReceiptdError('FOLDER_NOT_A_DIRECTORY.inArchive', { place }, { cause: error });
    }
  });
}

export async function discard(folder: string, aside: string): Promise<void> {
  await withAside(folder, aside, async (source) => {
    try {
      await unlink(source);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

/**
 * Finds aside files in the whole tree, even in ignored directories: the patterns may have changed since. Removes empty
 * aside directories, so it must not run at the same time as `setAside`.
 */
export async function leftAside(
  folder: string,
  excluded: ExcludedDirectories,
  signal?: AbortSignal,
): Promise<{ aside: string; path: string }[]> {
  await excluded.refresh();
  const found: { aside: string; path: string }[] = [];
  const directories = [''];
  for (const directory of directories) {
    signal?.throwIfAborted();
    const isAside = isAsideName(nameOf(directory));
    try {
      const entries: Dirent[] = [];
      // A directory of scans may have a million entries; only its subdirectories matter.
      for await (const entry of await opendir(inside(folder, directory), { bufferSize: ENTRIES_AT_ONCE }))
        if (isAside || entry.isDirectory()) entries.push(entry);
      if (isAside && entries.length === 0) await removeIfEmpty(inside(folder, directory));
      for (const entry of entries) {
        const path = joinPath(directory, entry.name);
        if (isAside && entry.isFile())
          found.push({ aside: path, path: joinPath(parentOf(directory), entry.name) });
        if (!isAside && entry.isDirectory() && !excluded.has(path)) directories.push(path);
      }
    } catch (error) {
      if (directory === '' || systemCode(error) === undefined) throw error;
    }
  }
  return found;
}

/** Runs `work` on the aside file, then removes its directory if it is empty. */
async function withAside<T>(folder: string, aside: string, work: (source: string) => Promise<T>): Promise<T> {
  inside(folder, aside);
  const directory = asideDirectoryOf(aside);
  return inRealDirectory(folder, parentOf(directory), async (parent) => {
    const done = await inRealDirectory(parent, nameOf(directory), (held) => work(join(held, nameOf(aside))));
    await removeIfEmpty(join(parent, nameOf(directory)));
    return done;
  });
}

/**
 * Moves a file within its file system to `directory`, as `name` or, if that is taken, under a similar free name; resolves
 * the name used. Never overwrites. Removes the source only after the new link is durable: a crash in between leaves both,
 * and a repeated call recognizes the link. Rejects with EEXIST if no name is free.
 */
async function moveBeside(source: string, directory: string, name: string, random: Random): Promise<string> {
  for (const candidate of freeNames(name, random)) {
    const target = join(directory, candidate);
    const placed = await placeByLink(source, target);
    if (placed === 'unsupported') {
      if (!(await placeByRename(source, target))) continue;
      await syncDirectory(directory);
      return candidate;
    }
    if (placed === 'taken' && !(await isSameFile(source, target))) continue;
    await syncDirectory(directory);
    await unlink(source);
    return candidate;
  }
  throw nameTaken(name, directory);
}

async function removeIfEmpty(directory: string): Promise<void> {
  // If somebody put another file there or removed the directory, the moved file is not affected.
  await rmdir(directory).catch(ignoreSystemErrors);
}

function ignoreSystemErrors(error: unknown): void {
  if (systemCode(error) === undefined) throw error;
}

function absent(file: string): Error {
  return systemError('ENOENT', `no file at ${file}`);
}

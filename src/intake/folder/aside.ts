import { lstat, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../domain/errors.ts';
import type { Random } from '../../ports/clock.ts';
import { asideDirectoryOf, isAsideName, newAsideName } from './asideName.ts';
import { makeDirectories } from './durableDirectory.ts';
import type { ExcludedDirectories } from './excludedDirectories.ts';
import { inside, isAbsent, joinPath, nameOf, parentOf, parentsAreReal } from './folderPath.ts';
import { moveBeside } from './moveBeside.ts';

/*
 * A file on its way out of the folder (promise P3):
 *
 *   in its place ──setAside──▶ aside ──archive──▶ in the archive
 *        ▲                       │ └──discard──▶ deleted
 *        └───────putBack─────────┘
 *
 * A crash leaves it aside, where `leftAside` finds it, or in both places, linked.
 */

/** Rejects with the system's error; ENOENT if there is no regular file at that path. */
export async function setAside(folder: string, path: string, random: Random): Promise<string> {
  const file = inside(folder, path);
  if (!(await parentsAreReal(folder, path)) || !(await lstat(file)).isFile()) {
    throw Object.assign(new Error(`ENOENT: no file at ${file}`), { code: 'ENOENT' });
  }
  const directory = await makeAsideDirectory(folder, parentOf(path), random);
  try {
    // The directory is new and closed to others, so there is nothing to overwrite.
    const aside = joinPath(directory, nameOf(path));
    await rename(file, inside(folder, aside));
    return aside;
  } catch (error) {
    await removeIfEmpty(inside(folder, directory));
    throw error;
  }
}

async function makeAsideDirectory(folder: string, parent: string, random: Random): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const directory = joinPath(parent, newAsideName(random));
    try {
      await mkdir(inside(folder, directory), { mode: 0o700 });
      return directory;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt === 16) throw error;
    }
  }
}

export async function putBack(folder: string, aside: string, path: string, random: Random): Promise<string> {
  const asideDirectory = inside(folder, asideDirectoryOf(aside));
  const parent = parentOf(path);
  const name = await moveBeside(inside(folder, aside), inside(folder, parent), nameOf(path), random);
  await removeIfEmpty(asideDirectory);
  return joinPath(parent, name);
}

export async function archive(
  folder: string,
  archiveTo: string,
  aside: string,
  path: string,
  random: Random,
): Promise<string> {
  const asideDirectory = inside(folder, asideDirectoryOf(aside));
  inside(folder, path);
  const directory = await makeDirectories(archiveTo, parentOf(path));
  const name = await moveBeside(inside(folder, aside), directory, nameOf(path), random);
  await removeIfEmpty(asideDirectory);
  return join(directory, name);
}

export async function discard(folder: string, aside: string): Promise<void> {
  const asideDirectory = inside(folder, asideDirectoryOf(aside));
  try {
    await unlink(inside(folder, aside));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  await removeIfEmpty(asideDirectory);
}

/**
 * Looks through the whole tree, whatever the patterns say now: they may have changed since. Removes empty aside
 * directories, so it belongs before the first `setAside` of a run.
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
      const entries = await readdir(inside(folder, directory), { withFileTypes: true });
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

async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    // Somebody put another file there, or removed the directory: neither concerns the file that was moved.
    if (systemCode(error) === undefined) throw error;
  }
}

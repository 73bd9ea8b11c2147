import { isUtf8 } from 'node:buffer';
import fs, { type Dirent } from 'node:fs';
import { lstat, opendir, readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { standsForListing } from '../../core/domain/directoryStamp.ts';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import { isNamedLikeAnImage } from '../../core/domain/receiptLike.ts';
import { pathOf } from '../../core/paths.ts';
import type { ListedDirectory } from '../../core/ports/folder.ts';
import { statFolder, tokenOf } from './availability.ts';
import { ignoreSystemErrors, inside, isAbsent, parentsAreReal, prefixesOf } from './realDirectory.ts';
import { isAsideName, type Scope } from './scope.ts';
import { SortedNames } from './sortedNames.ts';

export interface ListingMeans {
  /** The folder is on the agent's own disk; its top level is read in this thread, which takes a fifth of the time. */
  readonly isAtOnce: boolean;
  /** Device on which the metadata of a directory reflects every change in it; null if unknown. */
  readonly stampedDevice: bigint | null;
  /** The clock by which the system stamps directories. */
  readonly now: () => number;
  /** Called regularly while a long directory is read, so that a slow share does not pass for a hanging one. */
  readonly onProgress: () => void;
}

/** Directory entries per read, and files per batch. */
const ENTRIES_AT_ONCE = 1024;
/** It may be part of a name, or stand for bytes that are not valid UTF-8. */
const REPLACEMENT = '\uFFFD';

/**
 * Lists breadth first, without following symbolic links; reads each directory completely before it yields the first batch.
 * A directory that vanished meanwhile counts as unreadable, with ENOENT: while a share is being unmounted, all of them
 * vanish. Rejects with the system's error if the folder itself can't be read, and with ESTALE if it was replaced meanwhile
 * (by unmounting a share, for instance): an incomplete listing must not pass for a complete one.
 */
export async function* listFolder(
  scope: Scope,
  means: ListingMeans,
  under: string,
  signal?: AbortSignal,
  passesOver?: (dir: string, stamp: string) => readonly string[] | null,
): AsyncGenerator<ListedDirectory> {
  const before = tokenOf(await statFolder(scope.folder));
  await scope.refresh();
  if (under !== '')
    for (const each of prefixesOf(under)) if (!scope.recursive || !(await scope.enters(each))) return;
  const directories = [under];
  for (const dir of directories) {
    signal?.throwIfAborted();
    let batches: Iterable<ListedDirectory>;
    try {
      // Don't list through a link. Only `under` needs this check, since the walk itself follows no links.
      if (dir === under && !(await parentsAreReal(scope.folder, pathOf(dir, '-'))))
        throw systemError('ENOENT', dir);
      const stamp = passesOver ? await stampOf(scope.folder, dir, means) : null;
      const unchanged = stamp === null ? null : passesOver?.(dir, stamp);
      const content = unchanged ? null : await readDirectory(scope, dir, means);
      const children: string[] = [];
      for (const child of unchanged ?? content?.directories ?? [])
        if (await scope.enters(child)) children.push(child);
      directories.push(...children);
      batches = content
        ? batchesOf(dir, content, stamp === null ? {} : { stamp, directories: children }, signal)
        : [{ dir, files: [], isUnchanged: true }];
    } catch (error) {
      const code = isAbsent(error) ? 'ENOENT' : systemCode(error);
      if (dir === '' || code === undefined) throw error;
      batches = [{ dir, files: [], unreadableDirs: [{ path: dir, code }] }];
    }
    yield* batches;
  }
  signal?.throwIfAborted();
  if (tokenOf(await statFolder(scope.folder)) !== before)
    throw systemError('ESTALE', `${scope.folder} was replaced while it was listed`);
}

function* batchesOf(
  dir: string,
  { files, badNames, links }: DirectoryContent,
  stamped: Pick<ListedDirectory, 'stamp' | 'directories'>,
  signal: AbortSignal | undefined,
): Generator<ListedDirectory> {
  let more = {
    ...(badNames.length > 0 && { badNames }),
    ...(links > 0 && { links }),
    ...stamped,
  };
  for (let isFirst = true; ; isFirst = false) {
    const batch = files.take(ENTRIES_AT_ONCE).map((name) => ({ path: pathOf(dir, name) }));
    if (isFirst || batch.length > 0) yield { dir, files: batch, ...more };
    if (batch.length < ENTRIES_AT_ONCE) return;
    signal?.throwIfAborted();
    more = {};
  }
}

/**
 * Stamp of a directory; null if the file system or a recent change makes it unreliable. Taken before the directory is read,
 * so that a change made meanwhile changes the next stamp.
 */
async function stampOf(
  folder: string,
  dir: string,
  { stampedDevice, now }: ListingMeans,
): Promise<string | null> {
  if (stampedDevice === null) return null;
  const listedAt = now();
  const path = inside(folder, dir);
  const stats = dir === '' ? await statFolder(path) : await lstat(path, { bigint: true });
  // Anybody can set a directory's mtime back, but not its ctime.
  const { dev, ino, birthtimeNs, mtimeNs, ctimeNs, nlink, size } = stats;
  if (!stats.isDirectory() || dev !== stampedDevice) return null;
  if (!standsForListing(Number(ctimeNs / 1_000_000n), listedAt)) return null;
  return [dev, ino, birthtimeNs, mtimeNs, ctimeNs, nlink, size].join(':');
}

/** What matters of a directory. */
interface DirectoryContent {
  readonly files: SortedNames;
  readonly directories: string[];
  readonly badNames: string[];
  links: number;
}

function readDirectory(scope: Scope, dir: string, means: ListingMeans): Promise<DirectoryContent> {
  return readEntries(
    inside(scope.folder, dir),
    { isAtOnce: means.isAtOnce && dir === '', onProgress: means.onProgress },
    () => ({ files: new SortedNames(), directories: [], badNames: [], links: 0 }),
    (found, name, entry, isBad) => sortOut(scope, dir, name, entry, isBad, found),
  );
}

export type DirectoryEntry = Pick<Dirent, 'isDirectory' | 'isFile' | 'isSymbolicLink'>;
type Each<T> = (found: T, name: string, entry: DirectoryEntry, isBad: boolean) => void;

/** Collects the entries of a directory. `isBad`: the name is not valid UTF-8, and shown in another way. */
export async function readEntries<T>(
  directory: string,
  { isAtOnce = false, onProgress = () => {} }: Partial<Pick<ListingMeans, 'isAtOnce' | 'onProgress'>>,
  start: () => T,
  each: Each<T>,
): Promise<T> {
  const found = start();
  let hasDoubtful = false;
  try {
    await readEach(directory, isAtOnce, onProgress, (entry) => {
      if (entry.name.includes(REPLACEMENT)) hasDoubtful = true;
      else each(found, entry.name, entry, false);
    });
  } catch (error) {
    ignoreSystemErrors(error);
    // Where a listing has no types, the runtime looks at each entry, and fails if one can't be looked at.
    const again = start();
    await readByBytes(
      directory,
      () => true,
      onProgress,
      (...entry) => each(again, ...entry),
    );
    return again;
  }
  const isDoubtful = (name: string): boolean => name.includes(REPLACEMENT);
  if (hasDoubtful) await readByBytes(directory, isDoubtful, onProgress, (...entry) => each(found, ...entry));
  return found;
}

async function readEach(
  directory: string,
  isAtOnce: boolean,
  onProgress: () => void,
  each: (entry: Dirent) => void,
): Promise<void> {
  const options = { bufferSize: ENTRIES_AT_ONCE };
  const opened = isAtOnce ? fs.opendirSync(directory, options) : await opendir(directory, options);
  try {
    for (let count = 1; ; count += 1) {
      const entry = isAtOnce ? opened.readSync() : await opened.read();
      if (entry === null) return;
      each(entry);
      if (count % ENTRIES_AT_ONCE > 0) continue;
      onProgress();
      if (isAtOnce) await setImmediate();
    }
  } finally {
    await opened.close();
  }
}

/**
 * Reads names as bytes, and looks at each of these entries itself. Shows invalid bytes in hexadecimal, so that no name hides another. An
 * entry that can't be looked at counts as a file, which people then see as unreadable.
 */
async function readByBytes(
  directory: string,
  isMeant: (name: string) => boolean,
  onProgress: () => void,
  each: (name: string, entry: DirectoryEntry, isBad: boolean) => void,
): Promise<void> {
  const names = await readdir(directory, { encoding: 'buffer' });
  const taken = new Set(names.filter((name) => isUtf8(name)).map(String));
  for (const bytes of names) {
    const isBad = !isUtf8(bytes);
    let name = bytes.toString();
    if (!isMeant(name)) continue;
    if (isBad) {
      name = bytes.toString('latin1').replace(/[\x80-\xff]/g, inHexadecimal);
      while (taken.has(name)) name += '%';
      taken.add(name);
    }
    try {
      each(name, await lstat(Buffer.concat([Buffer.from(directory + sep), bytes])), isBad);
    } catch (error) {
      ignoreSystemErrors(error);
      if (!isAbsent(error)) each(name, UNKNOWN, isBad);
    }
    onProgress();
  }
}

const UNKNOWN: DirectoryEntry = { isDirectory: () => false, isFile: () => true, isSymbolicLink: () => false };

function inHexadecimal(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

function sortOut(
  { recursive, ignores, includes }: Scope,
  dir: string,
  name: string,
  entry: DirectoryEntry,
  isBad: boolean,
  found: DirectoryContent,
): void {
  const isDirectory = entry.isDirectory();
  const isLink = !isDirectory && entry.isSymbolicLink();
  if (isDirectory ? !recursive || isAsideName(name) : !isLink && !entry.isFile()) return;
  const path = pathOf(dir, name);
  if (ignores(path)) return;
  if (isLink) {
    if (includes(path)) found.links += 1;
  } else if (isBad) found.badNames.push(path);
  else if (isDirectory) found.directories.push(path);
  else if (includes(path)) found.files.add(name);
}

/** Subfolders, and entries of each, that are looked at. */
const SUBFOLDERS_AT_MOST = 100;

/** See `WatchedFolder.unwatched`. A subfolder that can't be read counts as empty: its owner keeps it from the agent. */
export async function unwatchedIn(scope: Scope): Promise<string[]> {
  await scope.refresh();
  const directories = await readEntries<string[]>(
    scope.folder,
    {},
    () => [],
    (found, name, entry, isBad) => {
      if (entry.isDirectory() && !isBad && found.length < SUBFOLDERS_AT_MOST) found.push(name);
    },
  );
  const subfolders: string[] = [];
  for (const name of directories) if (await scope.enters(name)) subfolders.push(name);
  const holding: string[] = [];
  for (const subfolder of subfolders.toSorted()) {
    const some = await someNames(inside(scope.folder, subfolder)).catch(() => []);
    const paths = some.map((name) => pathOf(subfolder, name));
    if (paths.some((path) => isNamedLikeAnImage(path) && scope.includes(path) && !scope.ignores(path)))
      holding.push(subfolder);
  }
  return holding;
}

async function someNames(directory: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(directory, { bufferSize: ENTRIES_AT_ONCE }))
    if (names.push(name) === ENTRIES_AT_ONCE) break;
  return names;
}

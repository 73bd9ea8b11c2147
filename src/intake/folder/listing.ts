import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { opendir, readdir } from 'node:fs/promises';
import { systemCode } from '../../domain/errors.ts';
import type { ListedDirectory, ListedFile } from '../../ports/folder.ts';
import { isAsideName } from './asideName.ts';
import type { ExcludedDirectories } from './excludedDirectories.ts';
import { statFolder, tokenOf } from './folderIdentity.ts';
import { inside, isAbsent, joinPath, parentsAreReal } from './folderPath.ts';
import type { PathFilter } from './pathFilter.ts';

export interface ListingScope {
  readonly folder: string;
  readonly recursive: boolean;
  readonly filter: PathFilter;
  readonly excluded: ExcludedDirectories;
  /** Called now and then in a long directory: a slow share is not a dead one. */
  readonly onProgress: () => void;
}

/** Entries that are asked of the system at once. */
const ENTRIES_AT_ONCE = 1024;

const REPLACEMENT = '\uFFFD';

/**
 * Breadth first, one batch a directory, no symbolic link followed. A directory that vanished meanwhile counts as
 * unreadable, with ENOENT: so does every one of a share that is being unmounted. Rejects with the system's error where the folder
 * itself can't be read, and with ESTALE if it was replaced meanwhile (a share unmounted, say): an incomplete
 * listing must not pass for a complete one.
 */
export async function* listFolder(
  scope: ListingScope,
  under: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedDirectory> {
  const before = tokenOf(await statFolder(scope.folder));
  await scope.excluded.refresh();
  if (under !== '' && scope.excluded.has(under)) return;
  const directories = [under];
  for (const dir of directories) {
    signal?.throwIfAborted();
    let entries: DirectoryEntries;
    try {
      // A name below a link is not ours; only `under` comes from outside this walk.
      if (dir === under && dir !== '' && !(await parentsAreReal(scope.folder, joinPath(dir, '-')))) {
        yield { dir, files: [], unreadableDirs: [{ path: dir, code: 'ENOENT' }] };
        continue;
      }
      entries = await readEntries(inside(scope.folder, dir), scope.onProgress);
    } catch (error) {
      const code = isAbsent(error) ? 'ENOENT' : systemCode(error);
      if (dir === '' || code === undefined) throw error;
      yield { dir, files: [], unreadableDirs: [{ path: dir, code }] };
      continue;
    }
    const batch = sortOut(scope, dir, entries);
    for (const child of batch.directories) directories.push(child);
    yield {
      dir,
      files: batch.files,
      ...(batch.badNames.length > 0 && { badNames: batch.badNames }),
    };
  }
  signal?.throwIfAborted();
  if (tokenOf(await statFolder(scope.folder)) !== before) {
    throw Object.assign(new Error(`ESTALE: ${scope.folder} was replaced while it was listed`), {
      code: 'ESTALE',
    });
  }
}

function sortOut(
  scope: ListingScope,
  dir: string,
  { entries, badNames }: DirectoryEntries,
): { files: ListedFile[]; directories: string[]; badNames: string[] } {
  const sorted = { files: [] as ListedFile[], directories: [] as string[], badNames: [] as string[] };
  for (const entry of entries) {
    const isDirectory = entry.isDirectory();
    if (isDirectory ? !scope.recursive || isAsideName(entry.name) : !entry.isFile()) continue;
    const path = joinPath(dir, entry.name);
    if (scope.filter.ignores(path)) continue;
    if (badNames.has(entry.name)) sorted.badNames.push(path);
    else if (isDirectory) {
      if (!scope.excluded.has(path)) sorted.directories.push(path);
    } else if (scope.filter.includes(path)) sorted.files.push({ path });
  }
  return sorted;
}

interface DirectoryEntries {
  readonly entries: readonly Dirent[];
  readonly badNames: ReadonlySet<string>;
}

async function readEntries(directory: string, onProgress: () => void): Promise<DirectoryEntries> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(directory, { bufferSize: ENTRIES_AT_ONCE })) {
    if (entries.push(entry) % ENTRIES_AT_ONCE === 0) onProgress();
  }
  if (!entries.some((entry) => entry.name.includes(REPLACEMENT))) return { entries, badNames: new Set() };
  // U+FFFD may also stand in a name by right; only the bytes tell.
  const names = await readdir(directory, { encoding: 'buffer' });
  return {
    entries,
    badNames: new Set(names.filter((name) => !isUtf8(name)).map((name) => name.toString('utf8'))),
  };
}

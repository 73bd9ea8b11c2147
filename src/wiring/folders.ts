import { join, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { createFolderGuard, type Guard } from '../intake/folder/guarded.ts';
import { checkOf } from '../intake/folder/pinnedPlaces.ts';
import { createWatchedFolder } from '../intake/folder/watchedFolder.ts';
import type { OpenFolder } from '../keeper/locateBytes.ts';
import type { Buffers } from '../core/ports/buffers.ts';
import type { ReadBeside, WatchedFolder } from '../core/ports/folder.ts';

/** One guard per root for the life of the process: a share that hangs still hangs after a reload. */
export type Guards = Map<string, Guard>;

export function guardOver(root: string, guards: Guards): Guard {
  const guard = guards.get(root) ?? createFolderGuard(root);
  guards.set(root, guard);
  return guard;
}

/** The agent's own directories. */
export function neverWatched({ stateDir, folders }: Pick<Config, 'stateDir' | 'folders'>): string[] {
  const own = folders.flatMap(({ archiveTo, needsAttention }) => [archiveTo, needsAttention ?? []].flat());
  return [stateDir, ...own];
}

/** Buffers that files are read into, and the thread that reads. */
export interface ReadingMeans {
  readonly buffers: Buffers;
  readonly readBeside?: ReadBeside;
}

/** Opens any folder: a configured one with its patterns, any other (a former one, an archive) for reading only. */
export function composeFolders(
  { stateDir, folders }: Pick<Config, 'stateDir' | 'folders'>,
  reading?: ReadingMeans,
  guards: Guards = new Map(),
  formerPlaces: readonly string[] = [],
): OpenFolder {
  const exclude = [...neverWatched({ stateDir, folders }), ...formerPlaces];
  /** One guard per folder and one per archive, shared by everything opened below it. */
  const guardOf = (path: string): Guard => {
    const roots = folders.flatMap((folder) => [folder.archiveTo, folder.path]);
    return guardOver(roots.find((each) => path === each || path.startsWith(each + sep)) ?? path, guards);
  };
  const opened = new Map<string, WatchedFolder>();
  return (path) => {
    const known = opened.get(path);
    if (known) return known;
    const settings = folders.find((folder) => folder.path === path);
    const archiveTo = settings?.archiveTo ?? join(path, 'archive');
    const folder = createWatchedFolder({
      path,
      recursive: settings?.recursive ?? false,
      include: settings?.include ?? [],
      ignore: settings?.ignore ?? [],
      exclude,
      archiveTo,
      watched: folders.map((folder) => folder.path),
      random: Math.random,
      guard: guardOf(path),
      check: checkOf(stateDir, path, archiveTo),
      ownDirectory: stateDir,
      ...(reading && { allocate: (size: number) => reading.buffers.take(size) }),
      ...(reading?.readBeside && { readBeside: reading.readBeside }),
    });
    // Only configured folders are cached: archives have a directory per month.
    if (settings) opened.set(path, folder);
    return folder;
  };
}

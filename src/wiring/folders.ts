import { join, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { createFolderGuard, type Guard } from '../intake/folder/guarded.ts';
import { createWatchedFolder } from '../intake/folder/watchedFolder.ts';
import type { OpenFolder } from '../delivery/payload/locateBytes.ts';
import type { Buffers } from '../core/ports/buffers.ts';
import type { ReadBeside, WatchedFolder } from '../core/ports/folder.ts';

/** One for each root, as long as the process lives: what hung under one configuration hangs under the next. */
export type Guards = Map<string, Guard>;

export function guardOver(root: string, guards: Guards): Guard {
  const guard = guards.get(root) ?? createFolderGuard(root);
  guards.set(root, guard);
  return guard;
}

/** Directories of the agent's own, wherever they lie. */
export function neverWatched({ stateDir, folders }: Pick<Config, 'stateDir' | 'folders'>): string[] {
  const own = folders.flatMap(({ archiveTo, needsAttention }) => [archiveTo, needsAttention ?? []].flat());
  return [stateDir, ...own];
}

/** What files are read into, and where. */
export interface ReadingMeans {
  readonly buffers: Buffers;
  readonly readBeside?: ReadBeside;
}

/** Opens any folder: a configured one with its patterns, another (a former one, an archive) for reading. */
export function composeFolders(
  { stateDir, folders }: Pick<Config, 'stateDir' | 'folders'>,
  reading?: ReadingMeans,
  guards: Guards = new Map(),
  formerPlaces: readonly string[] = [],
): OpenFolder {
  const exclude = [...neverWatched({ stateDir, folders }), ...formerPlaces];
  /** One for a folder and one for its archive: what hangs, hangs for all who open something below it. */
  const guardOf = (path: string): Guard => {
    const roots = folders.flatMap((folder) => [folder.archiveTo, folder.path]);
    return guardOver(roots.find((each) => path === each || path.startsWith(each + sep)) ?? path, guards);
  };
  const opened = new Map<string, WatchedFolder>();
  return (path) => {
    const known = opened.get(path);
    if (known) return known;
    const settings = folders.find((folder) => folder.path === path);
    const folder = createWatchedFolder({
      path,
      recursive: settings?.recursive ?? false,
      include: settings?.include ?? [],
      ignore: settings?.ignore ?? [],
      exclude,
      archiveTo: settings?.archiveTo ?? join(path, 'archive'),
      watched: folders.map((folder) => folder.path),
      random: Math.random,
      guard: guardOf(path),
      ownDirectory: stateDir,
      ...(reading && { allocate: (size: number) => reading.buffers.take(size) }),
      ...(reading?.readBeside && { readBeside: reading.readBeside }),
    });
    // Archives have as many directories as there are months; those are not kept.
    if (settings) opened.set(path, folder);
    return folder;
  };
}

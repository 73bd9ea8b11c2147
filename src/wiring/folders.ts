import { join, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { FolderApart, type ApartOptions } from '../intake/folder/apart.ts';
import { byMount } from '../intake/folder/byMount.ts';
import { createFolderGuard, type Guard } from '../intake/folder/guarded.ts';
import { Mounts } from '../intake/folder/mounts.ts';
import { checkOf } from '../intake/folder/pinnedPlaces.ts';
import { createWatchedFolder } from '../intake/folder/watchedFolder.ts';
import type { OpenFolder } from '../keeper/locateBytes.ts';
import type { Buffers } from '../core/ports/buffers.ts';
import type { ReadBeside, WatchedFolder } from '../core/ports/folder.ts';

/** What lasts for the life of the process: a share that hangs still hangs after a reload. */
export class Guards {
  readonly #program: string | null;
  readonly #guards = new Map<string, Guard>();
  readonly #aparts = new Map<string, FolderApart>();
  readonly mounts = new Mounts();

  /** `program`: the built folderProcess.ts; null: no folder gets a process of its own. */
  constructor(program: string | null = null) {
    this.#program = program;
  }

  /** One guard per root. */
  over(root: string): Guard {
    const guard = this.#guards.get(root) ?? createFolderGuard(root);
    this.#guards.set(root, guard);
    return guard;
  }

  get hasProcesses(): boolean {
    return this.#program !== null;
  }

  /** One process for each folder, mount and configuration; none before it is asked for something. */
  apart(options: ApartOptions): FolderApart {
    if (this.#program === null) throw new TypeError('no program');
    const key = JSON.stringify(options);
    const apart = this.#aparts.get(key) ?? new FolderApart(this.#program, options);
    this.#aparts.set(key, apart);
    return apart;
  }
}

/** The agent's own directories. */
export function neverWatched({ stateDir, folders }: Pick<Config, 'stateDir' | 'folders'>): string[] {
  const own = folders.flatMap(({ archiveTo, needsAttention }) => [archiveTo, needsAttention ?? []].flat());
  return [stateDir, ...own];
}

/** Where files from browsers are recorded. Never created, so that no name leads to a file of this machine. */
export function receivedFolder({ stateDir }: Pick<Config, 'stateDir'>): string {
  return join(stateDir, 'by-hand');
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
  guards: Guards = new Guards(),
  formerPlaces: readonly string[] = [],
): OpenFolder {
  const exclude = [...neverWatched({ stateDir, folders }), ...formerPlaces];
  /** One guard per folder and one per archive, shared by everything opened below it. */
  const guardOf = (path: string): Guard => {
    const roots = folders.flatMap((folder) => [folder.archiveTo, folder.path]);
    return guards.over(roots.find((each) => path === each || path.startsWith(each + sep)) ?? path);
  };
  const opened = new Map<string, WatchedFolder>();
  return (path) => {
    const known = opened.get(path);
    if (known) return known;
    const settings = folders.find((folder) => folder.path === path);
    const archiveTo = settings?.archiveTo ?? join(path, 'archive');
    const plain = {
      path,
      recursive: settings?.recursive ?? false,
      include: settings?.include ?? [],
      ignore: settings?.ignore ?? [],
      exclude,
      archiveTo,
      watched: folders.map((folder) => folder.path),
    };
    const here = createWatchedFolder({
      ...plain,
      random: Math.random,
      guard: guardOf(path),
      check: checkOf(stateDir, path, archiveTo),
      ownDirectory: stateDir,
      ...(guards.hasProcesses && { mounts: guards.mounts }),
      ...(reading && { allocate: (size: number) => reading.buffers.take(size) }),
      ...(reading?.readBeside && { readBeside: reading.readBeside }),
    });
    const apart = (mount: string): WatchedFolder =>
      guards.apart({ ...plain, stateDir, mount }).folder((each) => here.covers(each));
    const folder = guards.hasProcesses ? byMount(here, { mounts: guards.mounts, archiveTo, apart }) : here;
    // Only configured folders are cached: archives have a directory per month.
    if (settings) opened.set(path, folder);
    if (path !== receivedFolder({ stateDir })) return folder;
    return { ...folder, availability: async () => ({ state: 'missing', why: { is: 'sentByHand' } }) };
  };
}

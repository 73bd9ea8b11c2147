import fs, { type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FileIdentity } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import { dirOf, nameOf, pathOf } from '../../core/paths.ts';
import type { Random } from '../../core/ports/clock.ts';
import type {
  FileRead,
  FileStat,
  FolderAvailability,
  ReadBeside,
  WatchedFolder,
} from '../../core/ports/folder.ts';
import { checkFolder, tokenOf, unavailability } from './availability.ts';
import { identityOf, notRead, readAtOnce, readWhole, type Allocate } from './fileRead.ts';
import { fileSystemOf, stampsDirectories, type FileSystemSources } from './fileSystem.ts';
import { createFolderGuard, type Guard } from './guarded.ts';
import { listFolder, unwatchedIn } from './listing.ts';
import { FolderOriginals } from './originals.ts';
import { elsewhere, type PlaceCheck } from './pinnedPlaces.ts';
import {
  archiveDirectory,
  ignoreSystemErrors,
  inRealDirectory,
  inside,
  isAbsent,
  isRealAtOnce,
  parentsAreReal,
  unwritable,
} from './realDirectory.ts';
import { ifThere } from './placing.ts';
import { Scope, type ScopeOptions } from './scope.ts';

/** Larger files are read in pieces, so that other work can run in between. */
const AT_ONCE_BYTES = 1024 * 1024;
/** Largest file for the reader thread; a larger one would hold up the next ones. */
const BESIDE_BYTES_AT_MOST = 16 * 1024 * 1024;
/** How often a folder on the agent's own file system is looked at in full. */
const LOOK_EVERY_MS = 1_000;
/** Concurrent `stat` calls in other threads. */
const STATS_AT_ONCE = 32;

export interface WatchedFolderOptions extends Omit<ScopeOptions, 'folder'> {
  /** Absolute. */
  readonly path: string;
  /** Where `archive` moves files, keeping their relative directory; relative to `path`, or absolute. Never entered. */
  readonly archiveTo: string;
  /** Absolute paths of all folders in which people may put links; only this one if left out. */
  readonly watched?: readonly string[];
  readonly random: Random;
  /** Shared by everything that opens this folder, since a hang affects all of it. */
  readonly guard?: Guard;
  /** Rejects if the folder, or its archive, is elsewhere now than when it was chosen in the console. */
  readonly check?: PlaceCheck | null;
  /**
   * A directory of the agent's own. Files on the same file system are checked and read in this thread: that takes
   * a fraction of the time, and if that file system hangs, the agent hangs anyway.
   */
  readonly ownDirectory?: string;
  /** Memory for the bytes of a file. */
  readonly allocate?: Allocate;
  /** Reads files on the agent's own file system in another thread, if large enough, into memory from `allocate`. */
  readonly readBeside?: ReadBeside;
  /** The clock by which the system stamps directories; an argument for tests. */
  readonly now?: () => number;
  /** How to identify the folder's file system; the system's sources if left out. */
  readonly fileSystem?: FileSystemSources;
}

export function createWatchedFolder(options: WatchedFolderOptions): WatchedFolder {
  const { ownDirectory, allocate, readBeside, random, check } = options;
  const { now = Date.now, fileSystem: sources } = options;
  const folder = resolve(options.path);
  const archiveTo = resolve(folder, options.archiveTo);
  const watched = [folder, ...(options.watched ?? [])];
  const scope = new Scope({ ...options, folder, exclude: [...options.exclude, archiveTo] });
  const guard = options.guard ?? createFolderGuard(folder);
  const originals = new FolderOriginals({ scope, archiveTo, watched, random });

  /** Whether a device is a network one. Cleared by `availability`, since the system may reuse device numbers. */
  const networks = new Map<bigint, boolean>();
  const identify = async (file: string, stats: BigIntStats): Promise<FileIdentity> => {
    const known = networks.get(stats.dev);
    const network = known ?? (await fileSystemOf(file, stats.dev, sources)).network;
    networks.set(stats.dev, network);
    return identityOf(stats, network);
  };

  /** The folder's device if it is the agent's own too; null otherwise, and before the first `availability`. */
  let ownDevice: bigint | null = null;
  let stampedDevice: bigint | null = null;
  const isAtHand = (path: string): boolean => ownDevice !== null && dirOf(path) === '';

  /** What the last full look found, and when, by the system's clock. */
  let present: Extract<FolderAvailability, { state: 'present' }>;
  let lookedAt = -Infinity;
  /** Every admission asks, and a full look takes five calls of the system. */
  const isAsBefore = (): boolean => {
    const age = now() - lookedAt;
    if (ownDevice === null || check || age < 0 || age > LOOK_EVERY_MS) return false;
    try {
      return tokenOf(fs.statSync(folder, { bigint: true })) === present.token;
    } catch {
      return false;
    }
  };

  /** Checks also after the work, so that nothing from elsewhere is taken in. */
  const reading = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!check) return work();
    await check(folder);
    const found = await work();
    await check(folder);
    return found;
  };
  /** Without a time limit, which would count as the folder's own silence, while the archive may be on another disk. */
  const changing = <T>(work: () => Promise<T>): Promise<T> =>
    guard.runLong(async () => {
      await check?.(folder, archiveTo);
      return work();
    });

  const stat = (path: string): Promise<FileStat | null> =>
    guard.run(async () => {
      const file = inside(folder, path);
      if (!(await parentsAreReal(folder, path))) return null;
      const stats = await ifThere(lstat(file, { bigint: true }));
      if (stats === null) return null;
      return stats.isFile() ? { kind: 'file', identity: await identify(file, stats) } : { kind: 'other' };
    });

  /** Null if the file must be read through the guard. */
  const readAtHand = async (file: string, limit: number, size: number): Promise<FileRead | null> => {
    if (readBeside && allocate && size <= Math.min(limit, BESIDE_BYTES_AT_MOST)) {
      const read = await readBeside(file, size, allocate);
      if (read !== null) return read;
    }
    return readAtOnce(file, Math.min(limit, AT_ONCE_BYTES), allocate);
  };

  return {
    path: folder,
    async availability() {
      if (isAsBefore()) return present;
      try {
        const found = await reading(() => guard.run(() => checkFolder(folder, sources)));
        const { token, device, fileSystem } = found;
        networks.clear();
        networks.set(device, fileSystem.network);
        ownDevice = !fileSystem.network && device === deviceOf(ownDirectory) ? device : null;
        stampedDevice = stampsDirectories(fileSystem) ? device : null;
        lookedAt = now();
        return (present = { state: 'present', token, fileSystem });
      } catch (error) {
        ownDevice = null;
        if (check && systemCode(error) === 'ELOOP') return { state: 'unreadable', why: elsewhere(folder) };
        return unavailability(folder, error);
      }
    },
    async *list(under = '', signal, passesOver) {
      inside(folder, under);
      let onProgress = (): void => {};
      const means = { isAtOnce: ownDevice !== null, stampedDevice, now, onProgress: () => onProgress() };
      const batches = listFolder(scope, means, under, signal, passesOver);
      for (;;) {
        const next = await reading(() =>
          guard.run((progress) => {
            onProgress = progress;
            return batches.next();
          }),
        );
        if (next.done) return;
        yield next.value;
      }
    },
    unwatched: () =>
      reading(() => guard.run(() => (scope.recursive ? Promise.resolve([]) : unwatchedIn(scope)))),
    covers: (path) => scope.covers(path),
    stat: (path) =>
      reading(async () => {
        const found = isAtHand(path) ? statAtOnce(inside(folder, path), ownDevice) : undefined;
        return found === undefined ? stat(path) : found;
      }),
    statEach: (dir, names) =>
      reading(async () => {
        // Let other work that waits for this thread run between batches.
        await setImmediate();
        const directory = inside(folder, dir);
        const isAtOnce = ownDevice !== null && isRealAtOnce(folder, dir);
        const found: (FileStat | null | undefined)[] = [];
        const others: number[] = [];
        for (const [at, name] of names.entries()) {
          try {
            const stats = isAtOnce ? statAtOnce(directory + sep + name, ownDevice) : undefined;
            if (stats === undefined) others.push(at);
            found.push(stats);
          } catch (error) {
            found.push(ignored(error));
          }
        }
        for (let start = 0; start < others.length; start += STATS_AT_ONCE) {
          const some = others.slice(start, start + STATS_AT_ONCE);
          const asked = some.map((at) => stat(pathOf(dir, names[at] ?? '')).catch(ignored));
          for (const [index, stats] of (await Promise.all(asked)).entries()) found[some[index] ?? 0] = stats;
        }
        return found;
      }),
    async read(path, limit, { signal, size = 0 } = {}): Promise<FileRead> {
      const file = inside(folder, path);
      const read = async (): Promise<FileRead> => {
        const atHand = isAtHand(path) ? await readAtHand(file, limit, size) : null;
        if (atHand !== null) return atHand;
        const whole = guard.run((onProgress) => {
          const identifyIt = (stats: BigIntStats): Promise<FileIdentity> => identify(file, stats);
          const means = { limit, allocate, onProgress, signal, identify: identifyIt };
          // Hold the directory, so that no parent can be replaced by a link between the check and the open.
          const parent = dirOf(path);
          if (parent === '') return readWhole(file, means);
          return inRealDirectory(folder, parent, (dir) => readWhole(join(dir, nameOf(path)), means));
        });
        return whole.catch((error: unknown) => {
          signal?.throwIfAborted();
          return notRead(error);
        });
      };
      try {
        return await reading(read);
      } catch (error) {
        if (systemCode(error) !== 'ELOOP') throw error;
        return { kind: 'unreadable', code: 'ELOOP' };
      }
    },
    unwritable: (to) =>
      changing(async () => {
        const here = await unwritable({ base: folder, below: '', isWatched: true });
        return here ?? (to === 'archive' ? unwritable(archiveDirectory(archiveTo, watched)) : null);
      }),
    setAside: (path) => changing(() => originals.setAside(path)),
    putBack: (aside, path) => changing(() => originals.putBack(aside, path)),
    archive: (aside, path) => changing(() => originals.archive(aside, path)),
    findArchived: (...which) => changing(() => originals.findArchived(...which)),
    discard: (aside) => changing(() => originals.discard(aside)),
    leftAside: (signal) => changing(() => originals.leftAside(signal)),
  };
}

/** Undefined if the file is on another device after all. @throws the system's error */
function statAtOnce(file: string, device: bigint | null): FileStat | null | undefined {
  try {
    const stats = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (stats.dev !== device) return undefined;
    return stats.isFile() ? { kind: 'file', identity: identityOf(stats, false) } : { kind: 'other' };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return null;
  }
}

/** A file of which the system can tell nothing. */
function ignored(error: unknown): undefined {
  ignoreSystemErrors(error);
  return undefined;
}

function deviceOf(directory: string | undefined): bigint | undefined {
  if (directory === undefined) return undefined;
  return fs.statSync(directory, { bigint: true, throwIfNoEntry: false })?.dev;
}

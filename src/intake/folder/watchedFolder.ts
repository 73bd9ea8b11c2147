import fs, { type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FileIdentity } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { Random } from '../../core/ports/clock.ts';
import type { FileRead, FileStat, ReadBeside, WatchedFolder } from '../../core/ports/folder.ts';
import * as asides from './aside.ts';
import { findArchived } from './findArchived.ts';
import { isAsideName } from './asideName.ts';
import { lookAt, unavailability } from './availability.ts';
import { EnteredDirectories } from './enteredDirectories.ts';
import { createExcludedDirectories } from './excludedDirectories.ts';
import { fileSystemOf, stampsDirectories, type FileSystemSources } from './fileSystem.ts';
import { inside, isAbsent, joinPath, nameOf, parentOf } from './folderPath.ts';
import { createFolderGuard, type Guard } from './guarded.ts';
import { listFolder, unwatchedIn } from './listing.ts';
import { createPathFilter } from './pathFilter.ts';
import { archiveDirectory, unwritable } from './ownDirectory.ts';
import { identityOf, isNoFile, readAtOnce, readWhole, type Allocate } from './readWhole.ts';
import { inRealDirectory, isRealAtOnce, parentsAreReal } from './realDirectory.ts';

/** Larger files are read in pieces, so that other work can run in between. */
const AT_ONCE_BYTES = 1024 * 1024;
/** Largest file for the reader thread; a larger one would hold up the next ones. */
const BESIDE_BYTES_AT_MOST = 16 * 1024 * 1024;
/** Concurrent `stat` calls in other threads. */
const STATS_AT_ONCE = 32;

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
  /** Absolute paths of all folders in which people may put links; only this one if left out. */
  readonly watched?: readonly string[];
  readonly random: Random;
  /** Shared by everything that opens this folder, since a hang affects all of it. */
  readonly guard?: Guard;
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
  const { recursive, random, ownDirectory, allocate, readBeside } = options;
  const { now = Date.now, fileSystem: sources } = options;
  const folder = resolve(options.path);
  const archiveTo = resolve(folder, options.archiveTo);
  const watched = [folder, ...(options.watched ?? [])];
  const filter = createPathFilter(options.include, options.ignore);
  const excluded = createExcludedDirectories(folder, [...options.exclude, archiveTo]);
  const guard = options.guard ?? createFolderGuard(folder);

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
  const isAtHand = (path: string): boolean => ownDevice !== null && parentOf(path) === '';

  /** Null if the file must be read through the guard. */
  const readAtHand = async (file: string, limit: number, size: number): Promise<FileRead | null> => {
    if (readBeside && allocate && size <= Math.min(limit, BESIDE_BYTES_AT_MOST)) {
      const read = await readBeside(file, size, allocate);
      if (read !== null) return read;
    }
    return readAtOnce(file, Math.min(limit, AT_ONCE_BYTES), allocate);
  };

  const ways = new EnteredDirectories((dir) => !filter.ignores(dir) && !isAsideName(nameOf(dir)));
  const enters = (path: string): boolean => ways.enters(path) && !excluded.has(path);

  return {
    path: folder,
    async availability() {
      try {
        const { token, device, fileSystem } = await guard.run(() => lookAt(folder, sources));
        networks.clear();
        networks.set(device, fileSystem.network);
        ownDevice = !fileSystem.network && device === deviceOf(ownDirectory) ? device : null;
        stampedDevice = stampsDirectories(fileSystem) ? device : null;
        return { state: 'present', token, fileSystem };
      } catch (error) {
        ownDevice = null;
        return unavailability(folder, error);
      }
    },
    async *list(under = '', signal, passesOver) {
      inside(folder, under);
      if (under !== '' && !(recursive && enters(under))) return;
      let onProgress = (): void => {};
      const isAtOnce = ownDevice !== null;
      const looks = { isAtOnce, stampedDevice, now, onProgress: () => onProgress() };
      const scope = { folder, recursive, filter, excluded, ...looks };
      const batches = listFolder(scope, under, signal, passesOver);
      for (;;) {
        const next = await guard.run((progress) => {
          onProgress = progress;
          return batches.next();
        });
        if (next.done) return;
        yield next.value;
      }
    },
    unwatched: () =>
      guard.run(() => (recursive ? Promise.resolve([]) : unwatchedIn({ folder, filter, excluded }))),
    covers: (path) =>
      path !== '' && (recursive || !path.includes('/')) && enters(path) && filter.includes(path),
    async stat(path) {
      const found = isAtHand(path) ? statAtOnce(inside(folder, path), ownDevice) : undefined;
      return found === undefined ? guard.run(() => statInside(folder, path, identify)) : found;
    },
    async statEach(dir, names) {
      // Let other work that waits for this thread run between batches.
      await setImmediate();
      const directory = inside(folder, dir);
      const isReal = ownDevice !== null && realAtOnce(folder, dir);
      const found: (FileStat | null | undefined)[] = [];
      const others: number[] = [];
      for (const [at, name] of names.entries()) {
        const stat = isReal ? tryAtOnce(directory + sep + name, ownDevice) : ELSEWHERE;
        if (stat === ELSEWHERE) others.push(at);
        found.push(stat === ELSEWHERE ? undefined : stat);
      }
      for (let start = 0; start < others.length; start += STATS_AT_ONCE) {
        const some = others.slice(start, start + STATS_AT_ONCE);
        const asked = some.map((at) =>
          guard.run(() => statInside(folder, joinPath(dir, names[at] ?? ''), identify)).catch(unsaid),
        );
        for (const [index, stat] of (await Promise.all(asked)).entries()) found[some[index] ?? 0] = stat;
      }
      return found;
    },
    async read(path, limit, { signal, size = 0 } = {}): Promise<FileRead> {
      const file = inside(folder, path);
      const read = isAtHand(path) ? await readAtHand(file, limit, size) : null;
      if (read !== null) return read;
      try {
        return await guard.run(async (onProgress) => {
          const reading = {
            limit,
            allocate,
            onProgress,
            signal,
            identify: (stats: BigIntStats) => identify(file, stats),
          };
          // Hold the directory, so that no parent can be replaced by a link between the check and the open.
          const parent = parentOf(path);
          if (parent === '') return readWhole(file, reading);
          return inRealDirectory(folder, parent, (dir) => readWhole(join(dir, nameOf(path)), reading));
        });
      } catch (error) {
        signal?.throwIfAborted();
        const code = systemCode(error);
        if (code === undefined) throw error;
        return isNoFile(code) ? { kind: 'gone' } : { kind: 'unreadable', code };
      }
    },
    unwritable: (to) =>
      // The limit would count as the folder's own silence, while the archive may be on another disk.
      guard.runLong(async () => {
        const here = await unwritable({ base: folder, below: '', isWatched: true });
        return here ?? (to === 'archive' ? unwritable(archiveDirectory(archiveTo, watched)) : null);
      }),
    setAside: (path) => guard.runLong(() => asides.setAside(folder, path, random)),
    putBack: (aside, path) =>
      guard.runLong(() => asides.putBack(folder, aside, path, random, archiveTo, watched)),
    archive: (aside, path) =>
      guard.runLong(() => asides.archive(folder, archiveTo, aside, path, random, watched)),
    findArchived: (path, size, sha256) =>
      guard.runLong(() => findArchived(archiveTo, path, size, sha256, watched)),
    discard: (aside) => guard.runLong(() => asides.discard(folder, aside)),
    leftAside: (signal) => guard.runLong(() => asides.leftAside(folder, excluded, signal)),
  };
}

/** A file that must be checked in another thread. */
const ELSEWHERE = Symbol('elsewhere');

/** Undefined if the system reports an error. */
function tryAtOnce(file: string, device: bigint | null): FileStat | null | undefined | typeof ELSEWHERE {
  try {
    const found = statAtOnce(file, device);
    return found === undefined ? ELSEWHERE : found;
  } catch (error) {
    return unsaid(error);
  }
}

function unsaid(error: unknown): undefined {
  if (systemCode(error) === undefined) throw error;
  return undefined;
}

/** Whether the directory is known to be real, without links, by a check in this thread; false if the check fails. */
function realAtOnce(folder: string, dir: string): boolean {
  try {
    return isRealAtOnce(folder, dir);
  } catch (error) {
    unsaid(error);
    return false;
  }
}

/** Undefined if the file is on another device after all. */
function statAtOnce(file: string, device: bigint | null): FileStat | null | undefined {
  try {
    const stats = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (stats.dev !== device) return undefined;
    return stats.isFile() ? { kind: 'file', identity: identityOf(stats, false) } : { kind: 'other' };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function deviceOf(directory: string | undefined): bigint | undefined {
  if (directory === undefined) return undefined;
  return fs.statSync(directory, { bigint: true, throwIfNoEntry: false })?.dev;
}

async function statInside(
  folder: string,
  path: string,
  identify: (file: string, stats: BigIntStats) => Promise<FileIdentity>,
): Promise<FileStat | null> {
  const file = inside(folder, path);
  try {
    if (!(await parentsAreReal(folder, path))) return null;
    const stats = await lstat(file, { bigint: true });
    return stats.isFile() ? { kind: 'file', identity: await identify(file, stats) } : { kind: 'other' };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

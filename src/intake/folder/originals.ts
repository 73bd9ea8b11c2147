import { lstat, mkdir, opendir, readdir, realpath, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ReceiptdError, systemCode, systemError } from '../../core/domain/errors.ts';
import { dirOf, nameOf, pathOf } from '../../core/paths.ts';
import type { Random } from '../../core/ports/clock.ts';
import type { WatchedFolder } from '../../core/ports/folder.ts';
import { readEntries } from './listing.ts';
import { isBeingWritten } from './openFiles.ts';
import {
  copyExclusively,
  hasContent,
  ifThere,
  isLike,
  moveInto,
  randomHex,
  unlinkIfThere,
} from './placing.ts';
import {
  archiveDirectory,
  ignoreSystemErrors,
  inOwnDirectory,
  inRealDirectory,
  inside,
  isAbsent,
  type OwnDirectory,
} from './realDirectory.ts';
import { ASIDE_PREFIX, isAsideName, type Scope } from './scope.ts';

/*
 * How a file leaves the folder (promise P3):
 *
 *   in its place ──setAside──▶ aside ──archive──▶ in the archive
 *        ▲                       │ └──discard──▶ deleted
 *        └───────putBack─────────┘
 *
 * A crash leaves it aside, where `leftAside` finds it, or in both places. It gets its name in the archive only when it is complete and
 * durable there: by a link, or by a copy that is `incoming` until then. Directories are held open while a file is moved between them
 * (`inRealDirectory`), so that replacing one by a link can't redirect the file.
 */

/** Directory in an archive for an unfinished copy; ends in the number of the aside directory, by which it is attributed after a crash. */
const INCOMING_PREFIX = '.receiptd-incoming-';
const INCOMING_NAME = /^\.receiptd-incoming-[0-9a-f]{8}$/;
/** Name of the copy until it gets its name in the archive. */
const COPY = 'copy';
const DAY_MS = 24 * 60 * 60_000;

/** Archive directories that this process has swept already; listing them for every file would be slow. */
const swept = new Set<string>();

export interface OriginalsOptions {
  readonly scope: Scope;
  /** Absolute. */
  readonly archiveTo: string;
  readonly watched: readonly string[];
  readonly random: Random;
}

type Originals = Pick<
  WatchedFolder,
  'setAside' | 'putBack' | 'archive' | 'findArchived' | 'discard' | 'leftAside'
>;

/** The files of a folder that leave it. Errors are the system's. */
export class FolderOriginals implements Originals {
  readonly #scope: Scope;
  readonly #folder: string;
  readonly #archiveTo: string;
  readonly #archive: OwnDirectory;
  readonly #random: Random;

  constructor({ scope, archiveTo, watched, random }: OriginalsOptions) {
    this.#scope = scope;
    this.#folder = scope.folder;
    this.#archiveTo = archiveTo;
    this.#archive = archiveDirectory(archiveTo, watched);
    this.#random = random;
  }

  /** Moves a file into a new hidden directory beside it. ENOENT if no regular file is there, EBUSY if it is being written. */
  async setAside(path: string): Promise<string> {
    const file = inside(this.#folder, path);
    const name = nameOf(path);
    const absent = systemError('ENOENT', `no file at ${file}`);
    try {
      return await inRealDirectory(this.#folder, dirOf(path), async (parent) => {
        if (!(await lstat(join(parent, name))).isFile()) throw absent;
        const real = await realpath(this.#folder);
        if (await isBeingWritten(real, join(real, path)))
          throw systemError('EBUSY', `${file} is being written`);
        const directory = ASIDE_PREFIX + randomHex(this.#random);
        await mkdir(join(parent, directory), { mode: 0o700 });
        try {
          // The directory is new and private, so there is nothing to overwrite.
          await inRealDirectory(parent, directory, (aside) => rename(join(parent, name), join(aside, name)));
          return pathOf(pathOf(dirOf(path), directory), name);
        } catch (error) {
          await removeIfEmpty(join(parent, directory));
          throw error;
        }
      });
    } catch (error) {
      throw isAbsent(error) ? absent : error;
    }
  }

  /**
   * Removes its unfinished copy in the archive first: later nothing would tell whose copy it is. In an archive that may hang it stays until
   * it is swept: the file must not wait under a hidden name until the archive is back.
   */
  async putBack(aside: string, path: string): Promise<string> {
    const incoming = incomingNameOf(aside);
    inside(this.#folder, path);
    const clear = (archived: string): Promise<void> => clearIncoming(archived, incoming);
    if (!this.#scope.mayHang(this.#archiveTo))
      await inOwnDirectory(this.#archive, dirOf(path), clear).catch(ignoreSystemErrors);
    const move = (source: string) => (parent: string) =>
      moveInto(source, parent, nameOf(path), { random: this.#random });
    const name = await this.#withAside(aside, (source) =>
      inRealDirectory(this.#folder, dirOf(path), move(source)),
    );
    return pathOf(dirOf(path), name);
  }

  async archive(aside: string, path: string): Promise<string> {
    const incoming = incomingNameOf(aside);
    inside(this.#folder, path);
    const place = inside(this.#archiveTo, dirOf(path));
    const move = (source: string) => async (directory: string) => {
      try {
        return await moveInto(source, directory, nameOf(path), { random: this.#random });
      } catch (error) {
        if (systemCode(error) !== 'EXDEV') throw error;
        return this.#moveCopy(source, directory, nameOf(path), { incoming, place });
      }
    };
    try {
      const name = await this.#withAside(aside, (source) =>
        inOwnDirectory(this.#archive, dirOf(path), move(source), { make: true }),
      );
      return join(place, name);
    } catch (error) {
      if (systemCode(error) !== 'ENOTDIR' && systemCode(error) !== 'ELOOP') throw error;
      throw new ReceiptdError('FOLDER_NOT_A_DIRECTORY.inArchive', { place }, { cause: error });
    }
  }

  /** Moves to another file system. `directory` may lead through a file descriptor; `place` is its own path. */
  async #moveCopy(
    source: string,
    directory: string,
    name: string,
    { incoming, place }: { readonly incoming: string; readonly place: string },
  ): Promise<string> {
    const staging = join(directory, incoming);
    await mkdir(staging, { mode: 0o700 });
    try {
      await sweepOnce(directory, incoming, place);
      await inRealDirectory(directory, incoming, (held) => copyExclusively(source, join(held, COPY)));
      const moved = await moveInto(join(staging, COPY), directory, name, { random: this.#random, staging });
      await clearIncoming(directory, incoming);
      await unlink(source);
      return moved;
    } catch (error) {
      await clearIncoming(directory, incoming).catch(ignoreSystemErrors);
      throw error;
    }
  }

  /** Rejects if the archive can't be read: it may not be mounted. */
  async findArchived(path: string, size: number, sha256: string): Promise<string | null> {
    const place = inside(this.#archiveTo, dirOf(path));
    const name = nameOf(path);
    await inOwnDirectory(this.#archive, '', async (directory) => (await opendir(directory)).close());
    const found = inOwnDirectory(this.#archive, dirOf(path), async (directory) => {
      const like = (await readdir(directory)).filter((candidate) => isLike(candidate, name));
      // The original name first, then suffixed ones, in the order in which they are given out.
      like.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
      for (const candidate of like)
        if (await hasContent(join(directory, candidate), size, sha256)) return join(place, candidate);
      return null;
    });
    return ifThere(found);
  }

  async discard(aside: string): Promise<void> {
    await ifThere(this.#withAside(aside, unlinkIfThere));
  }

  /**
   * Finds aside files in the whole tree, even in ignored directories: the patterns may have changed since. Removes empty
   * aside directories, so it must not run at the same time as `setAside`.
   */
  async leftAside(signal?: AbortSignal): Promise<{ aside: string; path: string }[]> {
    await this.#scope.refresh();
    const found: { aside: string; path: string }[] = [];
    const directories = [''];
    for (const directory of directories) {
      signal?.throwIfAborted();
      const isAside = isAsideName(nameOf(directory));
      try {
        const place = inside(this.#folder, directory);
        if (isAside) await removeIfEmpty(place);
        // A directory of scans may have a million entries; only its subdirectories matter.
        const names = await readEntries<string[]>(
          place,
          {},
          () => [],
          (some, name, entry, isBad) => {
            if (!isBad && (isAside ? entry.isFile() : entry.isDirectory())) some.push(name);
          },
        );
        for (const name of names) {
          const path = pathOf(directory, name);
          if (isAside) found.push({ aside: path, path: pathOf(dirOf(directory), name) });
          else if (!this.#scope.isExcluded(path) && !this.#scope.isMount(path)) directories.push(path);
        }
      } catch (error) {
        if (directory === '' || systemCode(error) === undefined) throw error;
      }
    }
    return found;
  }

  /** Runs `work` on the aside file, then removes its directory if it is empty. */
  async #withAside<T>(aside: string, work: (source: string) => Promise<T>): Promise<T> {
    inside(this.#folder, aside);
    const directory = asideDirectoryOf(aside);
    return inRealDirectory(this.#folder, dirOf(directory), async (parent) => {
      const done = await inRealDirectory(parent, nameOf(directory), (held) =>
        work(join(held, nameOf(aside))),
      );
      await removeIfEmpty(join(parent, nameOf(directory)));
      return done;
    });
  }
}

/** @throws TypeError for any other path, so that only aside files can be discarded */
function asideDirectoryOf(aside: string): string {
  const directory = dirOf(aside);
  if (!isAsideName(nameOf(directory))) throw new TypeError(`Not an aside file: ${JSON.stringify(aside)}`);
  return directory;
}

function incomingNameOf(aside: string): string {
  return INCOMING_PREFIX + nameOf(asideDirectoryOf(aside)).slice(ASIDE_PREFIX.length);
}

/** Removes an unfinished copy. Idempotent. */
async function clearIncoming(directory: string, incoming: string): Promise<void> {
  const cleared = inRealDirectory(directory, incoming, async (staging) => {
    for (const name of await readdir(staging)) {
      // The empty file that reserved the final name on a file system without links (`placeByRename`).
      if (name !== COPY && (await isEmptyFile(join(directory, name)))) await unlink(join(directory, name));
      await unlink(join(staging, name));
    }
  });
  await ifThere(cleared.then(() => rmdir(join(directory, incoming))));
}

/** Removes old copies left behind when an aside file was put back while the archive was unreachable. */
async function sweepOnce(directory: string, incoming: string, place: string): Promise<void> {
  if (swept.has(place)) return;
  swept.add(place);
  // Old by the archive's own clock; a newer copy may belong to another agent that is still writing it.
  const now = (await stat(join(directory, incoming))).mtimeMs;
  for (const name of (await readdir(directory)).filter((each) => INCOMING_NAME.test(each))) {
    const there = await stat(join(directory, name)).catch(() => null);
    if (there !== null && now - there.mtimeMs > DAY_MS) await clearIncoming(directory, name);
  }
}

async function isEmptyFile(path: string): Promise<boolean> {
  const there = await lstat(path).catch(() => null);
  return there !== null && there.isFile() && there.size === 0;
}

/** If somebody put another file there or removed the directory, the moved file is not affected. */
async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(ignoreSystemErrors);
}

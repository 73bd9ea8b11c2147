import type { BigIntStats } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTE_ENDING } from '../../core/domain/attention.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { AttentionFile, AttentionFolder } from '../../core/ports/attention.ts';
import type { Random } from '../../core/ports/clock.ts';
import { randomHex } from './asideName.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { isAbsent, nameOf, parentOf } from './folderPath.ts';
import { freeNames, nameTaken } from './freeNames.ts';
import type { Guard } from './guarded.ts';
import { attentionDirectory, inOwnDirectory, unwritable } from './ownDirectory.ts';
import { openNew, placeByLink, placeByRename } from './placeExclusively.ts';
import { inRealDirectory } from './realDirectory.ts';

const HIDDEN_PREFIX = '.receiptd-attention-';
/** FAT stores times with a resolution of two seconds. */
const SAME_TIME_MS = 2_000;

export interface AttentionFolderOptions {
  /** Absolute. */
  readonly path: string;
  /** Absolute path of the watched folder; a new attention folder gets its permissions. */
  readonly like: string;
  /** Absolute paths of all folders in which people may put links. */
  readonly watched: readonly string[];
  /** Identifies the watched folder, since several may share one attention folder. Eight hexadecimal digits. */
  readonly mark: string;
  readonly guard: Guard;
  readonly random: Random;
}

/** Every operation holds the directory open (`inRealDirectory`): a link put in its place or on its path is not followed. */
export function createAttentionFolder(options: AttentionFolderOptions): AttentionFolder {
  const { path: folder, like, mark, guard, random } = options;
  const place = attentionDirectory(folder, options.watched);
  const held = <T>(work: (directory: string) => Promise<T>): Promise<T> => inOwnDirectory(place, '', work);

  const freeName = async (directory: string, wanted: string): Promise<string> => {
    for (const name of freeNames(wanted, random)) {
      const path = join(directory, name);
      if ((await isFree(path)) && (await isFree(path + NOTE_ENDING))) return name;
    }
    throw nameTaken(wanted, folder);
  };

  const write = async (directory: string, name: string, bytes: Uint8Array): Promise<WrittenNote> => {
    const hidden = `${HIDDEN_PREFIX}${mark}${randomHex(random)}`;
    const handle = await openNew(join(directory, hidden), 0o666);
    if (handle === null) throw nameTaken(hidden, folder);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
      const { size, mtimeMs } = await handle.stat();
      return { hidden, file: { name, size, mtimeMs } };
    } catch (error) {
      await unlink(join(directory, hidden)).catch(() => {});
      throw error;
    } finally {
      await handle.close();
    }
  };

  return {
    path: folder,
    isThere: () =>
      guard.run(() =>
        ifThere(
          held(() => Promise.resolve(true)),
          false,
        ),
      ),
    unwritable: () => guard.run(() => unwritable(place)),
    make: () =>
      guard.run(() =>
        inRealDirectory(place.base, parentOf(place.below), (parent) =>
          makeLike(parent, nameOf(place.below), like),
        ),
      ),
    unmake: (made) =>
      guard.run(() =>
        ifThere(
          inRealDirectory(place.base, parentOf(place.below), (parent) =>
            unmake(join(parent, nameOf(place.below)), made),
          ),
          undefined,
        ),
      ),
    prepare: ({ name: wanted, copy, note }) =>
      guard.runLong(() =>
        held(async (directory) => {
          const name = await freeName(directory, wanted);
          const first = copy === null ? null : await write(directory, name, copy);
          try {
            const second = await write(directory, name + NOTE_ENDING, Buffer.from(note));
            const both = first === null ? [second] : [first, second];
            return { files: both.map(({ file }) => file), hidden: both.map(({ hidden }) => hidden) };
          } catch (error) {
            if (first !== null) await unlinkIfThere(join(directory, first.hidden)).catch(() => {});
            throw error;
          }
        }),
      ),
    publish: ({ files, hidden }) =>
      guard.runLong(() =>
        held(async (directory) => {
          const placed: AttentionFile[] = [];
          for (const [index, file] of files.entries()) {
            const source = join(directory, hidden[index] ?? '');
            if (await give(source, join(directory, file.name))) {
              placed.push(file);
              continue;
            }
            await removeOurs(directory, placed);
            for (const left of hidden) await unlinkIfThere(join(directory, left));
            return false;
          }
          await syncDirectory(directory);
          return true;
        }),
      ),
    remove: (files) =>
      guard.run(() =>
        ifThere(
          held((directory) => removeOurs(directory, files)),
          undefined,
        ),
      ),
    count: (files) =>
      guard.run(() =>
        ifThere(
          held((directory) => countOurs(directory, files)),
          0,
        ),
      ),
    sweep: () =>
      guard.runLong(() =>
        ifThere(
          held(async (directory) => {
            const left = new RegExp(`^\\${HIDDEN_PREFIX}${mark}[0-9a-f]{8}$`);
            for (const name of await readdir(directory))
              if (left.test(name)) await unlinkIfThere(join(directory, name));
          }),
          undefined,
        ),
      ),
  };
}

interface WrittenNote {
  readonly hidden: string;
  readonly file: AttentionFile;
}

/** Resolves `otherwise` if the folder is missing. Anything else in its place, such as a link, is an error. */
async function ifThere<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return otherwise;
  }
}

async function isFree(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return true;
  }
}

async function isOurs(directory: string, { name, size, mtimeMs }: AttentionFile): Promise<boolean> {
  try {
    const there = await lstat(join(directory, name));
    return there.isFile() && there.size === size && Math.abs(there.mtimeMs - mtimeMs) <= SAME_TIME_MS;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return false;
  }
}

async function removeOurs(directory: string, files: readonly AttentionFile[]): Promise<void> {
  for (const file of files)
    if (await isOurs(directory, file)) await unlinkIfThere(join(directory, file.name));
}

async function countOurs(directory: string, files: readonly AttentionFile[]): Promise<number> {
  let count = 0;
  for (const file of files) if (await isOurs(directory, file)) count += 1;
  return count;
}

/** Moves a file to its final name. False if the name is taken. */
async function give(source: string, target: string): Promise<boolean> {
  const placed = await placeByLink(source, target);
  if (placed === 'unsupported') return placeByRename(source, target);
  if (placed === 'placed') await unlinkIfThere(source);
  return placed === 'placed';
}

/**
 * Creates the folder with the owner and mode of the watched one, so that people who scan can delete files that they have
 * dealt with. Null if it exists.
 */
async function makeLike(parent: string, name: string, watched: string): Promise<string | null> {
  try {
    await mkdir(join(parent, name));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return null;
  }
  const made = identityOf(await lstat(join(parent, name), { bigint: true }));
  if (process.platform === 'win32') return made;
  const { mode, uid, gid } = await stat(watched);
  await inRealDirectory(parent, name, async (directory) => {
    // A different folder may be there by now; leave its owner and mode alone.
    if ((await readdir(directory)).length > 0) return;
    try {
      await chown(directory, uid, gid);
    } catch (error) {
      // Only root may change the owner.
      if (systemCode(error) === undefined) throw error;
    }
    await chmod(directory, mode & 0o7777).catch(() => {});
  });
  return made;
}

/** Identifies a directory. Includes the birth time, since inode numbers are reused. */
function identityOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}`;
}

async function unmake(folder: string, made: string): Promise<void> {
  const there = await lstat(folder, { bigint: true });
  if (!there.isDirectory() || identityOf(there) !== made) return;
  try {
    await rmdir(folder);
  } catch (error) {
    // It is not empty, or may not be removed: keep it.
    if (systemCode(error) === undefined) throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

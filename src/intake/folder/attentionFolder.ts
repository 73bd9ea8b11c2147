import type { BigIntStats } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTE_ENDING } from '../../core/domain/attention.ts';
import { systemCode } from '../../core/domain/errors.ts';
import { dirOf, nameOf } from '../../core/paths.ts';
import type { AttentionFile, AttentionFolder } from '../../core/ports/attention.ts';
import type { Random } from '../../core/ports/clock.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import type { Guard } from './guarded.ts';
import type { PlaceCheck } from './pinnedPlaces.ts';
import {
  freeNames,
  ifThere,
  isFree,
  moveTo,
  nameTaken,
  openNew,
  randomHex,
  unlinkIfThere,
} from './placing.ts';
import {
  attentionDirectory,
  ignoreSystemErrors,
  inOwnDirectory,
  inRealDirectory,
  unwritable,
} from './realDirectory.ts';

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
  /** Rejects if the folder is elsewhere now than when it was chosen in the console. */
  readonly check?: PlaceCheck | null;
  readonly random: Random;
}

/** Every operation holds the directory open (`inRealDirectory`): a link put in its place or on its path is not followed. */
export function createAttentionFolder(options: AttentionFolderOptions): AttentionFolder {
  const { path: folder, like, mark, guard, check, random } = options;
  const place = attentionDirectory(folder, options.watched);
  const checked = async <T>(work: () => Promise<T>): Promise<T> => {
    await check?.(folder);
    return work();
  };
  const run = <T>(work: () => Promise<T>): Promise<T> => guard.run(() => checked(work));
  const runLong = <T>(work: () => Promise<T>): Promise<T> => guard.runLong(() => checked(work));
  const held = <T>(work: (directory: string) => Promise<T>): Promise<T> => inOwnDirectory(place, '', work);
  const above = <T>(work: (directory: string) => Promise<T>): Promise<T> =>
    inRealDirectory(place.base, dirOf(place.below), (parent) => work(join(parent, nameOf(place.below))));
  const hidden = (): string => `${HIDDEN_PREFIX}${mark}${randomHex(random)}`;

  const freeName = async (directory: string, wanted: string): Promise<string> => {
    for (const name of freeNames(wanted, random)) {
      const path = join(directory, name);
      if ((await isFree(path)) && (await isFree(path + NOTE_ENDING))) return name;
    }
    throw nameTaken(wanted, folder);
  };

  return {
    path: folder,
    isThere: () =>
      run(() =>
        ifMade(
          held(() => Promise.resolve(true)),
          false,
        ),
      ),
    unwritable: () => run(() => unwritable(place)),
    make: () => run(() => above((directory) => makeLike(directory, like))),
    unmake: (made) =>
      run(() =>
        ifMade(
          above((directory) => unmake(directory, made)),
          undefined,
        ),
      ),
    prepare: ({ name: wanted, copy, note }) =>
      runLong(() =>
        held(async (directory) => {
          const name = await freeName(directory, wanted);
          const both = [
            ...(copy === null ? [] : [{ name, bytes: copy, hidden: hidden() }]),
            { name: name + NOTE_ENDING, bytes: Buffer.from(note), hidden: hidden() },
          ];
          const files: AttentionFile[] = [];
          try {
            for (const each of both)
              files.push({ name: each.name, ...(await write(join(directory, each.hidden), each.bytes)) });
            return { files, hidden: both.map((each) => each.hidden) };
          } catch (error) {
            for (const { hidden } of both.slice(0, files.length))
              await unlinkIfThere(join(directory, hidden)).catch(() => {});
            throw error;
          }
        }),
      ),
    publish: ({ files, hidden }) =>
      runLong(() =>
        held(async (directory) => {
          const placed: AttentionFile[] = [];
          for (const [index, file] of files.entries()) {
            const source = join(directory, hidden[index] ?? '');
            if (await moveTo(source, join(directory, file.name))) {
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
      run(() =>
        ifMade(
          held((directory) => removeOurs(directory, files)),
          undefined,
        ),
      ),
    count: (files) =>
      run(() =>
        ifMade(
          held((directory) => countOurs(directory, files)),
          0,
        ),
      ),
    sweep: () =>
      runLong(() => {
        const swept = held(async (directory) => {
          const left = new RegExp(`^\\${HIDDEN_PREFIX}${mark}[0-9a-f]{8}$`);
          for (const name of await readdir(directory))
            if (left.test(name)) await unlinkIfThere(join(directory, name));
        });
        return ifMade(swept, undefined);
      }),
  };
}

/** Resolves `otherwise` if the folder is missing. Anything else in its place, such as a link, is an error. */
async function ifMade<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return otherwise;
  }
}

async function write(file: string, bytes: Uint8Array): Promise<Pick<AttentionFile, 'size' | 'mtimeMs'>> {
  const handle = await openNew(file, 0o666);
  if (handle === null) throw nameTaken(file, file);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
    const { size, mtimeMs } = await handle.stat();
    return { size, mtimeMs };
  } catch (error) {
    await unlinkIfThere(file).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

async function isOurs(directory: string, { name, size, mtimeMs }: AttentionFile): Promise<boolean> {
  const there = await ifThere(lstat(join(directory, name)));
  if (!there?.isFile() || there.size !== size) return false;
  return Math.abs(there.mtimeMs - mtimeMs) <= SAME_TIME_MS;
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

/**
 * Creates the folder with the owner and mode of the watched one, so that people who scan can delete files that they have
 * dealt with. Null if it exists.
 */
async function makeLike(directory: string, watched: string): Promise<string | null> {
  try {
    await mkdir(directory);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return null;
  }
  const made = identityOf(await lstat(directory, { bigint: true }));
  if (process.platform === 'win32') return made;
  const { mode, uid, gid } = await stat(watched);
  await inRealDirectory(dirOf(directory), nameOf(directory), async (held) => {
    // A different folder may be there by now; leave its owner and mode alone.
    if ((await readdir(held)).length > 0) return;
    // Only root may change the owner.
    await chown(held, uid, gid).catch(ignoreSystemErrors);
    await chmod(held, mode & 0o7777).catch(() => {});
  });
  return made;
}

/** Identifies a directory. Includes the birth time, since inode numbers are reused. */
function identityOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}`;
}

async function unmake(directory: string, made: string): Promise<void> {
  const there = await lstat(directory, { bigint: true });
  // If it is not empty, or may not be removed, it stays.
  if (there.isDirectory() && identityOf(there) === made) await rmdir(directory).catch(ignoreSystemErrors);
}

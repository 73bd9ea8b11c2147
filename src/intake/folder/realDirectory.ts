import fs, { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, readlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { inside, isAbsent, parentOf, prefixesOf } from './folderPath.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

// Missing in Node's constants. Opens a directory even if it may only be entered, not read.
const O_PATH = 0o10000000;
const HELD = '/proc/self/fd';
const CAN_HOLD = process.platform === 'linux' && existsSync(HELD);
const HOLDS = O_PATH | constants.O_DIRECTORY;
/** Beyond this many segments, a directory's real path is asked of the system, which costs the same at any depth. */
const FEW_SEGMENTS = 4;

/**
 * Runs `work` with a path of the directory `path` below `base`, without following links. On Linux each directory is opened
 * relative to its parent and the last one is held open, so renames and new links during `work` have no effect. Elsewhere
 * each is only checked before `work` begins. `base` itself may be a link, which is the admin's choice. `make` creates
 * missing directories, except a `base` that must exist (`hasBase`). Rejects with ENOENT or ENOTDIR if one is missing or is
 * not a directory.
 */
export async function inRealDirectory<T>(
  base: string,
  path: string,
  work: (directory: string) => Promise<T>,
  options: { readonly make?: boolean; readonly hasBase?: boolean } = {},
): Promise<T> {
  inside(base, path);
  const segments = path.split('/').filter((segment) => segment !== '');
  if (options.make === true && options.hasBase !== true) await makeBase(base);
  if (!CAN_HOLD) {
    let directory = base;
    for (const segment of segments) {
      directory = join(directory, segment);
      if (options.make === true) await makeOne(directory);
      if (!(await lstat(directory)).isDirectory()) throw notADirectory(directory);
    }
    return work(directory);
  }
  const isDeep = segments.length > FEW_SEGMENTS && options.make !== true;
  const direct = isDeep ? await openDirectly(base, segments) : null;
  let handle = direct ?? (await open(base, HOLDS));
  let held = direct ? join(base, ...segments) : base;
  try {
    if (direct) return await work(`${HELD}/${handle.fd}`);
    for (const segment of segments) {
      const parent = handle;
      const next = `${HELD}/${parent.fd}/${segment}`;
      if (options.make === true) await makeOne(next);
      handle = await open(next, HOLDS | constants.O_NOFOLLOW);
      held = join(held, segment);
      await parent.close();
    }
    return await work(`${HELD}/${handle.fd}`);
  } catch (error) {
    throw inPlainWords(error, handle, held);
  } finally {
    await handle.close();
  }
}

/**
 * Whether all parents of `path` are real directories. O_NOFOLLOW checks only the last segment, so a parent replaced by a
 * symbolic link could lead outside the folder. Rejects with the system's error if a parent can't be checked.
 */
export async function parentsAreReal(folder: string, path: string): Promise<boolean> {
  const parent = parentOf(path);
  if (parent === '') return true;
  try {
    if (CAN_HOLD && isFar(parent)) return await inRealDirectory(folder, parent, async () => true);
    for (const directory of prefixesOf(parent))
      if (!(await lstat(inside(folder, directory))).isDirectory()) return false;
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Synchronous: whether `dir` in the folder and all its parents are real directories. @throws the system's error */
export function isRealAtOnce(folder: string, dir: string): boolean {
  if (dir === '') return true;
  if (CAN_HOLD && isFar(dir)) return placeAtOnce(inside(folder, dir)) === join(placeAtOnce(folder), dir);
  return prefixesOf(dir).every((each) => fs.lstatSync(inside(folder, each)).isDirectory());
}

function isFar(path: string): boolean {
  return path.split('/', FEW_SEGMENTS + 1).length > FEW_SEGMENTS;
}

/**
 * Opens the directory by its full path. Null if that fails, or if its real path differs: because of a link on the way, or
 * because the file system spells a name differently.
 */
async function openDirectly(base: string, segments: readonly string[]): Promise<FileHandle | null> {
  const root = await open(base, HOLDS);
  let handle: FileHandle | null = null;
  try {
    handle = await open(join(base, ...segments), HOLDS | constants.O_NOFOLLOW);
    const places = [root, handle].map(({ fd }) => readlink(`${HELD}/${fd}`));
    const [above = '', place] = await Promise.all(places);
    if (place === join(above, ...segments)) return handle;
  } catch (error) {
    // Opening one directory at a time then reports what is wrong.
    if (systemCode(error) === undefined) throw error;
  } finally {
    await root.close();
  }
  await handle?.close();
  return null;
}

function placeAtOnce(directory: string): string {
  const fd = fs.openSync(directory, HOLDS);
  try {
    return fs.readlinkSync(`${HELD}/${fd}`);
  } finally {
    fs.closeSync(fd);
  }
}

async function makeBase(base: string): Promise<void> {
  await makeDirectory(base);
}

async function makeOne(directory: string): Promise<void> {
  try {
    await mkdir(directory);
    await syncDirectory(dirname(directory));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function notADirectory(path: string): Error {
  return systemError('ENOTDIR', `not a directory: ${path}`);
}

/** Replaces paths through file descriptors in an error's message, which mean nothing to people. */
function inPlainWords(error: unknown, { fd }: FileHandle, directory: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(`${HELD}/${fd}/`, `${directory}/`);
  return error;
}

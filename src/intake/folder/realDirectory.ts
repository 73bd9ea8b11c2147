import fs, { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, readlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { inside, isAbsent, parentOf, prefixesOf } from './folderPath.ts';

// Not in Node's constants: also holds a directory that may be entered and not read.
const O_PATH = 0o10000000;
const HELD = '/proc/self/fd';
const CAN_HOLD = process.platform === 'linux' && existsSync(HELD);
const HOLDS = O_PATH | constants.O_DIRECTORY;
/** For more segments than this the system is asked where a directory lies, which costs the same at any depth. */
const FEW_SEGMENTS = 4;

/**
 * Runs `work` with a path that leads to the directory `path` below `base`, whatever is renamed or linked on the way
 * meanwhile: on Linux each directory is opened below the one before it, following no link, and held. Elsewhere each is
 * looked at before `work` begins. `base` itself may be a link: that is the admin's choice. `make` makes what is missing,
 * but for a `base` that has to be there (`hasBase`). Rejects with ENOENT or ENOTDIR where one is missing or is no directory.
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
 * Whether every directory on the way to `path` is a real one. O_NOFOLLOW looks at the last segment only, so a
 * directory replaced by a symbolic link would lead outside the folder.
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

/** Whether `dir` below the folder and every directory on the way to it are real ones; in this thread. */
export function isRealAtOnce(folder: string, dir: string): boolean {
  if (dir === '') return true;
  if (CAN_HOLD && isFar(dir)) return placeAtOnce(inside(folder, dir)) === join(placeAtOnce(folder), dir);
  return prefixesOf(dir).every((each) => fs.lstatSync(inside(folder, each)).isDirectory());
}

function isFar(path: string): boolean {
  return path.split('/', FEW_SEGMENTS + 1).length > FEW_SEGMENTS;
}

/** Null where it does not lie where its path says: a link is on the way, or the file system spells a name otherwise. */
async function openDirectly(base: string, segments: readonly string[]): Promise<FileHandle | null> {
  const root = await open(base, HOLDS);
  let handle: FileHandle | null = null;
  try {
    handle = await open(join(base, ...segments), HOLDS | constants.O_NOFOLLOW);
    const places = [root, handle].map(({ fd }) => readlink(`${HELD}/${fd}`));
    const [above = '', place] = await Promise.all(places);
    if (place === join(above, ...segments)) return handle;
  } catch (error) {
    // The way step by step says what is wrong.
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
  const first = await mkdir(base, { recursive: true });
  if (first !== undefined) await syncDirectory(dirname(first));
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
  return Object.assign(new Error(`ENOTDIR: not a directory: ${path}`), { code: 'ENOTDIR' });
}

/** A person knows nothing of held directories. */
function inPlainWords(error: unknown, { fd }: FileHandle, directory: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(`${HELD}/${fd}/`, `${directory}/`);
  return error;
}

import fs, { constants, existsSync } from 'node:fs';
import { access, lstat, mkdir, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import { dirOf, relativeTo } from '../../core/paths.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';

/*
 * Directories in a folder, by their path relative to it. People who scan may put a link anywhere in a watched folder, and the agent may
 * have more permissions than they have: below the folder no link is followed.
 */

// Missing in Node's constants. Opens a directory even if it may only be entered, not read.
const O_PATH = 0o10000000;
const HELD = '/proc/self/fd';
const CAN_HOLD = process.platform === 'linux' && existsSync(HELD);
const HOLDS = O_PATH | constants.O_DIRECTORY;
const FORBIDDEN = new Set(['', '.', '..']);

/** Makes a path in the folder absolute; '' is the folder itself. @throws TypeError for a path that leads outside */
export function inside(folder: string, path: string): string {
  return join(folder, ...stepsOf(path));
}

function stepsOf(path: string): string[] {
  const steps = path === '' ? [] : path.split('/');
  const foreign = process.platform === 'win32' && /[\\:]/.test(path);
  if (foreign || steps.some((step) => FORBIDDEN.has(step)))
    throw new TypeError(`Not a path inside a watched folder: ${JSON.stringify(path)}`);
  return steps;
}

/** 'a/b/c' gives 'a', 'a/b', 'a/b/c'. */
export function prefixesOf(path: string): string[] {
  const steps = path.split('/');
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

/** Whether an error means that the path, or a directory on the way to it, does not exist. */
export function isAbsent(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For work whose failure does not matter. Anything but a system error is a defect. */
export function ignoreSystemErrors(error: unknown): void {
  if (systemCode(error) === undefined) throw error;
}

/**
 * Whether all parents of `path` are real directories: without links, a directory's real path is that of the folder and its own, at any
 * depth. One that differs may only be spelled otherwise. Rejects with the system's error if a parent can't be checked.
 */
export async function parentsAreReal(folder: string, path: string): Promise<boolean> {
  const parent = dirOf(path);
  if (parent === '') return true;
  const place = inside(folder, parent);
  const root = await realpath(folder).catch(ignoreSystemErrors);
  const real = root === undefined ? undefined : await realpath(place).catch(ignoreSystemErrors);
  if (root !== undefined && real === join(root, parent)) return true;
  try {
    for (const each of prefixesOf(parent))
      if (!(await lstat(inside(folder, each))).isDirectory()) return false;
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Whether `dir` and its parents are real, by a check in this thread. False if that can't be told. */
export function isRealAtOnce(folder: string, dir: string): boolean {
  try {
    return (
      dir === '' || fs.realpathSync.native(inside(folder, dir)) === join(fs.realpathSync.native(folder), dir)
    );
  } catch (error) {
    ignoreSystemErrors(error);
    return false;
  }
}

/**
 * Runs `work` with a path of the directory `path` below `base`. On Linux the directory is held open, so renames and new links during
 * `work` have no effect; elsewhere it is only checked before. `base` itself may be a link, which is the admin's choice. `make` creates
 * missing directories, except a `base` that must exist (`hasBase`). Rejects with ENOENT or ENOTDIR if one is missing or is not a
 * directory.
 */
export async function inRealDirectory<T>(
  base: string,
  path: string,
  work: (directory: string) => Promise<T>,
  { make = false, hasBase = false }: { readonly make?: boolean; readonly hasBase?: boolean } = {},
): Promise<T> {
  const steps = stepsOf(path);
  const direct = await openDirectly(base, steps);
  if (!direct && make && !hasBase) await makeDirectory(base);
  if (!CAN_HOLD) return work(await checkSteps(base, steps, make));
  const handle = direct ?? (await openSteps(base, steps, make));
  try {
    return await work(`${HELD}/${handle.fd}`);
  } catch (error) {
    throw inPlainWords(error, handle, join(base, ...steps));
  } finally {
    await handle.close();
  }
}

/** Null if the directory can't be opened by its path, or if another one was reached; step by step it is found out why. */
async function openDirectly(base: string, steps: readonly string[]): Promise<FileHandle | null> {
  if (!CAN_HOLD) return null;
  let handle: FileHandle | null = null;
  try {
    if (steps.length === 0) return await open(base, HOLDS);
    handle = await open(join(base, ...steps), HOLDS | constants.O_NOFOLLOW);
    const reached = await readlink(`${HELD}/${handle.fd}`);
    if (reached === join(await realpath(base), ...steps)) return handle;
  } catch (error) {
    ignoreSystemErrors(error);
  }
  await handle?.close();
  return null;
}

async function openSteps(base: string, steps: readonly string[], make: boolean): Promise<FileHandle> {
  let handle = await open(base, HOLDS);
  let at = base;
  try {
    for (const step of steps) {
      const next = `${HELD}/${handle.fd}/${step}`;
      if (make) await makeOne(next);
      const child = await open(next, HOLDS | constants.O_NOFOLLOW);
      await handle.close();
      handle = child;
      at = join(at, step);
    }
    return handle;
  } catch (error) {
    const plain = inPlainWords(error, handle, at);
    await handle.close();
    throw plain;
  }
}

async function checkSteps(base: string, steps: readonly string[], make: boolean): Promise<string> {
  let directory = base;
  for (const step of steps) {
    directory = join(directory, step);
    if (make) await makeOne(directory);
    if (!(await lstat(directory)).isDirectory())
      throw systemError('ENOTDIR', `not a directory: ${directory}`);
  }
  return directory;
}

/** Makes no directory above it: a base that must exist may be a share that is not mounted. If something else is in its place, the caller finds that out. */
async function makeOne(directory: string): Promise<void> {
  try {
    await mkdir(directory);
    await syncDirectory(dirname(directory));
  } catch (error) {
    // A share may refuse to make what is there without saying that it is.
    if (systemCode(error) === 'EEXIST' || (await lstat(directory).catch(() => null))?.isDirectory()) return;
    throw error;
  }
}

/** Replaces paths through file descriptors in an error's message, which mean nothing to people. */
function inPlainWords(error: unknown, { fd }: FileHandle, directory: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(`${HELD}/${fd}/`, `${directory}/`);
  return error;
}

/** A directory that the agent writes to: `base` is the admin's choice, including links; `below` is not. */
export interface OwnDirectory {
  readonly base: string;
  /** Relative, with slashes; '' is `base`. */
  readonly below: string;
  /** Whether `base` is a watched folder. Such a folder is never created: it may be a share that is not mounted. */
  readonly isWatched: boolean;
}

/** Splits a path at the outermost watched folder that it is in; null if it is in none. All paths are absolute. */
function inWatched(absolute: string, watched: readonly string[]): OwnDirectory | null {
  const [base] = watched
    .filter((folder) => relativeTo(folder, absolute) !== null)
    .sort((a, b) => a.length - b.length);
  return base === undefined ? null : { base, below: relativeTo(base, absolute) ?? '', isWatched: true };
}

/** Outside watched folders, the archive may be a link. */
export function archiveDirectory(archiveTo: string, watched: readonly string[]): OwnDirectory {
  return inWatched(archiveTo, watched) ?? { base: archiveTo, below: '', isWatched: false };
}

/** People can write to the attention folder, so it must not be a link itself, even outside watched folders. */
export function attentionDirectory(path: string, watched: readonly string[]): OwnDirectory {
  return inWatched(path, watched) ?? { base: dirname(path), below: basename(path), isWatched: false };
}

/** Like `inRealDirectory`, for the directory `path` in it. */
export function inOwnDirectory<T>(
  { base, below, isWatched }: OwnDirectory,
  path: string,
  work: (directory: string) => Promise<T>,
  { make = false } = {},
): Promise<T> {
  const whole = [below, path].filter((part) => part !== '').join('/');
  return inRealDirectory(base, whole, work, { make, hasBase: isWatched });
}

/** The system's error code if the agent can't create files in it, or can't create it; null if it can. */
export async function unwritable(place: OwnDirectory): Promise<string | null> {
  const { base, below, isWatched } = place;
  try {
    await inOwnDirectory(place, '', mayWrite).catch(async (error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
      const parent = dirname(join(base, below));
      // A needs-attention folder is only made in a directory that exists.
      await mayWrite(isWatched || below === '' ? await nearest(parent) : parent);
    });
    return null;
  } catch (error) {
    ignoreSystemErrors(error);
    return systemCode(error) ?? null;
  }
}

async function mayWrite(directory: string): Promise<void> {
  if (!(await stat(directory)).isDirectory()) throw systemError('ENOTDIR', directory);
  await access(directory, constants.W_OK | constants.X_OK);
}

/** The innermost directory on the path that exists. */
async function nearest(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT',
  );
  return exists || dirname(path) === path ? path : nearest(dirname(path));
}

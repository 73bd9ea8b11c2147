import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../domain/errors.ts';
import { syncDirectory } from './durableDirectory.ts';
import { inside } from './folderPath.ts';

// Not in Node's constants: also holds a directory that may be entered and not read.
const O_PATH = 0o10000000;
const HELD = '/proc/self/fd';
const CAN_HOLD = process.platform === 'linux' && existsSync(HELD);

/**
 * Runs `work` with a path that leads to the directory `path` below `base`, whatever is renamed or linked on the way
 * meanwhile: on Linux each directory is opened below the one before it, following no link, and held. Elsewhere each is
 * looked at before `work` begins. `base` itself may be a link: that is the admin's choice. Rejects with ENOENT or
 * ENOTDIR where one is missing or is no directory.
 */
export async function inRealDirectory<T>(
  base: string,
  path: string,
  work: (directory: string) => Promise<T>,
  options: { readonly make?: boolean } = {},
): Promise<T> {
  inside(base, path);
  const segments = path.split('/').filter((segment) => segment !== '');
  if (options.make === true) await makeBase(base);
  if (!CAN_HOLD) {
    let directory = base;
    for (const segment of segments) {
      directory = join(directory, segment);
      if (options.make === true) await makeOne(directory);
      if (!(await lstat(directory)).isDirectory()) throw notADirectory(directory);
    }
    return work(directory);
  }
  let handle = await open(base, O_PATH | constants.O_DIRECTORY);
  let held = base;
  try {
    for (const segment of segments) {
      const parent = handle;
      const next = `${HELD}/${parent.fd}/${segment}`;
      if (options.make === true) await makeOne(next);
      handle = await open(next, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
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

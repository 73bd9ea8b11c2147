import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../core/domain/errors.ts';
import { whileHeld } from '../core/domain/heldFile.ts';
import { readPlainFile } from './plainFile.ts';
import { syncDirectory } from './syncDirectory.ts';

export interface WriteOptions {
  /** Other processes may write the file at the same time. */
  readonly shared?: boolean;
  /** Called with the open file before it is renamed into place, for example to grant access. */
  readonly prepare?: (handle: FileHandle) => Promise<void>;
}

/**
 * Writes a small private file atomically; durable when it resolves. A temporary file left by a crash is overwritten the
 * next time, unless `shared`. @throws system errors
 */
export async function writeDurably(
  file: string,
  text: string | Uint8Array,
  { shared = false, prepare }: WriteOptions = {},
): Promise<void> {
  const aside = shared ? unique(file) : `${file}.tmp`;
  const temporary = await writeAside(aside, text, shared ? 'wx' : REPLACE, prepare);
  try {
    await whileHeld(() => rename(temporary, file), process);
    await syncDirectory(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Like `writeDurably`, but never replaces a file. @returns false if it already exists */
export async function createDurably(file: string, text: string): Promise<boolean> {
  const temporary = await writeAside(unique(file), text, 'wx');
  try {
    await link(temporary, file);
    await syncDirectory(dirname(file));
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (NO_LINKS.has(code)) return await createInPlace(file, text);
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Gives a finished file its name beside it: by a link, which, unlike a rename, never replaces a file that another process has
 * just created. On a file system without links, it is renamed. The caller removes `aside`.
 * @throws system errors; EEXIST
 */
export async function placeNew(aside: string, file: string): Promise<void> {
  try {
    await link(aside, file);
  } catch (error) {
    if (!NO_LINKS.has(systemCode(error) ?? '')) throw error;
    if (existsSync(file)) throw Object.assign(new Error(`${file} exists`), { code: 'EEXIST' });
    await rename(aside, file);
  }
}

/**
 * Reads the text of a file of the agent, creating it if missing. If several processes do so at once, all get the same text.
 * Does not follow links.
 * @throws NotAFile, system errors
 */
export async function readOrCreate(file: string, make: () => string): Promise<string> {
  const found = await readPlainFile(file, { followsLinks: false });
  if (found !== null) return found;
  await createDurably(file, make());
  return (await readPlainFile(file, { followsLinks: false })) ?? '';
}

const REPLACE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

function unique(file: string): string {
  return `${file}.${randomUUID()}.tmp`;
}

async function writeAside(
  temporary: string,
  text: string | Uint8Array,
  flags: string | number,
  prepare?: WriteOptions['prepare'],
): Promise<string> {
  try {
    await writeSynced(temporary, text, flags, prepare);
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Errors of file systems without hard links; there, a crash during creation may leave a partial file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function createInPlace(file: string, text: string): Promise<boolean> {
  try {
    await writeSynced(file, text, 'wx');
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writeSynced(
  file: string,
  text: string | Uint8Array,
  flags: string | number,
  prepare?: WriteOptions['prepare'],
): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(text);
    await prepare?.(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

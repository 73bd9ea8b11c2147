import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../core/domain/errors.ts';
import { whileHeld } from '../core/domain/heldFile.ts';
import { readPlainFile } from './plainFile.ts';
import { syncDirectory } from './syncDirectory.ts';

export interface WriteOptions {
  /** Others may write it at the same moment. */
  readonly shared?: boolean;
  /** Done to the open file before it is in its place: rights that others get, say. */
  readonly prepare?: (handle: FileHandle) => Promise<void>;
}

/**
 * Writes a small private file, whole or not at all, and durable when it resolves. What a kill leaves beside it is written over
 * the next time. @throws what the file system says
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

/** The same where there is none yet. @returns false where there is one, which stays */
export async function createDurably(file: string, text: string): Promise<boolean> {
  const temporary = await writeAside(unique(file), text, 'wx');
  try {
    // A rename would replace what another process has just made.
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
 * The text of a file of our own; made where there is none, once, whoever else asks at the same moment. A link that somebody put there
 * is not followed.
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

/** Some file systems know no links; there a kill in this very moment leaves half a file. */
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

import type { Dir } from 'node:fs';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, opendir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { whileHeld } from '../../core/domain/heldFile.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

const COPY_NAME = /^[0-9a-f]{64}$/;
/** A file that a crash left behind, complete or not. */
const UNFINISHED_NAME = /^\.[0-9a-f]{64}\.new$/;
const FAN_OUT_NAME = /^[0-9a-f]{2}$/;
// Don't follow a link or wait for a FIFO in the place of a copy. Windows has neither flag.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const READ_BYTES = 8 * 1024 * 1024;

export function isHash(text: string): boolean {
  return COPY_NAME.test(text);
}

/** Creates the directory, or makes an existing one private. */
export async function prepareDirectory(dir: string): Promise<void> {
  await makeDirectory(dir, 0o700);
  const stats = await lstat(dir);
  if (!stats.isDirectory()) throw notADirectory(dir);
  if ((stats.mode & 0o077) !== 0) await chmod(dir, 0o700);
}

/** Hashes and sizes of the copies. Removes leftovers of a crash, and leaves foreign files alone. */
export async function listCopies(dir: string): Promise<Map<string, number>> {
  const copies = new Map<string, number>();
  for await (const fanOut of await opendir(dir)) {
    if (!fanOut.isDirectory() || !FAN_OUT_NAME.test(fanOut.name)) continue;
    const below = join(dir, fanOut.name);
    for await (const entry of await openIfThere(below)) {
      if (!entry.isFile() || !entry.name.replace('.', '').startsWith(fanOut.name)) continue;
      const path = join(below, entry.name);
      if (UNFINISHED_NAME.test(entry.name)) await unlink(path);
      else if (COPY_NAME.test(entry.name)) copies.set(entry.name, (await lstat(path)).size);
    }
  }
  return copies;
}

/** Durable when it resolves; leaves nothing behind if it fails. */
export async function writeCopy(dir: string, sha256: string, bytes: Buffer): Promise<void> {
  const below = await fanOutOf(dir, sha256);
  const path = join(below, sha256);
  const stats = await lstat(path).catch(absent);
  if (stats && !stats.isFile()) throw notAFile(path);
  const aside = join(below, `.${sha256}.new`);
  // Left by an earlier failed cleanup: ours, and useless.
  if ((await lstat(aside).catch(absent))?.isFile()) await unlink(aside);
  const handle = await open(aside, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await whileHeld(() => rename(aside, path), process);
  } catch (error) {
    await unlink(aside).catch(() => {});
    throw error;
  }
  try {
    await syncDirectory(below);
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  }
}

/** Null if there is no copy. Rejects with the system error if that is unknown. */
export async function readCopy(dir: string, sha256: string, limit: number): Promise<Buffer | null> {
  const path = pathOf(dir, sha256);
  try {
    // O_NOFOLLOW only covers the last path segment.
    if (!(await lstat(dirname(path))).isDirectory()) return null;
    const handle = await open(path, READ_FLAGS);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return null;
      // A copy that grew is damaged, and its first bytes are enough for the hash to show that.
      const bytes = Buffer.allocUnsafeSlow(Math.min(stats.size, limit + 1));
      let offset = 0;
      while (offset < bytes.length) {
        const length = Math.min(READ_BYTES, bytes.length - offset);
        const { bytesRead } = await handle.read(bytes, offset, length, offset);
        if (bytesRead === 0) break;
        offset += bytesRead;
      }
      return bytes.subarray(0, offset);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = systemCode(error);
    // ELOOP, ENXIO, EISDIR: it is no longer a regular file.
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR'].includes(code ?? '')) return null;
    throw error;
  }
}

/** Idempotent. Leaves anything that is not a regular file, because the agent did not create it. */
export async function removeCopy(dir: string, sha256: string): Promise<void> {
  const path = pathOf(dir, sha256);
  if (!(await lstat(dirname(path)).catch(absent))?.isDirectory()) return;
  if ((await lstat(path).catch(absent))?.isFile()) await unlink(path).catch(absent);
}

function pathOf(dir: string, sha256: string): string {
  return join(dir, sha256.slice(0, 2), sha256);
}

async function fanOutOf(dir: string, sha256: string): Promise<string> {
  const below = dirname(pathOf(dir, sha256));
  try {
    await mkdir(below, { mode: 0o700 });
    await syncDirectory(dir);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (!(await lstat(below)).isDirectory()) throw notADirectory(below);
  }
  return below;
}

async function openIfThere(path: string): Promise<Dir | readonly never[]> {
  const found = await opendir(path).catch(absent);
  return found ?? [];
}

/** For `catch`: null if the file is missing. @throws any other error */
export function absent(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null;
  throw error;
}

function notADirectory(path: string): Error {
  return Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' });
}

function notAFile(path: string): Error {
  return Object.assign(new Error(`${path} is not a file`), { code: 'EEXIST' });
}

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { systemCode } from '../../core/domain/errors.ts';

const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const TO_READ = constants.O_RDONLY | NO_LINK;
/** Windows can sync only a file that is open for writing. */
const TO_SYNC = process.platform === 'win32' ? constants.O_RDWR : TO_READ;
const CHUNK_BYTES = 1024 * 1024;
/** Errors that mean that this is not the wanted file: missing, not a regular file, or not readable. */
const NOT_IT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR', 'EACCES', 'EPERM']);

/** Whether both are regular files with the same bytes; follows no links. If so, the bytes of `kept` are durable. */
export async function holdsTheSame(kept: string, source: string): Promise<boolean> {
  return withFile(kept, TO_SYNC, async (there) => {
    const same = await withFile(source, TO_READ, async (here) => {
      const [a, b] = [await there.stat(), await here.stat()];
      if (!a.isFile() || !b.isFile() || a.size !== b.size) return false;
      return (await hashOf(there)) === (await hashOf(here));
    });
    // Another process may have just written it, unsynced.
    if (same) await there.sync();
    return same;
  });
}

/** Whether `file` is a regular file of that size and hash (SHA-256, hexadecimal). Follows no links. */
export async function hasContent(file: string, size: number, sha256: string): Promise<boolean> {
  return withFile(file, TO_READ, async (handle) => {
    const stats = await handle.stat();
    return stats.isFile() && stats.size === size && (await hashOf(handle)) === sha256;
  });
}

async function withFile(
  file: string,
  flags: number,
  work: (handle: FileHandle) => Promise<boolean>,
): Promise<boolean> {
  let handle: FileHandle;
  try {
    handle = await open(file, flags);
  } catch (error) {
    if (NOT_IT.has(systemCode(error) ?? '')) return false;
    throw error;
  }
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
}

import type { BigIntStats } from 'node:fs';
import fs, { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { sameIdentity, type FileIdentity } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { FileRead } from '../../core/ports/folder.ts';

// Aborts are noticed and progress is reported after each chunk: a share of 20 kB/s still makes progress in guarded.ts' 15 s.
const CHUNK_BYTES = 256 * 1024;

// A FIFO would block the open forever without O_NONBLOCK. Windows knows neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

// No regular file is there any more: the path is missing, a link (ELOOP), a socket (ENXIO) or a directory.
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']);

/** What an error of a read means; rethrows it if it is not a system error. */
export function notRead(error: unknown): FileRead {
  const code = systemCode(error);
  if (code === undefined) throw error;
  return NO_FILE.has(code) ? { kind: 'gone' } : { kind: 'unreadable', code };
}

/** Allocates `size` bytes; their content is arbitrary. */
export type Allocate = (size: number) => Buffer;

// Not from Node's shared pool: a small image kept for long would retain the whole pool.
const allocateSlow: Allocate = (size) => Buffer.allocUnsafeSlow(size);

export interface Reading {
  /** Largest file to read, in bytes. */
  readonly limit: number;
  readonly allocate?: Allocate | undefined;
  readonly identify: (stats: BigIntStats) => Promise<FileIdentity>;
  readonly onProgress: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a regular file into one buffer. Rejects with the system's error, and on abort. */
export async function readWhole(
  file: string,
  { limit, allocate = allocateSlow, identify, onProgress, signal }: Reading,
): Promise<FileRead> {
  const handle = await open(file, FLAGS);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) return { kind: 'gone' };
    if (stats.size > limit) return { kind: 'tooLarge' };
    const identity = await identify(stats);
    const bytes = allocate(identity.size);
    for (let offset = 0; offset < bytes.length;) {
      signal?.throwIfAborted();
      const length = Math.min(CHUNK_BYTES, bytes.length - offset);
      const { bytesRead } = await handle.read(bytes, offset, length, offset);
      if (bytesRead === 0) return { kind: 'changed' };
      offset += bytesRead;
      onProgress();
    }
    const after = await identify(await handle.stat({ bigint: true }));
    return sameIdentity(identity, after) ? { kind: 'bytes', bytes, identity } : { kind: 'changed' };
  } finally {
    await handle.close();
  }
}

/** Synchronous `readWhole` for a file on a local disk. Null if it is larger than `limit`; it is not read then. */
export function readAtOnce(file: string, limit: number, allocate: Allocate = allocateSlow): FileRead | null {
  let fd: number;
  try {
    fd = fs.openSync(file, FLAGS);
  } catch (error) {
    return notRead(error);
  }
  try {
    const stats = fs.fstatSync(fd, { bigint: true });
    if (!stats.isFile()) return { kind: 'gone' };
    if (stats.size > limit) return null;
    const identity = identityOf(stats, false);
    const bytes = allocate(identity.size);
    for (let offset = 0; offset < bytes.length;) {
      const bytesRead = fs.readSync(fd, bytes, offset, bytes.length - offset, offset);
      if (bytesRead === 0) return { kind: 'changed' };
      offset += bytesRead;
    }
    const after = identityOf(fs.fstatSync(fd, { bigint: true }), false);
    return sameIdentity(identity, after) ? { kind: 'bytes', bytes, identity } : { kind: 'changed' };
  } catch (error) {
    return notRead(error);
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads like `readAtOnce`, into a given buffer; `changed` if the file no longer has the buffer's size. */
export function readInto(file: string, bytes: Buffer): FileRead {
  const read = readAtOnce(file, bytes.length, (size) => bytes.subarray(0, size));
  const hasOtherSize = read === null || (read.kind === 'bytes' && read.bytes.length !== bytes.length);
  return hasOtherSize ? { kind: 'changed' } : read;
}

/** The inode is 0 on a share, which makes inodes up: after a reconnection, the same file may have another one. */
export function identityOf(stats: BigIntStats, network: boolean): FileIdentity {
  const { mtimeNs, ctimeNs, ino } = stats;
  return { size: Number(stats.size), mtimeNs, ctimeNs, inode: network ? 0n : ino };
}

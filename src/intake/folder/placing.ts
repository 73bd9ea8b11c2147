import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import { whileHeld } from '../../core/domain/heldFile.ts';
import type { Random } from '../../core/ports/clock.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { isAbsent } from './realDirectory.ts';

/*
 * Gives a file a name that no other file has: nothing is ever overwritten. A file system without hard links has no safe way; there the
 * name is reserved with an empty file, over which the file is renamed.
 */

const CHUNK_BYTES = 1024 * 1024;
const NAME_BYTES = 255;
const SUFFIX = / \((?:[2-9]|[1-9]\d{1,2}|[0-9a-f]{8})\)$/;

/** Yields 'a.jpg', 'a (2).jpg', ... and finally random suffixes: a scanner may restart at SCAN0001 for years. */
export function* freeNames(name: string, random: Random): Generator<string> {
  yield name;
  for (let n = 2; n < 1000; n++) yield withSuffix(name, ` (${n})`);
  for (let n = 0; n < 10; n++) yield withSuffix(name, ` (${randomHex(random)})`);
}

/** Whether `freeNames` could have yielded the candidate for this name. */
export function isLike(candidate: string, name: string): boolean {
  if (candidate === name) return true;
  const extension = extensionOf(name);
  if (!candidate.endsWith(extension)) return false;
  const suffix = SUFFIX.exec(candidate.slice(0, candidate.length - extension.length));
  return suffix !== null && withSuffix(name, suffix[0]) === candidate;
}

/** Eight hexadecimal digits. */
export function randomHex(random: Random): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}

function withSuffix(name: string, suffix: string): string {
  const extension = extensionOf(name);
  const stem = Array.from(extension === '' ? name : name.slice(0, -extension.length));
  const room = NAME_BYTES - Buffer.byteLength(suffix + extension);
  let used = Buffer.byteLength(stem.join(''));
  while (used > room) used -= Buffer.byteLength(stem.pop() ?? '');
  return stem.join('') + suffix + extension;
}

function extensionOf(name: string): string {
  const ending = extname(name);
  return Buffer.byteLength(ending) <= 16 ? ending : '';
}

export function nameTaken(name: string, directory: string): Error {
  return systemError('EEXIST', `no free name like ${name} in ${directory}`);
}

/**
 * Moves a file within its file system into `directory`, as `name` or, if a file with other bytes has that, under a similar free name;
 * resolves the name used. The source is removed only after the file under its new name is durable; if a crash leaves both, a repeated
 * call recognizes it. `staging`: the source's own directory, in which it may be renamed, so that a crash leaves word of a reserved name.
 * Rejects with EEXIST if no name is free.
 */
export async function moveInto(
  source: string,
  directory: string,
  name: string,
  { random, staging }: { readonly random: Random; readonly staging?: string },
): Promise<string> {
  let from = source;
  for (const candidate of freeNames(name, random)) {
    const target = join(directory, candidate);
    let placed: 'linked' | 'renamed' | 'taken' | 'unsupported' = await placeByLink(from, target);
    if (placed === 'unsupported' && (await isFree(target))) {
      if (staging !== undefined) {
        await rename(from, join(staging, candidate));
        from = join(staging, candidate);
      }
      placed = (await placeByRename(from, target)) ? 'renamed' : 'taken';
    }
    const isOurs = placed === 'linked' || placed === 'renamed' || (await holdsTheSame(target, from));
    if (!isOurs) continue;
    await syncDirectory(directory);
    if (placed !== 'renamed') await unlink(from);
    return candidate;
  }
  throw nameTaken(name, directory);
}

/** Moves a file to this name within its file system. False if the name is taken. */
export async function moveTo(source: string, target: string): Promise<boolean> {
  const placed = await placeByLink(source, target);
  if (placed === 'unsupported') return placeByRename(source, target);
  if (placed === 'linked') await unlinkIfThere(source);
  return placed === 'linked';
}

// No link is possible: FAT, exFAT or SMB; another owner's file under protected_hardlinks; too many links.
const NO_LINK = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'UNKNOWN']);

/** Links `source` as `target`; `link` never overwrites. */
async function placeByLink(source: string, target: string): Promise<'linked' | 'taken' | 'unsupported'> {
  try {
    await link(source, target);
    return 'linked';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return 'taken';
    if (code === undefined || !NO_LINK.has(code)) throw error;
    return 'unsupported';
  }
}

/**
 * Reserves the name with an empty file, then renames the source over it unless somebody has written to it meanwhile. False if the name
 * is taken. Not atomic: between the last check and the rename somebody else can still open the empty file, and a crash there leaves it
 * behind.
 */
export async function placeByRename(source: string, target: string): Promise<boolean> {
  const reserved = await openNew(target, 0o600);
  if (reserved === null) return false;
  const ours = await reserved.stat({ bigint: true });
  // Windows can't rename onto an open file.
  await reserved.close();
  const isStillOurs = async (): Promise<boolean> => {
    const there = await lstat(target, { bigint: true }).catch(() => null);
    return there !== null && there.dev === ours.dev && there.ino === ours.ino && there.size === 0n;
  };
  const giveWay = async (): Promise<boolean> => {
    if (!(await isStillOurs())) return false;
    await rename(source, target);
    return true;
  };
  try {
    return await whileHeld(giveWay, process);
  } catch (error) {
    if (await isStillOurs()) await unlink(target);
    throw error;
  }
}

/** Creates a file; null if the name is taken. */
export async function openNew(target: string, mode: number): Promise<FileHandle | null> {
  try {
    return await open(target, 'wx', mode);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null;
    throw error;
  }
}

export async function isFree(path: string): Promise<boolean> {
  return (await ifThere(lstat(path))) === null;
}

export async function unlinkIfThere(path: string): Promise<void> {
  await ifThere(unlink(path));
}

/** Null if nothing is there. */
export async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return null;
  }
}

const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const TO_READ = constants.O_RDONLY | NO_FOLLOW;
/** Windows can sync only a file that is open for writing. */
const TO_SYNC = process.platform === 'win32' ? constants.O_RDWR : TO_READ;

/** Copies to a new file, and syncs it. On an error, removes the copy; rejects with EBUSY if the source changed meanwhile. */
export async function copyExclusively(source: string, target: string): Promise<void> {
  const from = await open(source, TO_READ);
  try {
    const before = await from.stat({ bigint: true });
    const to = await open(target, 'wx', Number(before.mode) & 0o666);
    try {
      await copy(from, to, before);
    } catch (error) {
      await unlink(target);
      throw error;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function copy(from: FileHandle, to: FileHandle, before: BigIntStats): Promise<void> {
  let copied = 0;
  for await (const chunk of chunksOf(from)) {
    await to.writeFile(chunk);
    copied += chunk.length;
  }
  await to.utimes(Number(before.atimeMs) / 1000, Number(before.mtimeMs) / 1000);
  await to.sync();
  const [after, written] = [await from.stat({ bigint: true }), await to.stat()];
  // A scanner may have the file open and still be writing.
  if (after.size !== before.size || after.mtimeNs !== before.mtimeNs || written.size !== copied) {
    throw systemError('EBUSY', 'the file changed while it was copied');
  }
  if (BigInt(copied) !== before.size) throw systemError('EIO', 'the file was copied in part only');
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** Whether both are regular files with the same bytes; follows no links. If so, the bytes of `kept` are durable. */
export async function holdsTheSame(kept: string, source: string): Promise<boolean> {
  return withFile(kept, TO_SYNC, async (there) => {
    const isSame = await withFile(source, TO_READ, async (here) => {
      const { size } = await here.stat();
      return (await isFileOf(there, size)) && (await hashOf(there)) === (await hashOf(here));
    });
    // Another process may have just written it, unsynced.
    if (isSame) await there.sync();
    return isSame;
  });
}

/** Whether `file` is a regular file of that size and hash (SHA-256, hexadecimal). Follows no links. */
export async function hasContent(file: string, size: number, sha256: string): Promise<boolean> {
  return withFile(
    file,
    TO_READ,
    async (handle) => (await isFileOf(handle, size)) && (await hashOf(handle)) === sha256,
  );
}

async function isFileOf(handle: FileHandle, size: number): Promise<boolean> {
  const stats = await handle.stat();
  return stats.isFile() && stats.size === size;
}

/** This is not the wanted file: missing, not a regular file, or not readable. */
const NOT_IT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR', 'EACCES', 'EPERM']);

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

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(file)) hash.update(chunk);
  return hash.digest('hex');
}

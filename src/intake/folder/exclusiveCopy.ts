import { constants } from 'node:fs';
import { lstat, open, unlink, type FileHandle } from 'node:fs/promises';
import { systemError } from '../../core/domain/errors.ts';
import { openNew } from './placeExclusively.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Copies to a new file, syncs it and verifies its size. False if the name is taken. On an error, removes the incomplete
 * copy; rejects with EBUSY if the source changed meanwhile.
 */
export async function copyExclusively(source: string, target: string): Promise<boolean> {
  const from = await open(source, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { mode } = await from.stat();
    const to = await openNew(target, mode & 0o666);
    if (to === null) return false;
    try {
      await copy(from, to, source);
    } catch (error) {
      // Only if it is still our file: somebody else may have taken the name since.
      const ours = await to.stat({ bigint: true });
      const there = await lstat(target, { bigint: true }).catch(() => null);
      if (ours.ino === there?.ino && ours.dev === there.dev) await unlink(target);
      throw error;
    } finally {
      await to.close();
    }
    return true;
  } finally {
    await from.close();
  }
}

async function copy(from: FileHandle, to: FileHandle, source: string): Promise<void> {
  const before = await from.stat({ bigint: true });
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let copied = 0;
  for (;;) {
    const { bytesRead } = await from.read(chunk, 0, chunk.length, copied);
    if (bytesRead === 0) break;
    await to.writeFile(chunk.subarray(0, bytesRead));
    copied += bytesRead;
  }
  await to.utimes(Number(before.atimeMs) / 1000, Number(before.mtimeMs) / 1000);
  await to.sync();
  const [after, written] = [await from.stat({ bigint: true }), await to.stat()];
  // A scanner may have the file open and still be writing.
  if (after.size !== before.size || after.mtimeNs !== before.mtimeNs || written.size !== copied) {
    throw systemError('EBUSY', `${source} changed while it was copied`);
  }
  if (BigInt(copied) !== before.size) {
    throw systemError('EIO', `${source} was copied in part only`);
  }
}

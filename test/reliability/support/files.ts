import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Null if the file is gone; other errors are thrown. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a new file piece by piece, like a slow scanner. `reopens`: closes it after each piece. */
export async function writeInPieces(
  path: string,
  bytes: Buffer,
  pieces: number,
  pauseMs: () => number,
  reopens = false,
): Promise<void> {
  let file = await open(path, 'wx');
  try {
    const size = Math.ceil(bytes.length / pieces);
    for (let at = 0; at < bytes.length; at += size) {
      if (at > 0 && reopens) await file.close();
      if (at > 0) await sleep(pauseMs());
      if (at > 0 && reopens) file = await open(path, 'a');
      await file.write(bytes, at, Math.min(size, bytes.length - at));
    }
  } finally {
    await file.close();
  }
}

import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { systemCode } from '../core/domain/errors.ts';

/** Thrown if a path exists but is not a regular file. */
export class NotAFile extends Error {}

/** Opens a regular file for reading. Never blocks, as opening a FIFO could. @throws NotAFile, system errors */
export async function openPlainFile(file: string, { followsLinks = true } = {}): Promise<FileHandle> {
  const noLinks = followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0);
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noLinks);
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new NotAFile(file);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The text of a regular file; null if it does not exist. @throws NotAFile, system errors */
export async function readPlainFile(
  file: string,
  options?: Parameters<typeof openPlainFile>[1],
): Promise<string | null> {
  try {
    const handle = await openPlainFile(file, options);
    try {
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { systemCode } from '../core/domain/errors.ts';

/** Some file systems can't sync a directory, nor can Windows; a drop box can't be opened. */
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF']);

/** The name of a new file is durable only with its directory. */
export async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!NO_SYNC.has(systemCode(error) ?? '')) throw error;
  }
}

/** The same, for what must not go on before it is done. */
export function syncDirectorySync(directory: string): void {
  // Windows has no handle for a directory.
  if (process.platform === 'win32') return;
  const handle = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!NO_SYNC.has(systemCode(error) ?? '')) throw error;
  } finally {
    closeSync(handle);
  }
}

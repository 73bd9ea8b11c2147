import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { systemCode } from '../../core/domain/errors.ts';

// Some file systems can't sync a directory, and a drop box can't be opened.
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF']);

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

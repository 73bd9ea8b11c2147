import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ReceiptdError, systemCode } from '../../domain/errors.ts';

// Some file systems can't sync a directory, and a drop box can't be opened.
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF']);

/** Creates `path` below `base`. A link among the directories below would lead the archive elsewhere. */
export async function makeDirectories(base: string, path: string): Promise<string> {
  const first = await mkdir(base, { recursive: true });
  if (first !== undefined) await syncDirectory(dirname(first));
  let directory = base;
  for (const segment of path.split('/').filter((part) => part !== '')) {
    const parent = directory;
    directory = join(directory, segment);
    try {
      await mkdir(directory);
      await syncDirectory(parent);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    if (!(await lstat(directory)).isDirectory()) {
      throw new ReceiptdError('FOLDER_NOT_A_DIRECTORY', `${directory} in the archive is not a directory.`, {
        hint: 'Remove or rename it; the agent follows no link inside an archive.',
      });
    }
  }
  return directory;
}

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

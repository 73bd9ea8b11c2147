import fs from 'node:fs';
import { systemCode } from '../core/domain/errors.ts';

// Some file systems can't sync a directory.
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EACCES', 'EISDIR']);

/** The name of a new file is durable only with its directory. */
export function syncDirectory(path: string): void {
  // Windows has no handle for a directory.
  if (process.platform === 'win32') return;
  const handle = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(handle);
  } catch (error) {
    if (!NO_SYNC.has(systemCode(error) ?? '')) throw error;
  } finally {
    fs.closeSync(handle);
  }
}

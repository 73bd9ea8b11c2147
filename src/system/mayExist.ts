import { lstatSync } from 'node:fs';
import { systemCode } from '../core/domain/errors.ts';

/** Whether something is at this path, or may be: unlike `existsSync`, a directory that this user may not enter is no proof of absence. */
export function mayExist(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
  }
}

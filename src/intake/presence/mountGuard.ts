import { systemError } from '../../core/domain/errors.ts';
import type { WatchedFolder } from '../../core/ports/folder.ts';

/**
 * Wraps a folder so that a known file counts as gone only while the folder itself is in its place. Otherwise a missing
 * file is reported as an error of the folder (ESTALE), since it says nothing about the file.
 */
export function mountGuard(
  folder: WatchedFolder,
  isKnown: (path: string) => Promise<boolean>,
  isInPlace: () => Promise<boolean>,
): WatchedFolder {
  const isAbsent = async (path: string): Promise<boolean> => !(await isKnown(path)) || (await isInPlace());
  return {
    ...folder,
    stat: async (path) => {
      const found = await folder.stat(path);
      if (found !== null || (await isAbsent(path))) return found;
      throw systemError('ESTALE', `${folder.path} is not in its place`);
    },
    read: async (path, limit, options) => {
      const read = await folder.read(path, limit, options);
      return read.kind !== 'gone' || (await isAbsent(path)) ? read : { kind: 'unreadable', code: 'ESTALE' };
    },
  };
}

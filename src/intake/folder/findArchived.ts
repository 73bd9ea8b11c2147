import { opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inside, isAbsent, nameOf, parentOf } from './folderPath.ts';
import { isLike } from './freeNames.ts';
import { archiveDirectory, inOwnDirectory } from './ownDirectory.ts';
import { hasContent } from './sameContent.ts';

/**
 * Finds the file that an interrupted `archive` may have moved from `path`: resolves its absolute path in the archive, null
 * if there is none with that size and hash (SHA-256, hexadecimal). Rejects with the system's error if the archive can't be
 * read: it may not be mounted.
 */
export async function findArchived(
  archiveTo: string,
  path: string,
  size: number,
  sha256: string,
  watched: readonly string[] = [],
): Promise<string | null> {
  const archive = archiveDirectory(archiveTo, watched);
  const place = inside(archiveTo, parentOf(path));
  const name = nameOf(path);
  await inOwnDirectory(archive, '', async (directory) => (await opendir(directory)).close());
  try {
    return await inOwnDirectory(archive, parentOf(path), async (directory) => {
      const like = (await readdir(directory)).filter((candidate) => isLike(candidate, name));
      // The original name first, then suffixed ones, in the order in which they are given out.
      like.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
      for (const candidate of like) {
        if (await hasContent(join(directory, candidate), size, sha256)) return join(place, candidate);
      }
      return null;
    });
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

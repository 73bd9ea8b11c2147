import { join } from 'node:path';
import { unlink } from 'node:fs/promises';
import type { Random } from '../../core/ports/clock.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { freeNames, nameTaken } from './freeNames.ts';
import { isSameFile, placeByLink, placeByRename } from './placeExclusively.ts';

/**
 * Moves a file within its file system to `directory`, as `name` or, if that is taken, under a similar free name; resolves
 * the name used. Never overwrites. Removes the source only after the new link is durable: a crash in between leaves both,
 * and a repeated call recognizes the link. Rejects with EEXIST if no name is free.
 */
export async function moveBeside(
  source: string,
  directory: string,
  name: string,
  random: Random,
): Promise<string> {
  for (const candidate of freeNames(name, random)) {
    const target = join(directory, candidate);
    const placed = await placeByLink(source, target);
    if (placed === 'unsupported') {
      if (!(await placeByRename(source, target))) continue;
      await syncDirectory(directory);
      return candidate;
    }
    if (placed === 'taken' && !(await isSameFile(source, target))) continue;
    await syncDirectory(directory);
    await unlink(source);
    return candidate;
  }
  throw nameTaken(name, directory);
}

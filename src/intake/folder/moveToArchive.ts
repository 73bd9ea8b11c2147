import { lstat, mkdir, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import type { Random } from '../../core/ports/clock.ts';
import { isIncomingName } from './asideName.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { copyExclusively } from './exclusiveCopy.ts';
import { isAbsent } from './folderPath.ts';
import { freeNames, nameTaken } from './freeNames.ts';
import { placeByLink, placeByRename } from './placeExclusively.ts';
import { inRealDirectory } from './realDirectory.ts';
import { holdsTheSame } from './sameContent.ts';

/*
 * A file on its way into the archive:
 *
 *   aside ──link──▶ in both ──unlink──▶ archived
 *     └──copy──▶ incoming, being written ──synced──▶ whole ──link──▶ in both
 *
 * Only what is whole and durable gets a name in the archive. What a kill leaves incoming is removed when the aside file
 * is put back; done again, what it left in both is recognised by its bytes.
 */

/** The name of the copy, as long as it has none in the archive. */
const COPY = 'copy';
const DAY_MS = 24 * 60 * 60_000;

/** Archive directories in which this process has looked for what others left; a listing for every file would be slow. */
const swept = new Set<string>();

export interface Archive {
  readonly directory: string;
  /** What people know the directory by. */
  readonly place: string;
  /** Name of the directory in it that takes a copy under way, if the file comes from another file system. */
  readonly incoming: string;
}

/**
 * Moves a file into an archive under `name` or, where that is taken by other bytes, under a free name like it; resolves
 * the name.
 */
export async function moveToArchive(
  source: string,
  archive: Archive,
  name: string,
  random: Random,
): Promise<string> {
  const { directory, incoming } = archive;
  let copy: string | null = null;
  try {
    for (const candidate of freeNames(name, random)) {
      const target = join(directory, candidate);
      let placed = await placeByLink(copy ?? source, target);
      if (placed === 'unsupported' && copy === null) {
        copy = await stage(source, archive);
        placed = await placeByLink(copy, target);
      }
      if (placed === 'unsupported' && copy !== null) {
        copy = await renameCopy(copy, join(directory, incoming), candidate);
        placed = (await isThere(target)) || !(await placeByRename(copy, target)) ? 'taken' : 'placed';
      }
      if (placed === 'taken' && !(await holdsTheSame(target, source))) continue;
      await syncDirectory(directory);
      await clearIncoming(directory, incoming);
      await unlink(source);
      return candidate;
    }
  } catch (error) {
    if (copy !== null) await clearIncoming(directory, incoming).catch(() => undefined);
    throw error;
  }
  await clearIncoming(directory, incoming);
  throw nameTaken(name, archive.place);
}

/** Removes what is left of a copy under way. Idempotent. */
export async function clearIncoming(directory: string, incoming: string): Promise<void> {
  try {
    await inRealDirectory(directory, incoming, async (staging) => {
      for (const name of await readdir(staging)) {
        // The empty file that kept the name for it, where there are no links.
        if (name !== COPY && (await isEmptyFile(join(directory, name)))) await unlink(join(directory, name));
        await unlink(join(staging, name));
      }
    });
    await rmdir(join(directory, incoming));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

async function stage(source: string, archive: Archive): Promise<string> {
  const { directory, incoming } = archive;
  const copy = join(directory, incoming, COPY);
  await mkdir(join(directory, incoming), { mode: 0o700 });
  try {
    await sweepOnce(archive);
    const isCopied = await inRealDirectory(directory, incoming, (staging) =>
      copyExclusively(source, join(staging, COPY)),
    );
    if (!isCopied) throw systemError('EEXIST', copy);
    return copy;
  } catch (error) {
    await rmdir(join(directory, incoming)).catch(() => undefined);
    throw error;
  }
}

/** The aside file may have been put back while the archive could not be reached: then nobody removed its copy. */
async function sweepOnce({ directory, place, incoming }: Archive): Promise<void> {
  if (swept.has(place)) return;
  swept.add(place);
  // By the archive's own clock; another agent may be copying into the same archive right now.
  const now = (await stat(join(directory, incoming))).mtimeMs;
  for (const name of (await readdir(directory)).filter(isIncomingName)) {
    const there = await stat(join(directory, name)).catch(() => null);
    if (there !== null && now - there.mtimeMs > DAY_MS) await clearIncoming(directory, name);
  }
}

async function renameCopy(copy: string, staging: string, candidate: string): Promise<string> {
  const renamed = join(staging, candidate);
  if (renamed !== copy) await rename(copy, renamed);
  return renamed;
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function isEmptyFile(path: string): Promise<boolean> {
  const there = await lstat(path).catch(() => null);
  return there !== null && there.isFile() && there.size === 0;
}

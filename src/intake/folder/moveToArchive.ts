import { lstat, mkdir, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
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
 * How a file gets into the archive:
 *
 *   aside ──link──▶ in both ──unlink──▶ archived
 *     └──copy──▶ incoming, being written ──synced──▶ whole ──link──▶ in both
 *
 * A file gets its name in the archive only when it is complete and durable. An incoming copy left by a crash is removed when
 * the aside file is put back; a file left in both places is recognized by its bytes on the next attempt.
 */

/** Name of the copy until it gets its name in the archive. */
const COPY = 'copy';
const DAY_MS = 24 * 60 * 60_000;

/** Archive directories that this process has swept already; listing them for every file would be slow. */
const swept = new Set<string>();

export interface Archive {
  readonly directory: string;
  /** The directory's path for people; `directory` may lead through a file descriptor. */
  readonly place: string;
  /** Name of its subdirectory for an unfinished copy; used if the file can't be linked, as from another file system. */
  readonly incoming: string;
}

/**
 * Moves a file into an archive as `name` or, if a file with other bytes has it, under a similar free name; resolves the
 * name used. Rejects with EEXIST if no name is free.
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

/** Removes an unfinished copy. Idempotent. */
export async function clearIncoming(directory: string, incoming: string): Promise<void> {
  try {
    await inRealDirectory(directory, incoming, async (staging) => {
      for (const name of await readdir(staging)) {
        // The empty file that reserved the final name on a file system without links (`placeByRename`).
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

/** Removes old copies left behind when an aside file was put back while the archive was unreachable. */
async function sweepOnce({ directory, place, incoming }: Archive): Promise<void> {
  if (swept.has(place)) return;
  swept.add(place);
  // Old by the archive's own clock; a newer copy may belong to another agent that is still writing it.
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

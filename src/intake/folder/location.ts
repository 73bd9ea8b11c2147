import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isAbsent } from './realDirectory.ts';

/** Longest wait for an answer: a directory may be on a hanging share, which must not delay other folders (promise P4). */
const WAIT_MS = 2_000;
/** As many as the system follows. */
const MOST_LINKS = 40;

const known = new Map<string, string>();
/** Lookups in progress, one per directory in the whole process, since each that hangs blocks a thread. */
const asked = new Map<string, Promise<void>>();

/** Resolves a directory's real path or, if that takes too long, its last known one or the path itself. */
export async function locationOf(directory: string): Promise<string> {
  await (asked.get(directory) ?? ask(directory));
  return known.get(directory) ?? directory;
}

function ask(directory: string): Promise<void> {
  const found = realLocation(directory).then((location) => {
    known.set(directory, location);
    asked.delete(directory);
  });
  const tired = new Promise<void>((resolve) => void setTimeout(resolve, WAIT_MS).unref());
  const answer = Promise.race([found, tired]);
  asked.set(directory, answer);
  return answer;
}

/** Resolves the real path of `path`, whose last segments need not exist yet, nor what a link leads to; `path` itself if that fails. */
export async function realLocation(path: string, links = MOST_LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isAbsent(error) || parent === path) return path;
    const leadsTo = links === 0 ? null : await readlink(path).catch(() => null);
    const above = await realLocation(parent, links);
    return leadsTo === null ? join(above, basename(path)) : realLocation(resolve(above, leadsTo), links - 1);
  }
}

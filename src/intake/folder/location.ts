import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isAbsent } from './folderPath.ts';

/** Longest wait for an answer: a directory may be on a hanging share, which must not delay other folders (promise P4). */
const WAIT_MS = 2_000;

interface Lookup {
  readonly since: number;
  readonly answer: Promise<string>;
}

/** Lookups in progress, one per directory in the whole process, since each that hangs blocks a thread. */
const asked = new Map<string, Lookup>();
const known = new Map<string, string>();

/** Resolves a directory's real path or, if that fails or takes too long, its last known one or the path itself. */
export async function locationOf(directory: string): Promise<string> {
  const { since, answer } = asked.get(directory) ?? ask(directory);
  const lastKnown = known.get(directory) ?? directory;
  const patienceMs = since + WAIT_MS - performance.now();
  if (patienceMs <= 0) return lastKnown;
  let timer: NodeJS.Timeout | undefined;
  const tired = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(lastKnown), patienceMs).unref();
  });
  try {
    return await Promise.race([answer, tired]);
  } finally {
    clearTimeout(timer);
  }
}

function ask(directory: string): Lookup {
  const answer = realLocation(directory).then(
    (location) => {
      known.set(directory, location);
      return location;
    },
    () => known.get(directory) ?? directory,
  );
  const question = { since: performance.now(), answer: answer.finally(() => asked.delete(directory)) };
  asked.set(directory, question);
  return question;
}

/** As many as the system follows. */
const MOST_LINKS = 40;

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

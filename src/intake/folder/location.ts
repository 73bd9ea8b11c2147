import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAbsent } from './folderPath.ts';

/** A directory of another folder may lie on a share that hangs; nobody else is to wait for that (promise P4). */
const WAIT_MS = 2_000;

interface Asked {
  readonly since: number;
  readonly answer: Promise<string>;
}

/** One question at a time for each directory in the whole process, since each that hangs keeps a thread. */
const asked = new Map<string, Asked>();
const known = new Map<string, string>();

/** Where a directory really is; where it was when last seen, or is said to be, if that can't be told soon. */
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

function ask(directory: string): Asked {
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

/** Where a path really is, although its last parts may not exist yet. */
export async function realLocation(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    return isAbsent(error) && parent !== path ? join(await realLocation(parent), basename(path)) : path;
  }
}

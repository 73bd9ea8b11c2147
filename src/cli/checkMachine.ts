import type { StatsFs } from 'node:fs';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Finding } from '../core/domain/finding.ts';
import { systemCode } from '../core/domain/errors.ts';

/** Free space in bytes below which ledger and logs may soon run out of room. */
const LITTLE_SPACE = 500_000_000;
/** Counting directories stops at this number, to keep the check short. */
const MOST_DIRECTORIES = 100_000;

export async function checkMachine(config: Config): Promise<Finding[]> {
  return [await checkDisk(config), ...(process.platform === 'linux' ? [await checkWatches(config)] : [])];
}

async function checkDisk({ stateDir }: Config): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfsAround(stateDir);
    const free = bavail * bsize;
    const isLittle = free < LITTLE_SPACE;
    return { level: isLittle ? 'warn' : 'ok', subject: 'disk', fact: { is: 'diskSpace', free, isLittle } };
  } catch {
    return { level: 'warn', subject: 'disk', fact: { is: 'diskUnknown', stateDir } };
  }
}

/** File system statistics of a path or, if it does not exist yet, of its nearest existing ancestor. */
async function statfsAround(place: string): Promise<StatsFs> {
  try {
    return await statfs(place);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(place) === place) throw error;
    return statfsAround(dirname(place));
  }
}

/** Compares the number of directories, each of which takes an inotify watch, with the limit. */
async function checkWatches(config: Config): Promise<Finding> {
  const limit = Number(await readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8').catch(() => 'NaN'));
  let needed = 0;
  for (const { path, recursive } of config.folders) {
    needed += recursive ? await countDirectories(path, MOST_DIRECTORIES - needed) : 1;
  }
  const isMore = needed >= MOST_DIRECTORIES;
  const wanted = needed > limit * 0.8 ? Math.max(limit, needed) * 2 : null;
  const fact = { is: 'watches', needed, isMore, limit, wanted } as const;
  return { level: wanted === null ? 'ok' : 'warn', subject: 'watches', fact };
}

async function countDirectories(root: string, most: number): Promise<number> {
  const directories = [root];
  for (const directory of directories) {
    if (directories.length >= most) break;
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) directories.push(join(directory, entry.name));
  }
  return directories.length;
}

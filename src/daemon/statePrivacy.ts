import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../domain/errors.ts';

const GROUP_AND_OTHERS = 0o077;
const GROUP_PASS = 0o010;
const OTHERS_WRITE = 0o002;

/** Refused while it is open to others, by the part that reads it: a secret that was readable has to be changed. */
const CREDENTIALS_FILE = /^credentials(?:-[A-Za-z0-9][A-Za-z0-9_-]*)?\.json$/;

/** Why a place does not belong to us; to follow "cannot be used: ". Null if it does. It need not exist. */
export async function whyNotOurs(stateDir: string): Promise<string | null> {
  const link = await lstat(stateDir).catch(ifMissing);
  if (link === null) return null;
  if (link.isSymbolicLink()) {
    const target = await realpath(stateDir);
    const open = await worldWritable(target);
    if (open !== null) {
      return `it is a symbolic link to ${target}, and everybody may write to ${open}`;
    }
  }
  const { uid } = link.isSymbolicLink() ? await stat(stateDir) : link;
  const own = process.geteuid?.();
  return own === undefined || uid === own
    ? null
    : `it belongs to another user (${uid}) than the one running receiptd (${own})`;
}

/** The first directory on the way to a place that everybody may write to, itself included. */
async function worldWritable(place: string): Promise<string | null> {
  const { mode } = await stat(place);
  if ((mode & OTHERS_WRITE) !== 0) return place;
  const parent = path.dirname(place);
  return parent === place ? null : worldWritable(parent);
}

/**
 * Takes the access of others away from the state directory and what lies in it. Directories in it that are private
 * already are not looked into. Members of the group `gid` may go on passing through.
 * @returns what was within their reach, and what still is because it can't be changed
 */
export async function closeToOthers(
  stateDir: string,
  gid: number | null = null,
): Promise<{ closed: string[]; open: string[] }> {
  const found = { closed: [] as string[], open: [] as string[] };
  const status = await stat(stateDir);
  const isLetThrough = status.gid === gid && (status.mode & GROUP_AND_OTHERS) === GROUP_PASS;
  if (!isLetThrough) await closeOne(stateDir, status, found);
  const wasPrivate = found.closed.length === 0 && found.open.length === 0;
  await closeWithin(stateDir, found);
  return wasPrivate ? { closed: [], open: [] } : found;
}

async function closeWithin(dir: string, found: { closed: string[]; open: string[] }): Promise<void> {
  for (const entry of await readdir(dir)) {
    const file = path.join(dir, entry);
    const status = await lstat(file).catch(ifMissing);
    if (status === null || CREDENTIALS_FILE.test(entry)) continue;
    // A link leads elsewhere.
    if (!status.isFile() && !status.isDirectory()) continue;
    if ((status.mode & GROUP_AND_OTHERS) === 0) continue;
    await closeOne(file, status, found);
    if (status.isDirectory()) await closeWithin(file, found);
  }
}

async function closeOne(
  file: string,
  status: Stats,
  found: { closed: string[]; open: string[] },
): Promise<void> {
  if ((status.mode & GROUP_AND_OTHERS) === 0) return;
  const shown = `${file} (mode ${(status.mode & 0o777).toString(8).padStart(3, '0')})`;
  try {
    await chmod(file, status.mode & 0o700);
    found.closed.push(shown);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') found.open.push(shown);
  }
}

function ifMissing(error: unknown): null {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode, type Params } from '../core/domain/errors.ts';
import { isSharedDirectory } from '../core/domain/sharedDirectories.ts';
import { foreignNames, isOwnName } from './stateFiles.ts';
import { asUser, userNameOf } from '../system/userName.ts';

const GROUP_AND_OTHERS = 0o077;
const GROUP_PASS = 0o010;
const OTHERS_WRITE = 0o002;
const SHOWN = 3;

/** Permissions not fixed here: the reader refuses an exposed file, because a secret that others could read has to be changed. */
const CREDENTIALS_FILE = /^credentials(?:-[A-Za-z0-9][A-Za-z0-9_-]*)?\.json$/;

/** Why a directory can't be a state directory. */
export type Refused = Params<'STATE_UNWRITABLE.refused'>[0]['refused'];

/**
 * Null if a path, which need not exist, may be used as a state directory. A directory with foreign files may not: making it
 * private would lock other users out.
 */
export async function whyNotOurs(
  stateDir: string,
  platform: NodeJS.Platform = process.platform,
): Promise<Refused | null> {
  const link = await lstat(stateDir).catch(ifMissing);
  if (link === null) return isSharedDirectory(stateDir, platform) ? shared(stateDir) : null;
  const target = link.isSymbolicLink() ? await realpath(stateDir) : stateDir;
  if (platform !== 'win32') {
    const open = link.isSymbolicLink() ? await worldWritable(target) : null;
    if (open !== null) return { kind: 'link', target, open };
  }
  if (isSharedDirectory(target, platform)) return shared(stateDir);
  if (platform !== 'win32') {
    const { uid } = await stat(stateDir);
    const own = process.geteuid?.();
    if (own !== undefined && uid !== own) return ofAnother(uid, own, platform);
  }
  return whyNotForState(target);
}

/** Null for an empty directory and one whose contents are ours, whoever owns it. */
export async function whyNotForState(stateDir: string): Promise<Refused | null> {
  if (isSharedDirectory(stateDir, process.platform)) return shared(stateDir);
  const names = await readdir(stateDir).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const foreign = foreignNames(names).toSorted();
  if (foreign.length === 0) return null;
  const files = foreign.slice(0, SHOWN);
  return { kind: 'foreign', files, more: foreign.length - files.length, better: ownPlace(stateDir) };
}

const shared = (stateDir: string): Refused => ({ kind: 'shared', better: ownPlace(stateDir) });

const ownPlace = (stateDir: string): string => path.join(stateDir, 'receiptd');

async function ofAnother(uid: number, own: number, platform: NodeJS.Platform): Promise<Refused> {
  const name = await userNameOf(uid);
  const self = await userNameOf(own);
  const command = asUser(name ?? `#${uid}`, own === 0, platform);
  return { kind: 'otherUser', owner: name ?? `${uid}`, self: self ?? `${own}`, command };
}

/** The nearest world-writable path among this one and its parents; null if none. */
async function worldWritable(place: string): Promise<string | null> {
  const { mode } = await stat(place);
  if ((mode & OTHERS_WRITE) !== 0) return place;
  const parent = path.dirname(place);
  return parent === place ? null : worldWritable(parent);
}

/**
 * Removes other users' access to the state directory and to our files in it; without `closes`, only checks. Skips the contents
 * of subdirectories that are already private. Members of the group `gid` may still traverse the directory.
 * @returns what others could access, and what they still can because it could not be changed
 */
export async function closeToOthers(
  stateDir: string,
  gid: number | null,
  { closes }: { readonly closes: boolean },
): Promise<{ closed: string[]; open: string[] }> {
  const found: PrivacyReport = { closes, closed: [], open: [] };
  const status = await stat(stateDir);
  const isLetThrough = status.gid === gid && (status.mode & GROUP_AND_OTHERS) === GROUP_PASS;
  if (!isLetThrough) await closeOne(stateDir, status, found);
  const wasPrivate = found.closed.length === 0 && found.open.length === 0;
  // Leave files of others alone.
  const own = (await readdir(stateDir)).filter(isOwnName);
  await closeWithin(stateDir, own, found);
  return wasPrivate ? { closed: [], open: [] } : found;
}

interface PrivacyReport {
  readonly closes: boolean;
  readonly closed: string[];
  readonly open: string[];
}

async function closeWithin(dir: string, names: readonly string[], found: PrivacyReport): Promise<void> {
  for (const entry of names) {
    const file = path.join(dir, entry);
    const status = await lstat(file).catch(ifMissing);
    if (status === null || CREDENTIALS_FILE.test(entry)) continue;
    // Skip links: their targets are elsewhere.
    if (!status.isFile() && !status.isDirectory()) continue;
    if ((status.mode & GROUP_AND_OTHERS) === 0) continue;
    await closeOne(file, status, found);
    if (status.isDirectory()) await closeWithin(file, await readdir(file), found);
  }
}

async function closeOne(file: string, status: Stats, found: PrivacyReport): Promise<void> {
  if ((status.mode & GROUP_AND_OTHERS) === 0) return;
  const shown = `${file} (mode ${(status.mode & 0o777).toString(8).padStart(3, '0')})`;
  if (!found.closes) return void found.open.push(shown);
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

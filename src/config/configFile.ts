import { createHash } from 'node:crypto';
import {
  access,
  constants,
  lstat,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { whileHeld } from '../core/domain/heldFile.ts';
import { placeNew } from '../system/durableFile.ts';
import { shellWord } from '../system/programs.ts';
import { userNameOf } from '../system/userName.ts';
import { syncDirectory } from '../system/syncDirectory.ts';
import { readConfigFile } from './load.ts';
import { makeDirectory } from '../system/makeDirectory.ts';

/** SHA-256 of the file's bytes, in hexadecimal. */
export function revisionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether `replaceConfigFile` has the permissions it needs. */
export async function isConfigWritable(file: string): Promise<boolean> {
  return (await whyUnwritable(file)) === null;
}

/** What keeps `replaceConfigFile` from writing; null if it has the permissions it needs. */
export async function whyUnwritable(file: string): Promise<Unwritable | null> {
  try {
    await demandReplaceable(await realpath(file));
    return null;
  } catch (error) {
    return factsOf(file, error);
  }
}

export interface Unwritable {
  /** What the system says. */
  readonly system: string;
  /** Lets this user write the file; null if that takes more than one command, or nobody knows which. */
  readonly command: string | null;
}

/**
 * The directory of a configuration that can be handed to the user of a service: receiptd's own. Null: others may use it, or a link leads
 * there. Whoever owns the directory can make such a link, to files that root must not give away.
 */
export async function ownDirectoryOf(file: string): Promise<string | null> {
  const directory = dirname(file);
  const isThere = (await realpath(file).catch(() => file)) === file;
  return isThere && basename(directory) === OWN_NAME ? directory : null;
}

/**
 * Checks in advance, as far as possible, that `replaceConfigFile` (or `createConfigFile` for a missing file) may write.
 * @throws ReceiptdError CONFIG_UNWRITABLE
 */
export async function demandConfigWritable(file: string): Promise<void> {
  const link = await lstat(file).catch(() => null);
  if (link === null) return demandPlace(file);
  try {
    await demandReplaceable(await realpath(file));
  } catch (error) {
    throw await unwritable(file, error);
  }
}

/** A new file takes the place of the old one, so the directory has to be writable, and the owner has to be kept. */
async function demandReplaceable(target: string): Promise<void> {
  await mayWrite(target);
  await access(dirname(target), constants.W_OK | constants.X_OK);
  const { uid, gid } = await stat(target);
  const own = process.geteuid?.() ?? 0;
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  if (own === 0 || (own === uid && groups.includes(gid))) return;
  throw Object.assign(new Error(`${target} belongs to somebody else.`), { code: 'EPERM' });
}

/** Tries to create missing directories, and removes them again: no permission says whether that works. */
async function demandPlace(file: string): Promise<void> {
  const directory = dirname(file);
  try {
    const first = await makeDirectory(directory);
    if (first === undefined) await access(directory, constants.W_OK | constants.X_OK);
    else await removeEmpty(directory, first);
  } catch (error) {
    throw await unwritable(file, error);
  }
}

async function removeEmpty(directory: string, first: string): Promise<void> {
  await rmdir(directory);
  if (directory !== first) await removeEmpty(dirname(directory), first);
}

async function mayWrite(file: string): Promise<void> {
  await (await open(file, 'r+')).close();
}

export interface Replacement {
  /** Expected revision of the current file; if it has changed, the replacement is refused. */
  readonly revision: string;
  readonly text: string;
  /** Directory for previous versions, created if missing. Null: none are kept. */
  readonly history: string | null;
  readonly at: Date;
}

/**
 * Replaces the file, or the target of a symbolic link, atomically and with the same owner and mode. Resolves its new
 * revision.
 * @throws ReceiptdError CONFIG_CHANGED, CONFIG_UNWRITABLE; the file is unchanged then
 */
export async function replaceConfigFile(
  file: string,
  { revision, text, history, at }: Replacement,
): Promise<string> {
  const bytes = Buffer.from(text);
  const former = await readConfigFile(file);
  if (revisionOf(former) !== revision) throw changedMeanwhile(file);
  try {
    const target = await realpath(file);
    // A rename ignores the file's own permissions, so check them here.
    await mayWrite(target);
    const aside = join(dirname(target), `.${basename(target)}.new`);
    if (history !== null) await keep(former, history, basename(target), at);
    try {
      await writeAside(aside, bytes, target);
      if (revisionOf(await readConfigFile(target)) !== revision) throw changedMeanwhile(file);
      await whileHeld(() => rename(aside, target), process);
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
    await syncDirectory(dirname(target));
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw await unwritable(file, error);
  }
  return revisionOf(bytes);
}

/**
 * Creates a config file, and its directory if missing. Atomic: a crash leaves the whole file or none.
 * @throws ReceiptdError CONFIG_EXISTS if the file already exists, CONFIG_UNWRITABLE
 */
export async function createConfigFile(file: string, text: string): Promise<void> {
  const aside = join(dirname(file), `.${basename(file)}.new`);
  try {
    await makeDirectory(dirname(file));
    // Removes the leftover of a killed attempt. Never follows a link that somebody planted there.
    await rm(aside, { force: true });
    try {
      const handle = await open(aside, 'wx', 0o644);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await placeNew(aside, file).catch((error: unknown) => {
        throw systemCode(error) === 'EEXIST' ? alreadyThere(file, error) : error;
      });
    } finally {
      await rm(aside, { force: true });
    }
    await syncDirectory(dirname(file));
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw await unwritable(file, error);
  }
}

function alreadyThere(file: string, cause: unknown): ReceiptdError {
  return new ReceiptdError('CONFIG_EXISTS', { file }, { cause });
}

/** Replaces the leftover of a killed attempt. Never follows a link that somebody planted there. */
async function writeAside(aside: string, bytes: Buffer, target: string): Promise<void> {
  const { mode, uid, gid } = await stat(target);
  await rm(aside, { force: true });
  const handle = await open(aside, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    const own = await handle.stat();
    if (process.platform !== 'win32' && (own.uid !== uid || own.gid !== gid)) await handle.chown(uid, gid);
    // After chown, which clears setuid and setgid bits.
    if (process.platform !== 'win32') await handle.chmod(mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const KEPT = 10;

async function keep(former: Buffer, history: string, name: string, at: Date): Promise<void> {
  await makeDirectory(history, 0o700);
  const time = at.toISOString().replaceAll(':', '-');
  await writeFile(join(history, `${time}.${name}`), former, { mode: 0o600 });
  const all = (await readdir(history)).filter((each) => /^\d{4}-\d\d-\d\dT/.test(each)).sort();
  for (const old of all.slice(0, -KEPT)) await rm(join(history, old), { force: true });
}

export function changedMeanwhile(file: string): ReceiptdError {
  return new ReceiptdError('CONFIG_CHANGED.bySomebody', { file });
}

const OWN_NAME = 'receiptd';

async function unwritable(file: string, cause: unknown): Promise<ReceiptdError> {
  return new ReceiptdError('CONFIG_UNWRITABLE.file', { file, ...(await factsOf(file, cause)) }, { cause });
}

async function factsOf(file: string, cause: unknown): Promise<Unwritable> {
  const system = systemCode(cause);
  if (system === undefined) throw cause;
  return { system, command: await allowing(file, system) };
}

async function allowing(file: string, system: string): Promise<string | null> {
  const uid = process.geteuid?.() ?? 0;
  const directory = await ownDirectoryOf(file);
  if (uid === 0 || directory === null || !['EACCES', 'EPERM'].includes(system)) return null;
  const user = await userNameOf(uid);
  if (user === null) return null;
  // With the user's group, which a new file gets.
  return `sudo chown ${user}: ${[directory, file].map(shellWord).join(' ')}`;
}

import { createHash } from 'node:crypto';
import {
  access,
  constants,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { whileHeld } from '../core/domain/heldFile.ts';
import { syncDirectory } from '../system/syncDirectory.ts';
import { readConfigFile } from './load.ts';

/** SHA-256 of the file's bytes, in hexadecimal digits. */
export function revisionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether `replaceConfigFile` would be let. */
export async function isConfigWritable(file: string): Promise<boolean> {
  try {
    const target = await realpath(file);
    await mayWrite(target);
    await access(dirname(target), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * That `replaceConfigFile`, or for one that is not there `createConfigFile`, would be let, as far as that shows beforehand.
 * @throws ReceiptdError CONFIG_UNWRITABLE
 */
export async function demandConfigWritable(file: string): Promise<void> {
  const link = await lstat(file).catch(() => null);
  if (link === null) return demandPlace(file, dirname(file));
  try {
    const target = await realpath(file);
    await mayWrite(target);
    await access(dirname(target), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** The nearest directory that is there has to take what is missing. */
async function demandPlace(file: string, directory: string): Promise<void> {
  try {
    if (!(await stat(directory)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const isMissing = systemCode(error) === 'ENOENT' && dirname(directory) !== directory;
    if (!isMissing) throw unwritable(file, error);
    await demandPlace(file, dirname(directory));
  }
}

async function mayWrite(file: string): Promise<void> {
  await (await open(file, 'r+')).close();
}

export interface Replacement {
  /** Of the file that is replaced; refused where it is another by now. */
  readonly revision: string;
  readonly text: string;
  /** Directory of former texts; made if it is not there. Null: none is kept. */
  readonly history: string | null;
  readonly at: Date;
}

/**
 * Replaces the file, or what a link there leads to: at every moment it holds the former text or the new one, under the
 * same owner and mode. Resolves its new revision.
 * @throws ReceiptdError CONFIG_CHANGED, CONFIG_UNWRITABLE; then it is as it was
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
    // A rename asks nobody about the file itself.
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
    throw unwritable(file, error);
  }
  return revisionOf(bytes);
}

/**
 * Makes a config file where there is none, and its directory: at every moment it is not there, or whole.
 * @throws ReceiptdError CONFIG_EXISTS where there is one by now, CONFIG_UNWRITABLE
 */
export async function createConfigFile(file: string, text: string): Promise<void> {
  const aside = join(dirname(file), `.${basename(file)}.new`);
  try {
    await mkdir(dirname(file), { recursive: true });
    // What a kill left of an earlier attempt is replaced; a link that somebody put there is not followed.
    await rm(aside, { force: true });
    try {
      const handle = await open(aside, 'wx', 0o644);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await moveTo(aside, file);
    } finally {
      await rm(aside, { force: true });
    }
    await syncDirectory(dirname(file));
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw unwritable(file, error);
  }
}

/** A link refuses to replace what somebody else wrote meanwhile; not every file system has links. */
async function moveTo(aside: string, file: string): Promise<void> {
  try {
    await link(aside, file);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') {
      throw new ReceiptdError('CONFIG_EXISTS', `${file} already exists and was left unchanged.`, {
        hint: 'Choose another file with --config, or remove this one first.',
        cause: error,
      });
    }
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
    await rename(aside, file);
  }
}

/** What a kill left of an earlier one is replaced; a link that somebody put there is not followed. */
async function writeAside(aside: string, bytes: Buffer, target: string): Promise<void> {
  const { mode, uid, gid } = await stat(target);
  await rm(aside, { force: true });
  const handle = await open(aside, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    const own = await handle.stat();
    if (process.platform !== 'win32' && (own.uid !== uid || own.gid !== gid)) await handle.chown(uid, gid);
    // After the owner: a change of that takes special bits away.
    if (process.platform !== 'win32') await handle.chmod(mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const KEPT = 10;

async function keep(former: Buffer, history: string, name: string, at: Date): Promise<void> {
  await mkdir(history, { recursive: true, mode: 0o700 });
  const time = at.toISOString().replaceAll(':', '-');
  await writeFile(join(history, `${time}.${name}`), former, { mode: 0o600 });
  const all = (await readdir(history)).filter((each) => /^\d{4}-\d\d-\d\dT/.test(each)).sort();
  for (const old of all.slice(0, -KEPT)) await rm(join(history, old), { force: true });
}

function changedMeanwhile(file: string): ReceiptdError {
  return new ReceiptdError('CONFIG_CHANGED', `Somebody else has changed ${file}, so nothing was written.`, {
    hint: 'Check the file, then make your change again.',
  });
}

function unwritable(file: string, cause: unknown): ReceiptdError {
  const code = systemCode(cause);
  if (code === undefined) throw cause;
  return new ReceiptdError(
    'CONFIG_UNWRITABLE',
    `${file} can't be written (${code}), so nothing was changed.`,
    {
      hint:
        code === 'ENOSPC' || code === 'EDQUOT'
          ? 'Free some space on its disk.'
          : 'Allow the user that runs receiptd to write the file and its directory, or change the file in an editor.',
      cause,
    },
  );
}

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../core/domain/errors.ts';
import { whileHeld } from '../core/domain/heldFile.ts';
import { syncDirectory } from './syncDirectory.ts';

/**
 * Writes a small private file, whole or not at all, and durable when it resolves. What a kill leaves beside it is written over
 * the next time. `shared`: others may write it at the same moment. @throws what the file system says
 */
export async function writeDurably(file: string, text: string, { shared = false } = {}): Promise<void> {
  const temporary = await writeAside(shared ? unique(file) : `${file}.tmp`, text, shared ? 'wx' : REPLACE);
  try {
    await whileHeld(() => rename(temporary, file), process);
    await syncDirectory(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The same where there is none yet. @returns false where there is one, which stays */
export async function createDurably(file: string, text: string): Promise<boolean> {
  const temporary = await writeAside(unique(file), text, 'wx');
  try {
    // A rename would replace what another process has just made.
    await link(temporary, file);
    await syncDirectory(dirname(file));
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (NO_LINKS.has(code)) return await createInPlace(file, text);
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

const REPLACE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

function unique(file: string): string {
  return `${file}.${randomUUID()}.tmp`;
}

async function writeAside(temporary: string, text: string, flags: string | number): Promise<string> {
  try {
    await writeSynced(temporary, text, flags);
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Some file systems know no links; there a kill in this very moment leaves half a file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function createInPlace(file: string, text: string): Promise<boolean> {
  try {
    await writeSynced(file, text, 'wx');
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writeSynced(file: string, text: string, flags: string | number): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

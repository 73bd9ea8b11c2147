import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ReceiptdError, systemCode } from '../domain/errors.ts';

/**
 * Creates the state directory, private to its owner, or checks the one that is there. `note` is a sentence
 * for the log where others have access to it.
 * @throws ReceiptdError STATE_UNWRITABLE
 */
export async function prepareStateDir(
  stateDir: string,
  platform: NodeJS.Platform = process.platform,
): Promise<{ readonly note: string | null }> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await tryWriting(stateDir);
  } catch (error) {
    throw unwritable(stateDir, error);
  }
  if (platform === 'win32') return { note: null };
  const { mode } = await stat(stateDir);
  if ((mode & 0o077) === 0) return { note: null };
  const shown = (mode & 0o777).toString(8).padStart(3, '0');
  return {
    note: `Others have access to the state directory ${stateDir} (mode ${shown}); make it private with chmod 700.`,
  };
}

/** By doing it: permission bits say nothing about a read-only file system, nor about root. */
async function tryWriting(stateDir: string): Promise<void> {
  const probe = path.join(stateDir, `.probe-${randomUUID()}`);
  await writeFile(probe, 'x', { flag: 'wx', mode: 0o600 });
  await rm(probe);
}

export function unwritable(stateDir: string, cause: unknown): ReceiptdError {
  const why = reason(cause);
  return new ReceiptdError('STATE_UNWRITABLE', `The state directory ${stateDir} cannot be used: ${why}.`, {
    hint: 'Set stateDir (or RECEIPTD_STATE_DIR) to a local directory that the user running receiptd may write.',
    cause,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  EEXIST: 'it is not a directory',
  ENOTDIR: 'it is not a directory, or a part of its path is not',
};

function reason(cause: unknown): string {
  const known = REASONS[systemCode(cause) ?? ''];
  return known ?? (cause instanceof Error ? cause.message : String(cause));
}

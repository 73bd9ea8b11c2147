import type { CliTexts } from '../texts/cli.ts';
import type { Stats } from 'node:fs';
import { lchown, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { acquireInstanceLock } from '../state-dir/instanceLock.ts';
import { isOwnName } from '../state-dir/stateFiles.ts';
import { whyNotForState } from '../state-dir/statePrivacy.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import type { Account } from '../features/os-service/account.ts';
import { makeDirectory } from '../system/makeDirectory.ts';

/**
 * Creates the state directory for the account, or transfers it from root, who may have tried the agent first.
 * @returns messages for the person installing it
 * @throws ReceiptdError INSTALL_REFUSED, ALREADY_RUNNING
 */
export async function giveStateDir(
  stateDir: string,
  account: Account,
  words: Pick<CliTexts['installing'], 'given'>,
): Promise<string[]> {
  const { name, uid, gid } = account;
  if (await demandGivable(stateDir, account)) return [];
  if ((await statusOf(stateDir)) === null) {
    await makeDirectory(dirname(stateDir));
    await mkdir(stateDir, { mode: 0o700 });
    await lchown(stateDir, uid, gid);
    return [];
  }
  // No agent may use it while its owner changes; ALREADY_RUNNING names the one that does.
  const lock = await acquireInstanceLock(stateDir);
  try {
    for (const own of (await readdir(stateDir)).filter(isOwnName)) {
      const place = join(stateDir, own);
      const isDirectory = (await lstat(place)).isDirectory();
      const below = isDirectory ? await readdir(place, { recursive: true }) : [];
      for (const path of ['', ...below]) await giveIfRoots(join(place, path), uid, gid);
    }
    await lchown(stateDir, uid, gid);
  } finally {
    await lock.release();
  }
  return [words.given(stateDir, name)];
}

/**
 * True if the directory already belongs to the account; false if it has to be created, or can be transferred from root.
 * @throws ReceiptdError INSTALL_REFUSED
 */
export async function demandGivable(stateDir: string, { name, uid }: Account): Promise<boolean> {
  const status = await statusOf(stateDir);
  if (status === null) return false;
  if (status.uid === uid || (await leadsToDirectoryOf(stateDir, status, uid))) return true;
  if (status.uid !== 0 || !status.isDirectory() || (status.mode & 0o022) !== 0) {
    throw new ReceiptdError('INSTALL_REFUSED.stateOfOther', { stateDir, uid: status.uid, name });
  }
  const refused = await whyNotForState(stateDir);
  if (refused !== null) {
    throw new ReceiptdError('INSTALL_REFUSED.stateUnfit', { stateDir, name, refused });
  }
  return false;
}

async function statusOf(stateDir: string): Promise<Stats | null> {
  return lstat(stateDir).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
}

/** Whether `path` is root's link (such as to another disk) to a directory that already belongs to the account. */
async function leadsToDirectoryOf(path: string, link: Stats, uid: number): Promise<boolean> {
  if (!link.isSymbolicLink() || link.uid !== 0) return false;
  const target = await stat(path).catch(() => null);
  return target !== null && target.isDirectory() && target.uid === uid;
}

/** Files of other users keep their owner. For a link, changes the owner of the link, not of its target. */
async function giveIfRoots(path: string, uid: number, gid: number): Promise<void> {
  if ((await lstat(path)).uid === 0) await lchown(path, uid, gid);
}

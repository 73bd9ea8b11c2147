import { chmod, lchown, lstat } from 'node:fs/promises';
import { ownDirectoryOf } from '../config/configFile.ts';
import type { Account } from '../features/os-service/account.ts';

const GROUP_READS = 0o040;

/**
 * Lets the service's user replace the configuration, or no longer: hands the file and its directory over, or back to root. Needs root.
 * The user goes on reading them as a member of their group.
 * @returns whether anything changed
 */
export async function giveConfig(file: string, { uid, gid }: Account, may: boolean): Promise<boolean> {
  const directory = await ownDirectoryOf(file);
  if (directory === null) return false;
  let isChanged = false;
  // The directory first: once it is root's, nobody puts another file in place of this one.
  for (const path of [directory, file]) {
    const status = await lstat(path);
    if (status.isSymbolicLink()) continue;
    const wanted = may ? uid : 0;
    // What belongs to a third user is not ours to give.
    if ((status.uid === wanted && (!may || status.gid === gid)) || ![0, uid].includes(status.uid)) continue;
    await lchown(path, wanted, gid);
    if (!may) await chmod(path, (status.mode & 0o7777) | GROUP_READS);
    isChanged = true;
  }
  return isChanged;
}

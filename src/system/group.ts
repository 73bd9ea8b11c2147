import { readFile } from 'node:fs/promises';
import { ReceiptdError } from '../core/domain/errors.ts';
import { run } from './programs.ts';

const ANSWER_MS = 5_000;

/**
 * The number of a group of the operating system, by its name or number.
 * @throws ReceiptdError CONFIG_INVALID where there is none
 */
export async function gidOf(group: string): Promise<number> {
  if (/^\d{1,9}$/.test(group)) return Number(group);
  const line = (await localGroup(group)) ?? (await directoryGroup(group));
  const gid = line?.split(':')[2];
  if (gid !== undefined && /^\d+$/.test(gid)) return Number(gid);
  throw new ReceiptdError('CONFIG_INVALID.noGroup', { group });
}

async function localGroup(name: string): Promise<string | undefined> {
  const text = await readFile('/etc/group', 'utf8').catch(() => '');
  return text.split('\n').find((line) => line.startsWith(`${name}:`));
}

/** What a directory service (LDAP, say) knows. */
async function directoryGroup(name: string): Promise<string | undefined> {
  const command = ['getent', 'group', '--', name];
  const { status, stdout } = await run(command, { env: process.env, limitMs: ANSWER_MS });
  return status === 0 ? stdout.split('\n')[0] : undefined;
}

import { stat, statfs } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { strengthOf } from '../api/credentials/strength.ts';
import { accountOption } from '../core/domain/account.ts';
import type { CredentialStore } from '../core/ports/credentials.ts';
import type { Finding } from '../core/domain/finding.ts';
import { credentialsConfig } from './service.ts';

/** File system type of ramfs, which is never swapped; see statfs(2). */
const RAMFS_MAGIC = 0x858458f6;

/** Reports the store that an account's credentials come from, and how well it protects them. */
export async function checkStore(
  config: Config,
  account: string | null,
  store: CredentialStore,
  env: NodeJS.ProcessEnv,
  subject: string,
): Promise<Finding> {
  const { platform } = process;
  const { file } = credentialsConfig(config, account);
  const directory = env['CREDENTIALS_DIRECTORY'];
  const { isWeak, fact: strength } = strengthOf(store, {
    platform,
    uid: process.getuid?.() ?? null,
    agentUid: platform === 'win32' ? null : await ownerOf(config.stateDir),
    file,
    fileUid: platform === 'win32' ? null : await ownerOf(file),
    option: accountOption(account),
    isInRamfs: store === 'systemd' && directory ? await isRamfs(directory) : null,
  });
  return { level: isWeak ? 'warn' : 'ok', subject, fact: { is: 'store', store, strength } };
}

async function ownerOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.uid ?? null;
}

/** Null if that is unknown. */
async function isRamfs(path: string): Promise<boolean | null> {
  const about = await statfs(path).catch(() => null);
  return about && about.type === RAMFS_MAGIC;
}

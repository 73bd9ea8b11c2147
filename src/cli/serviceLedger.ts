import { lstat, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { ledgerPath } from '../state-dir/stateFiles.ts';
import type { Config } from '../config/config.ts';
import { readConfigFile, textOf } from '../config/load.ts';
import { stateDirOf } from '../config/stateDirOf.ts';
import { userNameOf } from '../system/userName.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { findAccount } from '../features/os-service/account.ts';
import type { Host } from '../features/os-service/host.ts';

/**
 * Refuses to install a service if a user has a ledger from running receiptd by hand in their own default state directory:
 * the service would start with a new ledger and send every file again.
 * @throws ReceiptdError INSTALL_REFUSED
 */
export async function refuseLeavingLedger(
  host: Host,
  { file, stateDir, ledger }: Pick<Config, 'file' | 'stateDir' | 'ledger'>,
): Promise<void> {
  if (ledger.kind !== 'sqlite' || host.platform === 'win32' || host.env['RECEIPTD_STATE_DIR']) return;
  if (await isThere(ledgerPath({ stateDir }))) return;
  const text = textOf(await readConfigFile(file), file);
  for (const user of await peopleOf(host, file)) {
    const home = await homeOf(host, user);
    if (home === null) continue;
    const surroundings = { env: {}, platform: host.platform, home, cwd: '/', isRoot: false };
    const theirs = stateDirOf(text, file, surroundings);
    if (theirs === stateDir || !(await isThere(ledgerPath({ stateDir: theirs })))) continue;
    throw new ReceiptdError('INSTALL_REFUSED.leavesLedger', { user, theirs, stateDir });
  }
}

/** Users who may have run receiptd by hand: the owner of the config file, and the user who ran sudo. */
async function peopleOf(host: Host, file: string): Promise<string[]> {
  const { uid } = await stat(file);
  const names = [uid === 0 ? null : await userNameOf(uid), host.env['SUDO_USER'] || null];
  return [...new Set(names.filter((name) => name !== null && name !== 'root'))] as string[];
}

async function homeOf(host: Host, user: string): Promise<string | null> {
  if (host.platform === 'darwin') return posix.join('/Users', user);
  return (await findAccount(host, user))?.home ?? null;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

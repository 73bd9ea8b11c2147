import type { Finding } from '../core/domain/finding.ts';
import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { findAccount, noSuchUser } from '../features/os-service/account.ts';
import type { Io } from './io.ts';
import { hostOf } from './serviceHost.ts';
import { checkAs } from './serviceAccount.ts';
import { commandOf } from './serviceInstall.ts';

/** Findings of `check` about the folders, with the rights of another user. Needs root. */
export async function foldersAs(io: Io, config: Config, user: string): Promise<Finding[]> {
  const host = hostOf(io);
  try {
    const account = await findAccount(host, user);
    if (account === null) throw noSuchUser(user);
    const agent = { command: await commandOf(undefined), environment: {} };
    const findings = await checkAs(host, config, agent, account);
    const paths = config.folders.map(({ path }) => path);
    return findings.filter(({ subject }) => paths.includes(subject));
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    const message = `They can't be checked as the user ${user}: ${error.message}`;
    return [{ level: 'warn', subject: 'folders', message }];
  }
}

import type { Finding } from '../core/domain/finding.ts';
import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { findAccount, noSuchUser } from '../features/os-service/account.ts';
import type { Io } from './io.ts';
import { hostOf } from './serviceHost.ts';
import { checkAs } from './serviceAccount.ts';
import { commandOf } from './serviceInstall.ts';

/**
 * Findings of `check` about the folders, the alerts and the ledger, with the rights of another user. Needs root. A single warning if
 * that is not possible.
 */
export async function findingsAs(io: Io, config: Config, user: string): Promise<Finding[]> {
  const host = hostOf(io);
  try {
    const account = await findAccount(host, user);
    if (account === null) throw noSuchUser(user);
    const agent = { command: await commandOf(undefined), environment: {} };
    const findings = await checkAs(host, config, agent, account);
    const subjects = ['ledger', 'alerts', ...config.folders.map(({ path }) => path)];
    return findings
      .filter(({ subject }) => subjects.includes(subject))
      .map((finding) => ({ ...finding, checkedAs: user, names: [user] }));
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    const fact = { is: 'notCheckedAs', user, ...error.within() } as const;
    return [{ level: 'warn', subject: 'folders', fact }];
  }
}

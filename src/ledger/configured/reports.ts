import type { Config } from '../../config/config.ts';
import { agentName, sharesOf, targetOf } from '../../config/fleetMember.ts';
import { accountsAmong } from '../../core/domain/account.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';

export type OpenReports = LedgerReports & { close(): Promise<void> };

/** @throws what opening throws, and `work` */
export async function withReports<T>(
  config: Parameters<typeof openReports>[0],
  work: (reports: LedgerReports) => Promise<T>,
): Promise<T> {
  const reports = await openReports(config);
  try {
    return await work(reports);
  } finally {
    await reports.close();
  }
}

/**
 * Opens the ledger read-only, also beside a running agent. Loads neither writer, journal nor pipeline, which reading
 * does not need.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, LEDGER_NEWER, FILE_UNREADABLE; LEDGER_DAMAGED for SQLite,
 * LEDGER_UNREACHABLE and LEDGER_REFUSED for PostgreSQL
 */
export async function openReports(
  config: Pick<Config, 'stateDir' | 'endpoints' | 'folders' | 'ledger'>,
): Promise<OpenReports> {
  const { ledger, endpoints, folders } = config;
  const accountOf = accountsAmong(endpoints);
  if (ledger.kind === 'sqlite') {
    const { openSqliteReports } = await import('../sqlite/openReports.ts');
    return openSqliteReports({ path: ledgerPath(config), accountOf });
  }
  const { openPostgresReports } = await import('../fleet/openReports.ts');
  const [target, agent, shares] = [targetOf(ledger), agentName(ledger), sharesOf(folders)];
  return openPostgresReports({ target, agent, shares, accountOf });
}

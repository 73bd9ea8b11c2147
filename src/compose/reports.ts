import { join } from 'node:path';
import { accountsAmong } from '../domain/account.ts';
import type { Config } from '../config/config.ts';
import { openSqliteReports } from '../ledger/sqlite/openReports.ts';

export function ledgerPath({ stateDir }: Pick<Config, 'stateDir'>): string {
  return join(stateDir, 'ledger.db');
}

/** What reads needs no writer, no journal and no pipeline: these are loaded for it neither. */
export function openReports(config: Pick<Config, 'stateDir' | 'endpoints'>) {
  return openSqliteReports({ path: ledgerPath(config), accountOf: accountsAmong(config.endpoints) });
}

import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { openSqliteReports } from '../ledger/sqlite/openReports.ts';

export function ledgerPath({ stateDir }: Pick<Config, 'stateDir'>): string {
  return join(stateDir, 'ledger.db');
}

/** What reads needs no writer, no journal and no pipeline: these are loaded for it neither. */
export function openReports(config: Pick<Config, 'stateDir'>) {
  return openSqliteReports({ path: ledgerPath(config) });
}

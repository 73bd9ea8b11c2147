import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { openSqliteReports } from '../ledger/sqlite/openReports.ts';

/** What reads needs no writer, no journal and no pipeline: these are loaded for it neither. */
export function openReports({ stateDir }: Pick<Config, 'stateDir'>) {
  return openSqliteReports({ path: join(stateDir, 'ledger.db') });
}

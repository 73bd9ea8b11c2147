import type { AccountOf } from '../../domain/account.ts';
import type { LedgerReports } from '../../ports/ledgerReports.ts';
import type { Store } from './store.ts';

// TODO(pg): to be written on its branch; nothing here may land.
export function createReports(store: Store, accountOf: AccountOf): LedgerReports {
  throw new Error(`not there yet: ${typeof store} ${typeof accountOf}`);
}

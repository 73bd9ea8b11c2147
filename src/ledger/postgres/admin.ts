import type { LedgerAdmin } from '../../ports/ledger.ts';
import type { Store } from './store.ts';

// TODO(pg): to be written on its branch; nothing here may land.
export function createAdmin(store: Store): LedgerAdmin {
  throw new Error(`not there yet: ${typeof store}`);
}

import type { LedgerIntake } from '../../ports/ledger.ts';
import type { Store } from './store.ts';

// TODO(pg): to be written on its branch; nothing here may land.
export function createIntake(store: Store): LedgerIntake {
  throw new Error(`not there yet: ${typeof store}`);
}

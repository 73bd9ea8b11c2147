import type { LedgerResults } from '../../ports/results.ts';
import type { Store } from './store.ts';

// TODO(pg): to be written on its branch; nothing here may land.
export function createResults(store: Store): LedgerResults {
  throw new Error(`not there yet: ${typeof store}`);
}

import type { LedgerFleet } from '../../ports/fleet.ts';
import type { Link } from './link.ts';
import type { Store } from './store.ts';

// TODO(pg): to be written on its branch; nothing here may land.
export function createFleet(store: Store, link: Link): LedgerFleet {
  throw new Error(`not there yet: ${typeof store} ${typeof link}`);
}

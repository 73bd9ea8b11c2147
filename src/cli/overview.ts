import type { StatusResponse } from '../daemon/control/protocol.ts';
import type { Hold } from '../ports/hold.ts';
import type { StateCount } from '../ports/ledgerReports.ts';

/** What `status` has looked at. */
export interface Overview {
  readonly now: number;
  /** Null where none runs, or where it does not say. */
  readonly daemon: StatusResponse | null;
  /** Somebody is there and gives no answer that can be used: why, and what to do. */
  readonly silent: string | null;
  readonly counts: readonly StateCount[];
  readonly holds: readonly Hold[];
  /** When the document that has waited longest was named. */
  readonly oldestWaiting: number | null;
}

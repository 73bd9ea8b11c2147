import type { Config } from '../config/config.ts';
import type { Document } from '../core/domain/document.ts';
import type { Flow } from '../flow/flow.ts';
import type { LimitedBy } from '../flow/limits/pacer.ts';
import type { Pacer } from '../flow/limits/pacer.ts';
import type { LedgerReports, StateCount } from '../core/ports/ledgerReports.ts';

/** Displays the progress of a run. */
export interface RunProgress {
  accepted(document: Document): void;
  /** Starts the display; it ends when the returned function is called or `stop` aborts. */
  begin(source: ProgressSource, stop: AbortSignal): () => Promise<void>;
}

export interface ProgressSource {
  counts(): Promise<readonly StateCount[]>;
  limitedBy(): readonly LimitedBy[];
  endpoints(): Config['endpoints'];
  inFlight(): number;
}

export function progressOf(
  ledger: Pick<LedgerReports, 'counts'>,
  current: () => {
    readonly config: Config;
    readonly pacer: Pick<Pacer, 'limitedBy'>;
    readonly flow: Pick<Flow, 'inFlight'>;
  },
): ProgressSource {
  return {
    counts: () => ledger.counts(),
    limitedBy: () => current().pacer.limitedBy(),
    endpoints: () => current().config.endpoints,
    inFlight: () => current().flow.inFlight,
  };
}

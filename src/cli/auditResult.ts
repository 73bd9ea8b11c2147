import type { Comparison } from '../features/audit/audit.ts';
import type { CrossCheck, FileTally } from '../features/audit/accounting.ts';
import type { JournalHead } from '../core/ports/journal.ts';

/** Result of an audit. `unaccounted` takes precedence over `incomplete`, since a missing file is missing in any case. */
export interface Audit {
  readonly at: number;
  /** The requested day; null: all days. */
  readonly day: string | null;
  readonly agentRuns: boolean;
  readonly head: JournalHead | null;
  readonly folders: readonly AuditedFolder[];
  readonly total: FileTally;
  readonly check: CrossCheck;
  readonly verdict: 'complete' | 'incomplete' | 'unaccounted';
}

export interface AuditedFolder {
  readonly path: string;
  /** Alias; null for a folder that is no longer in the configuration. */
  readonly endpoint: string | null;
  readonly tally: FileTally;
  /** Null for a folder that is no longer configured, since its patterns are unknown. */
  readonly now: Comparison | null;
}

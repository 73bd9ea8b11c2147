import type { StorageTrouble } from '../../core/ports/ledger.ts';
import type { ErrorData } from './errorData.ts';
import type { Step } from '../ledger.ts';

/*
 * Messages between the agent and the thread that writes its ledger. Plain data, since they are copied between threads.
 */

/** The first message: tells the thread which ledger to open. */
export interface ThreadData {
  readonly path: string;
  readonly backupsDir?: string | undefined;
  /** Bytes reserved for a full disk, and the path of their file. */
  readonly reserve?: { readonly path: string; readonly bytes: number } | undefined;
}

/** Ends the thread, which reports that in memory they share (`workerData`): to one who exits, no message comes. */
export const END = 'end';
/** Index in the shared memory: 1 once the thread has no call of SQLite under way, and starts none. */
export const IS_ENDED = 0;

/** What the agent asks. Transactions are run in the order in which they are asked for. */
export type Asked =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly steps: readonly Step[];
      readonly areOutcomes: boolean;
    }
  | { readonly kind: 'backup'; readonly id: number; readonly target: string | null }
  | { readonly kind: 'blanked'; readonly id: number }
  | { readonly kind: 'readFailed'; readonly id: number; readonly failure: ErrorData }
  | { readonly kind: 'looked'; readonly soundAt: number | null }
  /** Close the ledger once everything before is answered. */
  | { readonly kind: 'close' };

export type Said =
  | {
      readonly kind: 'opened';
      /** What had to be mended, in sentences. */
      readonly mended: readonly string[];
      readonly backupsDir: string;
      readonly trouble: StorageTrouble | null;
    }
  | { readonly kind: 'refused'; readonly error: ErrorData }
  /** Listeners are called. */
  | { readonly kind: 'trouble'; readonly trouble: StorageTrouble | null }
  | Answered
  | { readonly kind: 'closed' };

export interface Answered {
  readonly kind: 'answered';
  readonly id: number;
  readonly value?: unknown;
  readonly error?: ErrorData;
  /** With an error of the store: whether outcomes of requests in progress may be recorded nevertheless. */
  readonly mayRecordOutcomes?: boolean;
  /** How long commits since the last answer waited for the disk; milliseconds. */
  readonly synced: readonly number[];
  /** The current state, which may have another wording. */
  readonly trouble: StorageTrouble | null;
}

/** The fault of one item, as it travels. */
export interface FaultData {
  readonly fault: ErrorData;
}

export type { ErrorData };

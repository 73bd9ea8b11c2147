import type { LedgerStorage, StorageTrouble } from '../../core/ports/ledger.ts';
import type { Runner } from '../runner.ts';
import { ReceiptdError, systemCode, type SaidElsewhere } from '../../core/domain/errors.ts';

/*
 * Messages between the agent and the thread that writes its ledger: calls, in which transactions are run in the order in which they are asked for, and
 * answers. Plain data, since they are copied between threads.
 */

/** Which ledger to open. */
export interface ThreadData {
  readonly path: string;
  readonly backupsDir?: string | undefined;
  /** Bytes reserved for a full disk, and the path of their file. */
  readonly reserve?: { readonly path: string; readonly bytes: number } | undefined;
}

export interface OpenedLedger {
  /** What had to be mended, in sentences. */
  readonly mended: readonly string[];
  readonly backupsDir: string;
}

export interface Calls {
  open(data: ThreadData): Promise<OpenedLedger>;
  /** A fault of one item is `ErrorData`. */
  run: Runner['run'];
  backup: Runner['backup'];
  blanked: Runner['blanked'];
  readFailed(failure: ErrorData): Promise<void>;
  looked(soundAt: number | null): Promise<void>;
  /** Once everything before is answered. The thread ends. */
  close: Runner['close'];
}

export interface ThreadCall {
  readonly id: number;
  readonly call: keyof Calls;
  readonly args: readonly unknown[];
}

export interface Answered {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: ErrorData;
  /** With an error of the store: whether outcomes of requests in progress may be recorded nevertheless. */
  readonly mayRecordOutcomes?: boolean;
  /** How long commits since the last answer waited for the disk; milliseconds. */
  readonly synced: readonly number[];
  /** The current state, which may have another wording. */
  readonly trouble: ReturnType<LedgerStorage['trouble']>;
}

/** Without a number: the state has changed, and listeners are called. */
export type ThreadMessage = Answered | { readonly trouble: StorageTrouble | null };

/** Ends the thread, which reports that in memory they share (`workerData`): to one who exits, no message comes. */
export const END = 'end';
/** Index in the shared memory: 1 once the thread has no call of SQLite under way, and starts none. */
export const IS_ENDED = 0;

export interface ErrorData {
  /** Null for a defect, which is not for people. */
  readonly said: SaidElsewhere | null;
  readonly name: string;
  readonly message: string;
  /** The system's error code (ENOSPC, …). */
  readonly system: string | null;
  readonly stack: string | null;
  readonly cause: ErrorData | null;
}

/** Messages between threads lose prototypes. */
export function toData(error: unknown): ErrorData {
  if (!(error instanceof Error)) return toData(new Error(String(error)));
  const { name, message, stack = null, cause } = error;
  const isForPeople = error instanceof ReceiptdError;
  return {
    said: isForPeople ? error.facts() : null,
    name,
    message,
    system: isForPeople ? null : (systemCode(error) ?? null),
    stack,
    cause: cause === undefined ? null : toData(cause),
  };
}

export function fromData({ said, name, message, system, stack, cause }: ErrorData): Error {
  const by = cause === null ? undefined : fromData(cause);
  if (said !== null) return new ReceiptdError(said, { cause: by });
  const error = new Error(message, { cause: by });
  error.name = name;
  if (stack !== null) error.stack = stack;
  return system === null ? error : Object.assign(error, { code: system });
}

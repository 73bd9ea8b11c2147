import { ReceiptdError, systemCode, type SaidElsewhere } from '../../../core/domain/errors.ts';
import type { LineWrites } from '../claims.ts';
import type { Ledger, StorageTrouble } from '../../../core/ports/ledger.ts';
import type { FileSeen, Note } from '../../../core/ports/ledgerIntake.ts';

/*
 * Messages between the agent and the thread that writes its ledger. Plain data, since they are copied between threads.
 */

/** The first message: tells the thread which ledger to open. */
export interface ThreadData {
  readonly path: string;
  readonly backupsDir?: string;
  /** Bytes reserved for a full disk, and the path of their file. */
  readonly reserve?: { readonly path: string; readonly bytes: number };
}

/** Ends the thread, which reports that in memory they share (`workerData`): to one who exits, no message comes. */
export const END = 'end';
/** Index in the shared memory: 1 once the thread has no call of SQLite under way, and starts none. */
export const IS_ENDED = 0;

/** Methods of the ledger's port that write, or must run after earlier writes. */
export const WRITING = [
  'markWatched',
  'lastSighting',
  'setFolderMark',
  'doubtFolderMark',
  'admit',
  'note',
  'gone',
  'beginSplit',
  'notePage',
  'endSplit',
  'recover',
  'begin',
  'finish',
  'finishReplayed',
  'postpone',
  'markLost',
  'setOriginalsRule',
  'disposing',
  'disposed',
  'keepOriginal',
  'recordResult',
  'putHold',
  'clearHold',
  'recordAct',
  'retry',
  'dismiss',
  'undismiss',
  'resend',
  'erase',
  'moveTo',
  'admitElsewhere',
  'recordEndpoint',
  'backup',
] as const satisfies readonly (keyof Ledger)[];

/** Calls that the thread accepts. */
export interface Writing extends Pick<Ledger, (typeof WRITING)[number]>, LineWrites {
  /** A part of `markWatched`. */
  readonly markSkipped: (files: readonly FileSeen[], note: Omit<Note, 'verdict'>) => Promise<void>;
  /** The agent's own connection failed to read. */
  readonly readFailed: (failure: ErrorData) => Promise<void>;
  readonly looked: (soundAt: number | null) => Promise<void>;
}

/** In the order in which they were made. */
export interface Calls {
  readonly calls: readonly Call[];
  /** Close the ledger after starting these calls. */
  readonly isLast: boolean;
}

export interface Call {
  readonly id: number;
  readonly method: keyof Writing;
  readonly args: readonly unknown[];
}

export type Said =
  | {
      readonly kind: 'opened';
      /** Repairs that were needed, in sentences. */
      readonly mended: readonly string[];
      readonly backupsDir: string;
      readonly trouble: StorageTrouble | null;
    }
  | { readonly kind: 'refused'; readonly error: ErrorData }
  | { readonly kind: 'trouble'; readonly trouble: StorageTrouble | null }
  | ({ readonly kind: 'answers' } & Answers)
  | { readonly kind: 'closed' };

/** Usually those of one commit. */
export interface Answers {
  readonly answers: readonly Answer[];
  /** How long each commit since the last answers waited for the disk; milliseconds. */
  readonly synced: readonly number[];
  /** The current state if it or its wording changed; left out otherwise. */
  readonly trouble?: StorageTrouble | null;
}

export type Answer =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: ErrorData };

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
  if (!(error instanceof Error))
    return {
      said: null,
      name: 'Error',
      message: String(error),
      system: null,
      stack: null,
      cause: null,
    };
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

import { ReceiptdError, systemCode, type ErrorCode } from '../../../core/domain/errors.ts';
import type { LineWrites } from '../claims.ts';
import type { Ledger, StorageTrouble } from '../../../core/ports/ledger.ts';
import type { FileSeen, Note } from '../../../core/ports/ledgerIntake.ts';

/*
 * What the agent and the thread that writes its ledger say to each other. Data only: it is copied from one to the other.
 */

/** The first message: what the thread is to open. */
export interface ThreadData {
  readonly path: string;
  readonly backupsDir?: string;
  /** Bytes held ready for a full disk, and where. */
  readonly reserve?: { readonly path: string; readonly bytes: number };
}

/** Methods of the ledger's port that write, or have to come behind what was written before. */
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
  'admitElsewhere',
  'recordEndpoint',
  'backup',
] as const satisfies readonly (keyof Ledger)[];

/** What the thread is asked for. */
export interface Writing extends Pick<Ledger, (typeof WRITING)[number]>, LineWrites {
  /** A part of `markWatched`. */
  readonly markSkipped: (files: readonly FileSeen[], note: Omit<Note, 'verdict'>) => Promise<void>;
  /** The agent's own connection could not read. */
  readonly readFailed: (failure: ErrorData) => Promise<void>;
  readonly looked: (soundAt: number | null) => Promise<void>;
}

/** In the order in which they were asked for. */
export interface Calls {
  readonly calls: readonly Call[];
  /** Close the ledger once they are begun. */
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
      /** What had to be mended, in sentences. */
      readonly mended: readonly string[];
      readonly backupsDir: string;
      readonly trouble: StorageTrouble | null;
    }
  | { readonly kind: 'refused'; readonly error: ErrorData }
  | { readonly kind: 'trouble'; readonly trouble: StorageTrouble | null }
  | ({ readonly kind: 'answers' } & Answers)
  | { readonly kind: 'closed' };

/** Of one commit, as a rule. */
export interface Answers {
  readonly answers: readonly Answer[];
  /** How long each commit since the last answers waited for the disk; milliseconds. */
  readonly synced: readonly number[];
  /** As it is now, in other words than before; left out if it is the same. */
  readonly trouble?: StorageTrouble | null;
}

export type Answer =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: ErrorData };

export interface ErrorData {
  /** Null: not for people, a defect. */
  readonly code: ErrorCode | null;
  readonly name: string;
  readonly message: string;
  readonly hint: string | null;
  /** The system's word for it (ENOSPC, …). */
  readonly system: string | null;
  readonly stack: string | null;
  readonly cause: ErrorData | null;
}

/** Prototypes don't cross. */
export function toData(error: unknown): ErrorData {
  if (!(error instanceof Error))
    return {
      code: null,
      name: 'Error',
      message: String(error),
      hint: null,
      system: null,
      stack: null,
      cause: null,
    };
  const { name, message, stack = null, cause } = error;
  const isForPeople = error instanceof ReceiptdError;
  return {
    code: isForPeople ? error.code : null,
    name,
    message,
    hint: isForPeople ? (error.hint ?? null) : null,
    system: isForPeople ? null : (systemCode(error) ?? null),
    stack,
    cause: cause === undefined ? null : toData(cause),
  };
}

export function fromData({ code, name, message, hint, system, stack, cause }: ErrorData): Error {
  const by = cause === null ? undefined : fromData(cause);
  if (code !== null) return new ReceiptdError(code, message, { ...(hint !== null && { hint }), cause: by });
  const error = new Error(message, { cause: by });
  error.name = name;
  if (stack !== null) error.stack = stack;
  return system === null ? error : Object.assign(error, { code: system });
}

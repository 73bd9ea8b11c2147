import { errorsTexts } from '../../texts/en/errors.ts';
import { isErrorKey, type ErrorKey, type ErrorTexts } from '../../texts/errors.ts';
import { wordsOf } from '../../texts/explain.ts';
import { formatOf } from '../../texts/format.ts';
import type { Detail, ErrorCode, SaidElsewhere, Within } from '../../texts/facts.ts';
import { local } from './words.ts';

export {
  ERROR_CODES,
  type Detail,
  type ErrorCode,
  type SaidElsewhere,
  type ArchiveFlaw,
  type AuthoritiesFlaw,
} from '../../texts/facts.ts';

/** What an error with this key takes. */
export type Params<K> = K extends ErrorKey
  ? ErrorTexts[K] extends (params: infer P) => unknown
    ? [params: P]
    : []
  : [];

interface MadeBy {
  readonly cause?: unknown;
  readonly retryAfterMs?: number | null;
}

/**
 * The only error type shown to people: a key of the catalogue and its parameters, as every language words them. `code`, the first part
 * of the key, is stable and listed in docs/errors.md; `message` says in English what and where; `hint` says what to do. Any other
 * thrown error is a bug.
 */
export class ReceiptdError<K extends ErrorKey | SaidElsewhere = ErrorKey> extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly kind: ErrorKind;
  /** Null if another program worded it, which may be of another version. */
  readonly key: ErrorKey | null;
  readonly params: object | null;
  /** How long the service asked to wait (Retry-After); null if it did not. */
  readonly retryAfterMs: number | null;

  constructor(said: K, ...args: [...Params<K>, options?: MadeBy]) {
    const texts = english();
    const [own, elsewhere] = typeof said === 'object' ? [null, said] : [said, null];
    const hasParams = own !== null && typeof texts[own] === 'function';
    const given: readonly unknown[] = args;
    const params = hasParams ? (given[0] as object) : null;
    const options = (given[hasParams ? 1 : 0] ?? {}) as MadeBy;
    const [message, hint] =
      own === null ? [elsewhere.message, elsewhere.hint] : wordsOf({ errors: texts }, own, params);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ReceiptdError';
    this.hint = hint;
    // The part of the key before the dot; its type holds that (texts/facts.ts).
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const code = elsewhere?.code ?? (String(own).replace(/\..*$/, '') as ErrorCode);
    this.code = code;
    this.key = elsewhere === null ? own : isWordedSo(elsewhere) ? elsewhere.key : null;
    this.params = elsewhere?.params ?? params;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.kind = KINDS[code] ?? 'other';
  }

  /** What, where, and what to do, in English. */
  words(): string {
    return this.hint ? `${this.message} ${this.hint}` : this.message;
  }

  /** For a text that tells it along with something else. */
  within(): Within {
    return { detail: this.words(), error: this.facts() };
  }

  /** One line for a terminal, in English: the words and the code. */
  sentence(): string {
    return `${this.words()} [${this.code}]`;
  }

  /** For other threads and processes. */
  facts(): SaidElsewhere & { readonly key?: string; readonly params?: Record<string, unknown> } {
    const { code, message, hint, key, params } = this;
    return {
      code,
      message,
      ...(hint !== undefined && { hint }),
      ...(key !== null && { key, ...(params !== null && { params: { ...params } }) }),
    };
  }
}

let ofEnglish: ErrorTexts | undefined;
const english = (): ErrorTexts => (ofEnglish ??= errorsTexts(formatOf('en', local)));

/** Whether this version has the same words for the key. */
function isWordedSo(said: SaidElsewhere): said is SaidElsewhere & { readonly key: ErrorKey } {
  const { key, params, message, hint = '' } = said;
  if (typeof key !== 'string' || !isErrorKey(english(), key)) return false;
  try {
    const [what, cure = ''] = wordsOf({ errors: english() }, key, params ?? null);
    return what === message && cure === hint;
  } catch {
    return false;
  }
}

/** What failed, as far as it decides what is put on hold or retried. */
export type ErrorKind = 'config' | 'ledger' | 'credentials' | 'other';

const KINDS: Readonly<Partial<Record<ErrorCode, ErrorKind>>> = {
  CONFIG_NOT_FOUND: 'config',
  CONFIG_UNREADABLE: 'config',
  CONFIG_SYNTAX: 'config',
  CONFIG_INVALID: 'config',
  CONFIG_EXISTS: 'config',
  CONFIG_CHANGED: 'config',
  CONFIG_UNWRITABLE: 'config',
  LEDGER_EXISTS: 'ledger',
  LEDGER_MISSING: 'ledger',
  LEDGER_OLDER: 'ledger',
  LEDGER_NEWER: 'ledger',
  LEDGER_DAMAGED: 'ledger',
  LEDGER_WRITE_FAILED: 'ledger',
  DISK_FULL: 'ledger',
  LEDGER_SHARED: 'ledger',
  LEDGER_UNREACHABLE: 'ledger',
  LEDGER_REFUSED: 'ledger',
  LEDGER_WENT_BACK: 'ledger',
  LEDGER_MOVED: 'ledger',
  CREDENTIALS_MISSING: 'credentials',
  CREDENTIALS_INSECURE: 'credentials',
  CREDENTIALS_REFUSED: 'credentials',
  CREDENTIALS_UNWRITABLE: 'credentials',
  KEYCHAIN_UNAVAILABLE: 'credentials',
  KEYCHAIN_LOCKED: 'credentials',
};

/** Wraps any other thrown value; `key` says what the caller was trying to do. */
export function asReceiptdError<K extends ErrorKey>(
  error: unknown,
  key: K,
  ...params: Params<K>
): ReceiptdError {
  if (error instanceof ReceiptdError) return error;
  return new ReceiptdError(key, ...params, { cause: error });
}

/** The parameters of an error that has the key; null if it has another. */
export function paramsOf<K extends ErrorKey>(error: ReceiptdError, key: K): Params<K>[0] | null {
  // Each error has the parameters of its key.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return error.key === key ? (error.params as Params<K>[0]) : null;
}

/** Whether reading or writing the ledger failed, which is not the fault of the data. */
export function isOfLedger(error: unknown): boolean {
  return error instanceof ReceiptdError && error.kind === 'ledger';
}

/** Whether another agent took over the work: it will finish it, so this is no error to report. */
export function isTakenOver(error: unknown): boolean {
  return error instanceof ReceiptdError && (error.code === 'AGENT_FENCED' || error.code === 'DOCUMENT_TAKEN');
}

/** For `catch`: ignores that a shared ledger is unreachable. @throws any other error */
export function unlessLedgerAway(error: unknown): void {
  if (!(error instanceof ReceiptdError && error.code === 'LEDGER_UNREACHABLE')) throw error;
}

/** Errors of file systems that Node calls "Unknown system error -116": by their numbers on Linux (errno.h). */
const UNNAMED: Readonly<Record<string, string>> = {
  '-116': 'ESTALE',
  '-117': 'EUCLEAN',
  '-122': 'EDQUOT',
  '-123': 'ENOMEDIUM',
  '-126': 'ENOKEY',
  '-127': 'EKEYEXPIRED',
};

/** The `code` of a Node system error (ENOENT, EACCES, ...), or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  if (typeof error.code !== 'string') return undefined;
  const [, number = ''] = /^Unknown system error (-\d+)$/.exec(error.code) ?? [];
  return UNNAMED[number] ?? error.code;
}

/** An error like those of the system, for what it does not report itself. */
export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

/** Message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What any thrown value says, for a text that tells it along with something else: ours in the language of that text. */
export function saidBy(error: unknown): Detail {
  if (error instanceof ReceiptdError) return error.within();
  return { detail: messageOf(error).replace(/\.$/, '') };
}

/** Log fields for any thrown value: its message, and the code of a ReceiptdError. */
export function describeError(error: unknown): { readonly code?: ErrorCode; readonly detail: string } {
  if (error instanceof ReceiptdError) return { code: error.code, detail: error.sentence() };
  return { detail: messageOf(error) };
}

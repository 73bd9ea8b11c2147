/**
 * The only error type shown to people. `code` is stable and listed in docs/errors.md;
 * `message` says what and where; `hint` says what to do. Any other thrown error is a bug.
 */
export class ReceiptdError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly kind: ErrorKind;
  /** How long the service asked to wait (Retry-After); null if it did not. */
  readonly retryAfterMs: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; retryAfterMs?: number | null } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ReceiptdError';
    this.code = code;
    this.hint = options.hint;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.kind = KINDS[code] ?? 'other';
  }

  /** What, where, and what to do. */
  words(): string {
    return this.hint ? `${this.message} ${this.hint}` : this.message;
  }

  /** One line for a terminal: the words and the code. */
  sentence(): string {
    return `${this.words()} [${this.code}]`;
  }
}

/** Every code, in the order of docs/errors.md; a test keeps both in sync. */
export const ERROR_CODES = [
  // Configuration
  'CONFIG_NOT_FOUND',
  'CONFIG_UNREADABLE',
  'CONFIG_SYNTAX',
  'CONFIG_INVALID',
  'CONFIG_EXISTS',
  'CONFIG_CHANGED',
  'CONFIG_UNWRITABLE',
  'TEMPLATE_INVALID',
  'FOLDERS_NESTED',
  'ENDPOINT_UNKNOWN',
  'ENDPOINT_IS_EXAMPLE',
  'ACCOUNT_UNKNOWN',
  'HTTPS_REQUIRED',
  // Folders and files
  'FOLDER_MISSING',
  'FOLDER_NOT_A_DIRECTORY',
  'FOLDER_UNREADABLE',
  'FOLDER_UNWRITABLE',
  'FILE_UNREADABLE',
  'FOLDER_UNREACHABLE',
  'FOLDER_UNLISTED',
  'FOLDER_TAKEN',
  'FOLDER_TAKEN_OVER',
  'FOLDER_TAKEN_ELSEWHERE',
  'SUBFOLDERS_UNREADABLE',
  'SUBFOLDERS_UNWATCHED',
  'WATCH_LIMIT',
  'FOLDER_SILENT',
  'FOLDERS_SILENT',
  'ATTENTION_UNWRITABLE',
  // State directory and ledger
  'STATE_UNWRITABLE',
  'ALREADY_RUNNING',
  'STATE_MOVED',
  'ARCHIVE_REFUSED',
  'LEDGER_EXISTS',
  'LEDGER_MISSING',
  'LEDGER_OLDER',
  'LEDGER_NEWER',
  'UPGRADE_NO_SPACE',
  'LEDGER_DAMAGED',
  'LEDGER_WRITE_FAILED',
  'DISK_FULL',
  'DISK_SLOW',
  'LOG_UNWRITABLE',
  'LEDGER_SHARED',
  'LEDGER_UNREACHABLE',
  'LEDGER_REFUSED',
  'LEDGER_WENT_BACK',
  'AGENT_NAME_TAKEN',
  'AGENT_RENAMED',
  'AGENT_FENCED',
  'AGENT_UNKNOWN',
  'AGENT_SILENT',
  'ROLE_UNFIT',
  'LEDGER_MOVED',
  'MOVE_REFUSED',
  'MOVE_DIFFERS',
  'HISTORY_KEPT',
  'BACKUP_FAILED',
  'JOURNAL_DAMAGED',
  'SPOOL_FULL',
  'SPOOL_UNWRITABLE',
  'DOCUMENT_UNKNOWN',
  'DOCUMENT_AMBIGUOUS',
  'DOCUMENT_STATE',
  'DOCUMENT_TAKEN',
  'DOCUMENT_HELD',
  'BYTES_GONE',
  'PERSON_NEEDED',
  'UPLOADS_PAUSED',
  // Credentials
  'CREDENTIALS_MISSING',
  'CREDENTIALS_INSECURE',
  'CREDENTIALS_REFUSED',
  'CREDENTIALS_UNWRITABLE',
  'KEYCHAIN_UNAVAILABLE',
  'KEYCHAIN_LOCKED',
  // Service
  'SERVICE_UNREACHABLE',
  'SERVICE_BUSY',
  'SERVICE_ANSWER',
  'ENDPOINT_BUSY',
  'ENDPOINT_HELD',
  'ENDPOINT_GONE',
  'ENDPOINT_FORBIDDEN',
  'ENDPOINT_REFUSED',
  'CREATE_UNCERTAIN',
  // Command line, daemon, sandbox
  'USAGE',
  'OUTPUT_UNWRITABLE',
  'NOT_RUNNING',
  'CONTROL_FAILED',
  'PORT_IN_USE',
  'MONITORING_UNAVAILABLE',
  'CONSOLE_UNAVAILABLE',
  'CONSOLE_SIGNED_OUT',
  'CONSOLE_REFUSED',
  'ALERT_UNDELIVERED',
  'CONFIRMATION_NEEDED',
  'RESULTS_UNAVAILABLE',
  'RESULTS_COMMAND_FAILED',
  'RESULT_UNKNOWN',
  'SETUP_INCOMPLETE',
  'TEST_RECEIPT_UNDELIVERED',
  // The service manager of the machine
  'MANAGER_ABSENT',
  'MANAGER_FAILED',
  'ROOT_NEEDED',
  'INSTALL_REFUSED',
  'INSTALL_EDITED',
  'NOT_INSTALLED',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

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

/** Wraps any other thrown value; `code` describes what the caller was trying to do. */
export function asReceiptdError(error: unknown, code: ErrorCode, message: string): ReceiptdError {
  if (error instanceof ReceiptdError) return error;
  return new ReceiptdError(code, message, { cause: error });
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

/** Log fields for any thrown value: its message, and the code of a ReceiptdError. */
export function describeError(error: unknown): { readonly code?: ErrorCode; readonly detail: string } {
  if (error instanceof ReceiptdError) return { code: error.code, detail: error.sentence() };
  return { detail: messageOf(error) };
}

import type { ErrorCode, ParamsOf } from './facts.ts';

/** Codes of errors alone, which are never a problem or a reason: their own sentences are all that is shown. */
export type OfErrors =
  | 'CONFIG_CHANGED'
  | 'CONFIG_UNWRITABLE'
  | 'LEDGER_SHARED'
  | 'AGENT_UNKNOWN'
  | 'DOCUMENT_UNKNOWN'
  | 'DOCUMENT_AMBIGUOUS'
  | 'DOCUMENT_STATE'
  | 'DOCUMENT_TAKEN'
  | 'CREDENTIALS_UNWRITABLE'
  | 'ENDPOINT_FORBIDDEN'
  | 'ENDPOINT_REFUSED'
  | 'CREATE_UNCERTAIN'
  | 'USAGE'
  | 'CONTROL_FAILED'
  | 'CONSOLE_SIGNED_OUT'
  | 'CONSOLE_REFUSED'
  | 'RESULT_UNKNOWN'
  | 'CONFIG_EXISTS'
  | 'ALREADY_RUNNING'
  | 'STATE_MOVED'
  | 'ARCHIVE_REFUSED'
  | 'LEDGER_EXISTS'
  | 'AGENT_RENAMED'
  | 'ROLE_UNFIT'
  | 'LEDGER_MOVED'
  | 'MOVE_REFUSED'
  | 'MOVE_DIFFERS'
  | 'HISTORY_KEPT'
  | 'OUTPUT_UNWRITABLE'
  | 'CONFIRMATION_NEEDED'
  | 'SETUP_INCOMPLETE'
  | 'TEST_RECEIPT_UNDELIVERED'
  | 'MANAGER_ABSENT'
  | 'MANAGER_FAILED'
  | 'ROOT_NEEDED'
  | 'INSTALL_REFUSED'
  | 'INSTALL_EDITED'
  | 'NOT_INSTALLED';

/** Codes that only problems have: their words always get the parameters. Those of the others get none if an error has the code. */
export const OF_PROBLEMS = [
  'FOLDER_UNLISTED',
  'SUBFOLDERS_UNREADABLE',
  'SUBFOLDERS_UNWATCHED',
  'FOLDERS_SILENT',
  'LOG_UNWRITABLE',
  'PERSON_NEEDED',
  'UPLOADS_PAUSED',
  'SERVICE_BUSY',
  'ENDPOINT_BUSY',
  'ENDPOINT_HELD',
  'ENDPOINT_GONE',
] as const satisfies readonly ErrorCode[];
type OfProblems = (typeof OF_PROBLEMS)[number];

export type WordedCode = Exclude<ErrorCode, OfErrors>;

type Text<C extends ErrorCode> =
  string | (C extends OfProblems ? (params: ParamsOf<C>) => string : (params?: ParamsOf<C>) => string);

/** Words for every code that people see as a problem or on a page. */
export type Codes = { readonly [C in WordedCode]: { readonly what: Text<C>; readonly cure: Text<C> } };

/** What people are told, as codes with plain values; its words stand beside this, by language. */

/** Every code, by subject, in the order of docs/errors.md. */
export const ERROR_GROUPS = {
  Configuration: [
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
  ],
  'Folders and files': [
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
  ],
  'State directory and ledger': [
    'STATE_UNWRITABLE',
    'ALREADY_RUNNING',
    'STATE_MOVED',
    'ARCHIVE_REFUSED',
    'LEDGER_EXISTS',
    'LEDGER_MISSING',
    'LEDGER_OLDER',
    'LEDGER_NEWER',
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
    'BYTES_GONE',
    'PERSON_NEEDED',
    'UPLOADS_PAUSED',
  ],
  Credentials: [
    'CREDENTIALS_MISSING',
    'CREDENTIALS_INSECURE',
    'CREDENTIALS_REFUSED',
    'CREDENTIALS_UNWRITABLE',
    'KEYCHAIN_UNAVAILABLE',
    'KEYCHAIN_LOCKED',
  ],
  Service: [
    'SERVICE_UNREACHABLE',
    'SERVICE_BUSY',
    'SERVICE_ANSWER',
    'ENDPOINT_BUSY',
    'ENDPOINT_HELD',
    'ENDPOINT_GONE',
    'ENDPOINT_FORBIDDEN',
    'ENDPOINT_REFUSED',
    'CREATE_UNCERTAIN',
  ],
  'Command line, daemon, sandbox': [
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
  ],
  'The service manager of the machine': [
    'MANAGER_ABSENT',
    'MANAGER_FAILED',
    'ROOT_NEEDED',
    'INSTALL_REFUSED',
    'INSTALL_EDITED',
    'NOT_INSTALLED',
  ],
} as const;

export type ErrorCode = (typeof ERROR_GROUPS)[keyof typeof ERROR_GROUPS][number];

export const ERROR_CODES: readonly ErrorCode[] = Object.values(ERROR_GROUPS).flat();

/** What is wrong and where; what to do, if anything. */
export type Words = readonly [what: string, cure?: string];

/** By code, or by code and reason where a code has several sentences. */
export type Entries = Readonly<
  Partial<Record<ErrorCode | `${ErrorCode}.${string}`, Words | ((params: never) => Words)>>
>;

/** The same entries in another language. */
export type Translated<T> = {
  readonly [K in keyof T]: T[K] extends (params: infer P) => unknown ? (params: P) => Words : Words;
};

/** The words of an error that come from elsewhere: from another process, or with other advice. */
export interface SaidElsewhere {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly key?: string | null | undefined;
  readonly params?: object | null | undefined;
}

/** What is told along with something else: in English, and what every language words it from; neither, if it is the system's own. */
export type Detail = {
  readonly detail: string;
  readonly error?: Pick<SaidElsewhere, 'key' | 'params'>;
  readonly why?: { readonly is?: unknown } | null;
};

/** An error inside another text. */
export type Within = Detail & { readonly error: SaidElsewhere };

/** The process that has claimed a folder. */
export interface FolderHolder {
  readonly pid: number;
  readonly user: string;
  readonly stateDir: string;
}

/** A file of another encoding than UTF-8. */
export type NotUtf8 = 'UTF-16' | 'binary';

/** What is wrong with a command line. */
export type CommandLineFault =
  | {
      readonly kind:
        'unknownOption' | 'valueMissing' | 'optionMissing' | 'argumentMissing' | 'tooManyArguments';
      readonly subject: string;
    }
  | {
      readonly kind: 'notAChoice';
      readonly subject: string;
      readonly given: string;
      readonly choices: readonly string[];
    }
  /** In the words of the parser. */
  | { readonly kind: 'other'; readonly detail: string };

/** What is wrong with a file of certificate authorities. */
export type AuthoritiesFlaw = NotUtf8 | 'notAFile' | 'unreadable' | 'noCertificate' | 'broken';

/** What is wrong with a client identifier or secret. */
export type CredentialsFlaw = {
  readonly why: 'tooLong' | 'nul' | 'control';
  readonly of: 'clientId' | 'clientSecret';
};

/** Why the keychain can't be used. `detail`: what it says. */
export type KeychainTrouble =
  | { readonly why: 'late'; readonly seconds: number }
  | { readonly why: 'notStarted' | 'noAnswer' | 'strangeAnswer' | 'noSuchEntry' }
  | { readonly why: 'notInstalled'; readonly isLinux: boolean }
  | { readonly why: 'noSession' | 'noKeyring' | 'failed'; readonly detail: string };

/** A place that has no credentials, and why. */
export interface Absence {
  readonly place: 'environment' | 'systemd' | 'keychain' | 'noFile' | { readonly path: string };
  readonly why:
    | CredentialsFlaw
    | KeychainTrouble
    | { readonly why: 'unset' | 'empty'; readonly names: readonly string[] }
    | { readonly why: 'notConfigured' | 'notFile' | 'tooLarge' | 'noSuchFile' | 'otherShape' | 'noDirectory' }
    | { readonly why: 'encoding'; readonly encoding: NotUtf8 }
    | { readonly why: 'system'; readonly system: string }
    | { readonly why: 'noEntry'; readonly entry: string; readonly isCertain: boolean }
    | { readonly why: 'foreignEntry'; readonly entry: string }
    | { readonly why: 'emptyIn'; readonly names: readonly string[]; readonly directory: string }
    | {
        readonly why: 'unreadable';
        readonly names: readonly string[];
        readonly directory: string;
        readonly system: string;
      }
    | { readonly why: 'notDecrypted'; readonly file: string };
}

/** Why a file holds no secret that can be used. */
export type SecretFlaw = NotUtf8 | 'notFile' | 'tooLarge' | 'unreadable' | 'empty';

/** Why an archive can't be restored. `about`: the member, or what the unpacker says. */
export type ArchiveFlaw =
  | { readonly flaw: 'empty' | 'twice' | 'foreign' | 'manifestUnreadable' | 'grows' }
  | { readonly flaw: 'missing' | 'unlisted' | 'otherSize' | 'changed'; readonly about: string }
  | { readonly flaw: 'manifest' | 'notGzip' | 'notTar'; readonly about: string }
  | { readonly flaw: 'notPlain'; readonly about: string | null }
  /** Sizes. */
  | { readonly flaw: 'bomb'; readonly about: string; readonly unpacked: string };

/** Why a test receipt was not accepted. */
export type TestReceiptTrouble =
  | { readonly what: 'excluded' | 'unwatched'; readonly folder: string }
  | { readonly what: 'unwritable'; readonly folder: string; readonly system: string | null }
  | { readonly what: 'noAgent' | 'unseen' }
  | { readonly what: 'notYetWatching'; readonly folder: string; readonly state: string }
  | ({ readonly what: 'state'; readonly state: string } & Detail)
  | ({ readonly what: 'error' } & Detail);

/** What to change where a database refuses the ledger. */
export type LedgerCure = 'privileges' | 'authority' | 'serverName' | 'encryption' | 'password' | 'settings';

/** Why nothing is sent to some place, and until when. */
type Held = Detail & {
  /** Code of the answer or fault, such as HTTP_403. */
  readonly reason: string;
  /** When it is tried again automatically; null: only when a person says so. */
  readonly until: string | null;
  /** Documents that wait because of this. */
  readonly waiting: number;
  /** The other agent of the fleet that got this answer. */
  readonly agent: string | null;
};

/** States in which a document or file may need a person. */
export type NeedingState = 'failed' | 'unconfirmed' | 'lost' | 'rejected' | 'incomplete' | 'unreadable';

/** Documents and files that need attention for one reason. */
export type Need = {
  readonly state: NeedingState;
  /** Why a file was not sent; null for a document. */
  readonly reason: string | null;
  readonly count: number;
};

/** A channel of alerts, by who gets them. */
export type AlertReceiver = 'command' | 'desktop' | 'email' | 'eventLog' | 'webhook';

/** How a program ended. `said`: on its standard error, or why it did not start. */
export type ProgramEnd =
  | { readonly how: 'exited'; readonly status: number; readonly said: string }
  | { readonly how: 'signal'; readonly signal: string; readonly said: string }
  | { readonly how: 'timedOut' | 'notStarted'; readonly said: string };

/** Why credentials can't be used, besides that the service refuses them. */
export type Unusable =
  'CREDENTIALS_MISSING' | 'CREDENTIALS_INSECURE' | 'KEYCHAIN_UNAVAILABLE' | 'KEYCHAIN_LOCKED';

type OfCredentials = Held & { readonly account: string | null };

/** Plain values that the words of a problem need, by code; times are ISO 8601. Codes that are not listed come from an error. */
export interface Listed extends Readonly<Record<Unusable, OfCredentials>> {
  FOLDER_MISSING: { readonly folder: string };
  FOLDER_NOT_A_DIRECTORY: { readonly folder: string };
  FOLDER_UNREADABLE: Detail & { readonly folder: string };
  FOLDER_UNREACHABLE: Detail & { readonly folder: string };
  /** Its first listing has not ended. */
  FOLDER_UNLISTED: { readonly folder: string };
  FOLDER_TAKEN: Detail & { readonly folder: string };
  FOLDER_UNWRITABLE: {
    readonly folder: string;
    /** One that stays; null if none has to go yet. */
    readonly file: string | null;
    readonly system: string;
    readonly isArchived: boolean;
    /** The disk or share does not respond. */
    readonly isAway: boolean;
  };
  /** `count`: files skipped because the agent that had the folder before may have sent them. */
  FOLDER_TAKEN_OVER: { readonly folder: string; readonly count: number };
  /** `count`: receipts that the other agent archived; the last one as `archivedTo`. */
  FOLDER_TAKEN_ELSEWHERE: { readonly folder: string; readonly count: number; readonly archivedTo: string };
  /** `subfolders`: the first few; `isAway`: whether their disk or share does not respond. */
  SUBFOLDERS_UNREADABLE: {
    readonly folder: string;
    readonly count: number;
    readonly system: string;
    readonly subfolders: readonly string[];
    readonly isAway: boolean;
  };
  /** `subfolders`: the first few. */
  SUBFOLDERS_UNWATCHED: {
    readonly folder: string;
    readonly count: number;
    readonly subfolders: readonly string[];
  };
  /** `system`: the system's error codes; `files`: the first few. */
  FILE_UNREADABLE: {
    readonly folder: string;
    readonly count: number;
    readonly system: string;
    readonly files: readonly string[];
  };
  /** `system`: null if the limit concerns one folder only. */
  WATCH_LIMIT: { readonly folders: readonly string[]; readonly system: string | null };
  /** Minutes of working hours since the last scan, and of the longest pause of a usual day if that was the measure. */
  FOLDER_SILENT: {
    readonly folder: string;
    readonly last: string;
    readonly minutes: number;
    readonly pause: number | null;
  };
  /** `folders`: some of them; none if no folder gets scans. */
  FOLDERS_SILENT: { readonly count: number; readonly watched: number; readonly folders: readonly string[] };
  ATTENTION_UNWRITABLE: { readonly place: string; readonly system: string };
  /** `answers`: whether the disk responds, after that many seconds. */
  DISK_SLOW: { readonly stateDir: string; readonly seconds: number; readonly answers: boolean };
  LOG_UNWRITABLE: { readonly dir: string; readonly system: string };
  /** `count`: documents that wait for it alone. */
  AGENT_SILENT: {
    readonly agent: string;
    readonly host: string;
    readonly last: string;
    readonly count: number;
  };
  /** Bytes. */
  SPOOL_FULL: { readonly used: number; readonly limit: number; readonly size: number };
  SPOOL_UNWRITABLE: Detail & { readonly keepsScans: boolean };
  ALERT_UNDELIVERED: Detail & { readonly channel: string };
  RESULTS_COMMAND_FAILED: Detail & { readonly program: string };
  /** `target`: alias of the endpoint, or path of the folder; null for everything. `until`: when it ends by itself. */
  UPLOADS_PAUSED: {
    readonly scope: 'service' | 'endpoint' | 'folder';
    readonly target: string | null;
    readonly by: string | null;
    readonly until: string | null;
    readonly waiting: number;
  };
  SERVICE_UNREACHABLE: Held & { readonly service: string };
  SERVICE_BUSY: Held & { readonly service: string };
  CREDENTIALS_REFUSED: OfCredentials;
  ENDPOINT_BUSY: Held & { readonly endpoint: string };
  ENDPOINT_HELD: Held & { readonly endpoint: string };
  /** `folder`: null for those of other agents. */
  PERSON_NEEDED: { readonly folder: string | null; readonly count: number; readonly needs: readonly Need[] };
  /** `tookSome`: whether the endpoint ever accepted a document; if not, its uid may have been a mistake. */
  ENDPOINT_GONE: { readonly endpoint: string; readonly count: number; readonly tookSome: boolean };
}

export type ParamsOf<C extends ErrorCode> = C extends keyof Listed ? Listed[C] : Detail;

/** A code with its parameters. */
export type Condition = { [C in ErrorCode]: { readonly code: C; readonly params: ParamsOf<C> } }[ErrorCode];

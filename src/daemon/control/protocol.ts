import { z } from 'zod';
import { ERROR_CODES } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { JournalHead } from '../../ports/journal.ts';

/*
 * What the command line may ask of the running daemon: `POST /v1/<operation>` with a JSON object, answered
 * with a JSON object. Both sides check what they receive, for either may be of another version.
 */

export const FOLDER_STATES = [
  'watching',
  'missing',
  'unreadable',
  'notADirectory',
  'unreachable',
  'starting',
  'paused',
] as const;

export interface FolderStatus {
  path: string;
  /** Alias. */
  endpoint: string;
  state: (typeof FOLDER_STATES)[number];
  message: string | null;
  /** ISO 8601; when that state began. */
  since: string;
  /** How new scans are noticed. */
  mode: 'events' | 'polled';
  /** Kind of file system, such as ext4 or nfs; null until the folder was looked at. */
  fileSystem: string | null;
  /** Files that are not at rest yet. */
  settling: number;
  /** ISO 8601; null until the folder was listed once. */
  lastListing: string | null;
}

export interface StatusResponse {
  pid: number;
  /** ISO 8601. */
  startedAt: string;
  version: string;
  folders: FolderStatus[];
  /** Uploads running at this moment. */
  inFlight: number;
  /** What stands between the agent and its work. */
  incidents: IncidentStatus[];
  /** What slows it down and is no trouble (sending hours, a reduced pace), in plain sentences. */
  notes: string[];
  spool: SpoolStatus;
}

export interface IncidentStatus {
  code: ErrorCode;
  message: string;
  hint: string;
  /** ISO 8601. */
  since: string;
}

export interface SpoolStatus {
  mode: 'auto' | 'always' | 'never';
  /** Bytes. */
  used: number;
  limit: number;
  images: number;
}

/** In a deliberate act. */
interface Act {
  /** Operating-system user who asks, for the record. */
  by?: string | undefined;
}

/** Documents by name, or all that wait for a person. */
export interface RetryRequest extends Act {
  names?: string[] | undefined;
  all?: boolean | undefined;
}

export interface ResendRequest extends Act {
  name: string;
  /** Alias; the document's own endpoint when left out. */
  endpoint?: string | undefined;
}

export interface ResendResponse {
  name: string;
  endpointUid: string;
  /** `duplicate`: the other endpoint has these bytes already, under that name. */
  outcome: 'queued' | 'duplicate';
}

export interface TargetRequest extends Act {
  /** A folder's path or an endpoint's alias; everything when left out. */
  target?: string | undefined;
}

export interface TargetResponse {
  /** What was paused or resumed. */
  targets: string[];
}

/** An endpoint that the service has just created: the ledger has one writer. */
export interface RecordEndpointRequest extends Act {
  uid: string;
  name: string;
  /** The service's record as it came. */
  verbatim: string;
}

/** Documents by name, or all that were named before a time. */
export interface EraseRequest extends Act {
  names?: string[] | undefined;
  /** ISO 8601. */
  before?: string | undefined;
}

export interface EraseResponse {
  erased: number;
  /** Names of documents that still wait, and are left as they are. */
  skipped: string[];
}

export interface BackupRequest extends Act {
  /** Absolute path of a new file; one of its own in `backups` of the state directory when left out. */
  output?: string | undefined;
}

export interface BackupResponse {
  file: string;
  head: JournalHead;
}

export interface Exchanges {
  status: { request: Record<string, never>; response: StatusResponse };
  retry: { request: RetryRequest; response: { queued: number } };
  /** Tries everything on hold at once: new credentials, say. */
  tryHeld: { request: Record<string, never>; response: Record<string, never> };
  resend: { request: ResendRequest; response: ResendResponse };
  pause: { request: TargetRequest; response: TargetResponse };
  resume: { request: TargetRequest; response: TargetResponse };
  recordEndpoint: { request: RecordEndpointRequest; response: Record<string, never> };
  erase: { request: EraseRequest; response: EraseResponse };
  backup: { request: BackupRequest; response: BackupResponse };
}

export type Operation = keyof Exchanges;
export type Request<O extends Operation> = Exchanges[O]['request'];
export type Response<O extends Operation> = Exchanges[O]['response'];

/** What the daemon can do. A ReceiptdError reaches the caller as it is; anything else stays inside. */
export type Operations = {
  readonly [O in Operation]: (request: Request<O>) => Promise<Response<O>>;
};

export type Protocol = {
  readonly [O in Operation]: {
    readonly request: z.ZodType<Request<O>>;
    readonly response: z.ZodType<Response<O>>;
  };
};

const by = z.string().optional();
const nothing = z.record(z.string(), z.never());
const target = z.object({ target: z.string().optional(), by });
const targets = z.object({ targets: z.array(z.string()) });

export const PROTOCOL: Protocol = {
  status: {
    request: nothing,
    response: z.object({
      pid: z.number(),
      startedAt: z.string(),
      version: z.string(),
      folders: z.array(
        z.object({
          path: z.string(),
          endpoint: z.string(),
          state: z.enum(FOLDER_STATES),
          message: z.string().nullable(),
          since: z.string(),
          mode: z.enum(['events', 'polled']),
          fileSystem: z.string().nullable(),
          settling: z.number(),
          lastListing: z.string().nullable(),
        }),
      ),
      inFlight: z.number(),
      incidents: z.array(
        z.object({ code: z.enum(ERROR_CODES), message: z.string(), hint: z.string(), since: z.string() }),
      ),
      notes: z.array(z.string()),
      spool: z.object({
        mode: z.enum(['auto', 'always', 'never']),
        used: z.number(),
        limit: z.number(),
        images: z.number(),
      }),
    }),
  },
  retry: {
    request: z.object({ names: z.array(z.string()).optional(), all: z.boolean().optional(), by }),
    response: z.object({ queued: z.number() }),
  },
  tryHeld: { request: nothing, response: nothing },
  resend: {
    request: z.object({ name: z.string(), endpoint: z.string().optional(), by }),
    response: z.object({
      name: z.string(),
      endpointUid: z.string(),
      outcome: z.enum(['queued', 'duplicate']),
    }),
  },
  pause: { request: target, response: targets },
  resume: { request: target, response: targets },
  recordEndpoint: {
    request: z.object({ uid: z.string(), name: z.string(), verbatim: z.string(), by }),
    response: nothing,
  },
  erase: {
    request: z.object({ names: z.array(z.string()).optional(), before: z.string().optional(), by }),
    response: z.object({ erased: z.number(), skipped: z.array(z.string()) }),
  },
  backup: {
    request: z.object({ output: z.string().optional(), by }),
    response: z.object({
      file: z.string(),
      head: z.object({ ledger: z.string(), seq: z.number(), hash: z.string() }),
    }),
  },
};

/** Body of every answer but 200. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  hint?: string | undefined;
}

export const errorBody: z.ZodType<ErrorBody> = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  hint: z.string().optional(),
});

export function isOperation(name: string): name is Operation {
  return Object.hasOwn(PROTOCOL, name);
}

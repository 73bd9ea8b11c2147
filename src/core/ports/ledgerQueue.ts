import type {
  AttemptOutcome,
  Document,
  EndpointKey,
  FileIdentity,
  FileRef,
  Lane,
} from '../domain/document.ts';

export interface ClaimQuery {
  readonly endpoint: EndpointKey;
  readonly lane: Lane;
  readonly limit: number;
  /** Documents with a later `notBefore` are not due. */
  readonly now: number;
  /** Paused folders. */
  readonly exceptFolders: readonly string[];
  /** Fresh documents that were admitted before this time are backlog from now on. */
  readonly freshSince: number;
  /** No document waits for longer than this; a later `notBefore` is a clock's mistake, and counts as due. Milliseconds. */
  readonly longestWaitMs: number;
}

export type Transition =
  | { readonly state: 'accepted'; readonly serviceStatus: string; readonly response: string }
  | { readonly state: 'failed' | 'unconfirmed'; readonly reason: string; readonly message: string }
  | {
      readonly state: 'queued';
      readonly notBefore: number;
      readonly reason: string;
      readonly message: string;
      /** The document may be stored already. Sticks to the document. */
      readonly answerLost: boolean;
      /** Adds one to the document's server errors. */
      readonly serverError: boolean;
    };

export interface AttemptResult {
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly message: string | null;
  readonly transition: Transition;
}

/** A place where the bytes of a document may be read. */
export interface Source extends FileRef {
  /** Of sightings, in the order in which they were recorded. */
  readonly sighting: number;
  readonly identity: FileIdentity;
  /** Absolute; set when the agent archived the original. */
  readonly archivedTo: string | null;
}

/** Documents to be queued again, at the end of their endpoint's line. */
export interface Requeue {
  readonly documentIds: readonly number[];
  readonly reason: string;
  readonly message: string;
}

export interface LedgerQueue {
  /**
   * Before a pipeline begins, while none runs: `uploading` becomes `queued`, and its open attempt `unknown`; all claims end.
   * Resolves how many were uploading.
   */
  recover(at: number): Promise<number>;
  /**
   * Due documents in order of arrival, folders in turn, none of them claimed by an earlier call. A claim
   * lasts until `begin`, `release`, `recover` or the end of the process.
   */
  claim(query: ClaimQuery): Promise<readonly Document[]>;
  release(documentIds: readonly number[]): Promise<void>;
  /**
   * Records an upload request before it is sent; the document is `uploading`. Resolves the attempt's id. Rejects with
   * DOCUMENT_STATE where a result has made a claimed document accepted, with DOCUMENT_TAKEN where another agent has it, and with
   * DOCUMENT_HELD where its service or endpoint is on hold for all agents.
   */
  begin(documentId: number, at: number, bytes: number): Promise<number>;
  /** Ends an attempt and moves its document on; in the same transaction queues others (and itself) again. */
  finish(attemptId: number, result: AttemptResult, requeue?: Requeue): Promise<void>;
  /** Ends an attempt whose request is replayed at once (401): the document stays `uploading`. */
  finishReplayed(attemptId: number, at: number, httpStatus: number, message: string): Promise<void>;
  /** Moves claimed documents without an attempt: not due yet, or lost. */
  postpone(documentId: number, notBefore: number, reason: string, message: string, at: number): Promise<void>;
  /** If its bytes were seen again since `newestSeen`, the newest sighting that was looked at, the document is queued again instead. */
  markLost(documentId: number, message: string, at: number, newestSeen?: number): Promise<void>;
  /** Documents whose bytes will be wanted soon (queued or uploading), by id after `afterId`. */
  waiting(afterId: number, limit: number): Promise<readonly Document[]>;
  /** Documents that `retry` would queue, by id after `afterId`. */
  retriable(afterId: number, limit: number, at: number): Promise<readonly number[]>;
  /**
   * Which of these hashes belong to a document that may still be sent: queued, uploading, lost, or failed or
   * unconfirmed since `failedSince`.
   */
  wanted(sha256s: readonly string[], failedSince: number): Promise<ReadonlySet<string>>;
  /** When the next document of this endpoint falls due after `now`; null when none waits for a time. */
  nextDue(endpoint: EndpointKey, now: number): Promise<number | null>;
  /** Where these bytes were seen, newest first, in any folder. */
  sources(sha256: string): Promise<readonly Source[]>;
  /**
   * When upload requests that may have left after `since` had left at the latest, newest first, `limit` at most; null: of all
   * endpoints.
   */
  attemptTimes(endpoint: EndpointKey | null, since: number, limit: number): Promise<readonly number[]>;
  /**
   * Those that began after `since`, without those of which nothing left. What is recorded as of later than `now` was so by a clock that was ahead: it counts unless a request of
   * before `since` was recorded after it, which shows that it is older than that.
   */
  countAttempts(endpoint: EndpointKey | null, since: number, now: number): Promise<number>;
}

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
  /** Fresh documents admitted before this time become backlog. */
  readonly freshSince: number;
  /** The longest possible wait, in milliseconds; a later `notBefore` comes from a wrong clock and counts as due. */
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
      /** The service may have the document already. Permanent once set. */
      readonly answerLost: boolean;
      /** Increments the document's server errors. */
      readonly serverError: boolean;
    };

export interface AttemptResult {
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly message: string | null;
  readonly transition: Transition;
}

/** A file from which a document's bytes may be read. */
export interface Source extends FileRef {
  /** Ids ascend in the order of recording. */
  readonly fileId: number;
  readonly identity: FileIdentity;
  /** Absolute; set when the agent archived the original. */
  readonly archivedTo: string | null;
}

/** Documents to queue again, at the end of their endpoint's queue. */
export interface Requeue {
  readonly documentIds: readonly number[];
  readonly reason: string;
  readonly message: string;
}

export interface LedgerQueue {
  /**
   * Called before the pipeline starts: `uploading` becomes `queued`, its open attempt `unknown`, and all claims end.
   * Resolves how many were uploading.
   */
  recover(at: number): Promise<number>;
  /**
   * Claims due documents in order of arrival, folders in turn, skipping claimed ones. A claim
   * lasts until `begin`, `release`, `recover` or the end of the process.
   */
  claim(query: ClaimQuery): Promise<readonly Document[]>;
  release(documentIds: readonly number[]): Promise<void>;
  /**
   * Records an upload request before it is sent; the document is `uploading`. Resolves the attempt's id. Rejects with
   * DOCUMENT_STATE if a result has accepted the claimed document meanwhile, DOCUMENT_TAKEN if another agent has it, and
   * DOCUMENT_HELD if its service or endpoint is on hold for all agents.
   */
  begin(documentId: number, at: number, bytes: number): Promise<number>;
  /** Ends an attempt and applies its transition; in the same transaction queues the documents of `requeue` again. */
  finish(attemptId: number, result: AttemptResult, requeue?: Requeue): Promise<void>;
  /** Ends an attempt whose request is replayed at once (401): the document stays `uploading`. */
  finishReplayed(attemptId: number, at: number, httpStatus: number, message: string): Promise<void>;
  /** Queues a claimed document for later, without an attempt. */
  postpone(documentId: number, notBefore: number, reason: string, message: string, at: number): Promise<void>;
  /** Marks a claimed document lost. Queues it again instead if its bytes were seen after `newestSeen`, the newest file checked. */
  markLost(documentId: number, message: string, at: number, newestSeen?: number): Promise<void>;
  /** Documents whose bytes are needed soon (queued or uploading), by id after `afterId`. */
  waiting(afterId: number, limit: number): Promise<readonly Document[]>;
  /** Documents that `retry` would queue, by id after `afterId`. */
  retriable(afterId: number, limit: number, at: number): Promise<readonly number[]>;
  /**
   * Which of these hashes belong to a document that may still be sent: queued, uploading, lost, or failed or
   * unconfirmed since `failedSince`.
   */
  wanted(sha256s: readonly string[], failedSince: number): Promise<ReadonlySet<string>>;
  /** When this endpoint's next document falls due after `now`; null if none has a later `notBefore`. */
  nextDue(endpoint: EndpointKey, now: number): Promise<number | null>;
  /** Where these bytes were seen, newest first, in any folder. */
  sources(sha256: string): Promise<readonly Source[]>;
  /**
   * Latest possible send times of upload requests that may have been sent after `since`, newest first, at most `limit`; null: all
   * endpoints.
   */
  attemptTimes(endpoint: EndpointKey | null, since: number, limit: number): Promise<readonly number[]>;
  /**
   * Number of attempts that may have been sent after `since`, without those that sent nothing. One that began before and was open
   * after it counts, because the time at which it left is not recorded. An attempt dated later than `now` comes from a clock that was
   * ahead: it counts unless an attempt dated before `since` was recorded after it, which proves it older.
   */
  countAttempts(endpoint: EndpointKey | null, since: number, now: number): Promise<number>;
}

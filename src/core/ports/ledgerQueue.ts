import type { Document, EndpointKey, FileIdentity, FileRef } from '../domain/document.ts';
import type { RecordedUploads, Uploads } from '../messages.ts';

/** What is queued in an endpoint. */
export interface HeadsWanted {
  readonly endpoint: EndpointKey;
  readonly priority: number;
  /** Absolute paths of folders that are left out. */
  readonly exceptFolders?: readonly string[] | undefined;
  readonly now: number;
  /** What is due later has its time from a wrong clock, and counts as due. */
  readonly latest: number;
  /** Of each folder. */
  readonly limit: number;
  readonly createdSince?: number | undefined;
  readonly createdBefore?: number | undefined;
}

/** The next documents of a folder, in their order. */
export interface QueueHead {
  /** Absolute path. */
  readonly folder: string;
  readonly documents: readonly Document[];
}

/** A file from which a document's bytes may be read. */
export interface Source extends FileRef {
  /** Ids ascend in the order of recording. */
  readonly fileId: number;
  readonly identity: FileIdentity;
  /** Absolute; set when the agent archived the original. */
  readonly archivedTo: string | null;
}

export interface LedgerQueue {
  /**
   * Called before the pipeline starts: `uploading` becomes `queued`, and its open attempt `unknown`.
   * Resolves how many were uploading.
   */
  recover(at: number): Promise<number>;
  /** The due documents of each folder that this agent reaches, in order of arrival. */
  heads(wanted: HeadsWanted): Promise<readonly QueueHead[]>;
  /**
   * Records ends and beginnings of uploads in one transaction. `take` is called when that starts: whatever came until then is in it. An upload is sent
   * once its beginning is durable. If the store fails, ends may be recorded nevertheless.
   */
  record(take: () => Uploads): Promise<RecordedUploads>;
  /** Queues a document for later, without an attempt. */
  postpone(documentId: number, notBefore: number, reason: string, message: string, at: number): Promise<void>;
  /** Marks a document lost. Queues it again instead if more than `files` have had its bytes by now (`filesWith`, before the search). */
  markLost(documentId: number, message: string, at: number, files?: number): Promise<void>;
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
  /** How many files have ever had these bytes, wherever they are or were. */
  filesWith(sha256: string): Promise<number>;
  /** The clock by which requests are recorded: the database's where agents share a ledger. Wall-clock milliseconds. */
  now(): number;
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

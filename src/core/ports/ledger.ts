import type {
  AttemptOutcome,
  Document,
  DocumentState,
  EndpointKey,
  FileIdentity,
  FileRef,
  Lane,
  Verdict,
} from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';
import type { Naming } from '../domain/naming.ts';
import type { LedgerFleet } from './fleet.ts';
import type { Hold, HoldScope } from './hold.ts';
import type { JournalHead } from './journal.ts';
import type { LedgerReports, OriginalsRule } from './ledgerReports.ts';
import type { LedgerResults } from './results.ts';

/**
 * The ledger: what was seen, named, sent, and what happened to it. Every method that writes resolves when
 * its change is durable, and not before; callers act only then. One process writes at a time, unless the agents of a fleet
 * share it (`fleet`). Every method rejects with ReceiptdError LEDGER_WRITE_FAILED, LEDGER_DAMAGED or LEDGER_UNREACHABLE when
 * the store fails, and with AGENT_FENCED when this agent's lease has run out and its work was taken over.
 * All times are wall-clock milliseconds.
 */
export interface Ledger
  extends
    LedgerIntake,
    LedgerPages,
    LedgerQueue,
    LedgerResults,
    LedgerHolds,
    LedgerAdmin,
    LedgerReports,
    LedgerUpkeep {
  readonly storage: LedgerStorage;
  /** What its agents need of each other; null for a ledger that one agent has to itself. */
  readonly fleet: LedgerFleet | null;
  close(): Promise<void>;
}

/** Whether the ledger can be written. While it can't, only the outcomes of requests under way are tried. */
export interface LedgerStorage {
  /** Null while all is well. */
  trouble(): StorageTrouble | null;
  /** Calls back at each change; resolves the function that ends it. */
  onChange(listener: () => void): () => void;
  /**
   * For how long nothing that is asked of it has been answered, in milliseconds: 0 where it answers, or nothing is asked. Left out by
   * a ledger that can't hang by itself.
   */
  silentMs?(): number;
}

export interface StorageTrouble {
  readonly code: 'DISK_FULL' | 'LEDGER_WRITE_FAILED' | 'LEDGER_DAMAGED' | 'LEDGER_UNREACHABLE';
  readonly message: string;
  readonly hint: string;
  /** Not in the life of this process; the next one may. */
  readonly isForGood?: boolean;
}

/* ---- Intake: files seen in watched folders ---------------------------------------------------- */

export interface FileSeen extends FileRef {
  readonly identity: FileIdentity;
}

/** What the ledger knows of the file that is at a path now. */
export interface KnownFile {
  /** The number of its sighting: a later one has a higher number. */
  readonly sighting: number;
  readonly identity: FileIdentity;
  readonly verdict: Verdict;
  /** The configuration that the verdict depended on; a verdict under another policy is judged again. */
  readonly policy: string | null;
}

export interface NamedFile extends KnownFile {
  readonly name: string;
}

export interface Admission {
  readonly endpoint: EndpointKey;
  readonly file: FileSeen;
  readonly sha256: string;
  readonly type: ImageType;
  readonly lane: Lane;
  readonly at: number;
  /**
   * The first of its names that this endpoint never issued is taken. The endpoint's next sequence number is consumed only
   * where it is part of them.
   */
  readonly naming: Naming;
  /**
   * Its file counts as gone from the folder as it lies there now, from the same commit on: it was seen there on another file system, and is no
   * sign of where the folder belongs.
   */
  readonly isElsewhere?: boolean;
  /**
   * The image is a page of a file that `beginSplit` recorded: `file` is the place of the page (core/domain/pages.ts) and the identity of its
   * file, but with its own size. It counts as gone from there, since no file has such a place.
   */
  readonly page?: { readonly split: number; readonly page: number };
}

export type Admitted =
  /** A new document. */
  | { readonly kind: 'queued'; readonly document: Document }
  /** Known under another path, or again under a path that held something else meanwhile. */
  | { readonly kind: 'duplicate'; readonly document: Document }
  /** Known as failed or lost: queued again under its name. */
  | { readonly kind: 'requeued'; readonly document: Document }
  /** The same bytes at the same path; only the file's metadata had changed. */
  | { readonly kind: 'known'; readonly document: Document };

export interface Note {
  readonly verdict: Exclude<Verdict, 'document' | 'duplicate' | 'split'>;
  readonly reason: string;
  readonly message: string;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly at: number;
}

export interface LedgerIntake {
  /**
   * The folder is watched from now on, and these files in it are not to be sent. What is a document or a duplicate already, as it lies
   * there, stays one. A crash in between leaves the folder as one that was never watched.
   */
  markWatched(folder: string, skipped: readonly FileSeen[], note: Omit<Note, 'verdict'>): Promise<void>;
  known(file: FileRef): Promise<KnownFile | null>;
  /** The highest number once all writes that were asked for before are durable: what comes after it was asked for later. */
  lastSighting(): Promise<number>;
  /** The file system that the folder lay on when its known files were last seen; null before that. */
  folderMark(folder: string): Promise<string | null>;
  /** Idempotent. Part of the journal: a ledger that is recreated knows it. */
  setFolderMark(folder: string, mark: string, at: number): Promise<void>;
  /** In the place of the mark for the time being. Not part of the journal: who doubted once doubts again. Idempotent. */
  doubtFolderMark(folder: string, doubt: string): Promise<void>;
  /** What is known of these files of one directory of a folder, by file name. Names in the order of their bytes cost least. */
  knownIn(folder: string, dir: string, names: readonly string[]): Promise<ReadonlyMap<string, KnownFile>>;
  /**
   * The current files of one directory whose names come after `after` ('' for all) and not after `upTo` (null: no end), in
   * the order of their bytes and `limit` of them at most.
   */
  knownFrom(
    folder: string,
    dir: string,
    span: { readonly after: string; readonly upTo: string | null },
    limit: number,
  ): Promise<readonly NamedFile[]>;
  /** Names of the current files of one directory, in batches and in the order of their bytes; to find those that are gone. */
  namesIn(folder: string, dir: string): AsyncIterable<readonly string[]>;
  /** Directories at or below `under` that have current files; '' is the folder itself. */
  dirs(folder: string, under: string): Promise<readonly string[]>;
  /** Idempotent by (endpoint, sha256, file). A new identity under an old path becomes a new sighting. */
  admit(admission: Admission): Promise<Admitted>;
  /** Records what was decided about a file that is not (or not yet) a document. Idempotent. */
  note(file: FileSeen, note: Note): Promise<void>;
  /** These files are not at their paths any more. Idempotent. */
  gone(folder: string, paths: readonly string[], at: number): Promise<void>;
}

/* ---- Pages: files that are taken apart --------------------------------------------------------- */

/** A file whose pages are to be admitted, as it lay there. */
export interface SplitPlan {
  readonly endpoint: EndpointKey;
  readonly file: FileSeen;
  /** Of the file. */
  readonly sha256: string;
  readonly at: number;
  /** See `Admission`. */
  readonly isElsewhere?: boolean;
}

/** The same, under way. The number is that of its sighting. */
export interface Split extends Omit<SplitPlan, 'at' | 'isElsewhere'> {
  readonly id: number;
}

/** What became of a page. */
export interface SplitPage {
  readonly page: number;
  readonly verdict: 'document' | 'duplicate' | 'rejected';
  /** Of its image; null where there is none. */
  readonly sha256: string | null;
  /** Of its document. */
  readonly state: DocumentState | null;
  readonly reason: string | null;
}

/**
 * A file of pages is recorded first, then its pages one by one (`admit`, or `notePage`), then its end. What was begun is there after a crash
 * until it is ended, whatever became of the file meanwhile.
 */
export interface LedgerPages {
  /**
   * Records that this file is taken apart, or goes on to be. Null: that has been done with the same bytes at the same path, and every page
   * is where it should be; nothing changes but the file's times.
   */
  beginSplit(plan: SplitPlan): Promise<Split | null>;
  /** Begun and not ended, in their order, after that number. Of folders that this agent reaches. */
  openSplits(afterId: number, limit: number): Promise<readonly Split[]>;
  /** Pages of one that are decided. */
  splitPages(id: number): Promise<readonly SplitPage[]>;
  /** Documents that the pages of a file with these bytes have in the endpoint, whatever file that was: one for each page at most. */
  pagesOfBytes(endpoint: EndpointKey, sha256: string): Promise<readonly SplitPage[]>;
  /** A page that can't be sent. Idempotent. */
  notePage(split: Split, page: number, note: PageNote): Promise<void>;
  /** Every page is decided, or it is given up. Idempotent. */
  endSplit(split: Split, end: SplitEnd): Promise<void>;
}

export interface PageNote {
  readonly reason: string;
  readonly message: string;
  readonly at: number;
}

export interface SplitEnd {
  readonly at: number;
  /** How many there are; 0: not known. */
  readonly pages: number;
  /** Why not all of it was sent; null where all was. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly policy: string | null;
}

/* ---- Queue: the ledger is the queue ------------------------------------------------------------- */

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
  readonly identity: FileIdentity;
  /** Absolute; set when the agent archived the original. */
  readonly archivedTo: string | null;
}

export interface Disposal {
  readonly sightingId: number;
  readonly file: FileSeen;
  readonly sha256: string;
}

export interface DisposalQuery {
  readonly afterSightingId: number;
  readonly limit: number;
  /** Of the rule that is in force. */
  readonly stays: number;
  /** Only of documents that the service has given one of these; null: acceptance is enough. */
  readonly statuses: readonly string[] | null;
}

/** A disposal that was begun; a crash may have come between the file and the ledger. */
export interface BegunDisposal extends Disposal {
  readonly how: 'archived' | 'deleted';
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
   * DOCUMENT_STATE where a result has made a claimed document accepted, and with DOCUMENT_TAKEN where another agent has it.
   */
  begin(documentId: number, at: number, bytes: number): Promise<number>;
  /** Ends an attempt and moves its document on; in the same transaction queues others (and itself) again. */
  finish(attemptId: number, result: AttemptResult, requeue?: Requeue): Promise<void>;
  /** Ends an attempt whose request is replayed at once (401): the document stays `uploading`. */
  finishReplayed(attemptId: number, at: number, httpStatus: number, message: string): Promise<void>;
  /** Moves claimed documents without an attempt: not due yet, or lost. */
  postpone(documentId: number, notBefore: number, reason: string, message: string, at: number): Promise<void>;
  markLost(documentId: number, message: string, at: number): Promise<void>;
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
   * Sets another rule: what has been seen by now stays (`leave`), or is disposed of like all that comes (`include`), or, in a folder that is
   * `new`, stays where it was seen before anything was seen in this folder. Part of the journal. Nothing changes where the rule is this
   * one already. Resolves the rule in force.
   */
  setOriginalsRule(
    folder: string,
    rule: string,
    existing: 'leave' | 'include' | 'new',
    at: number,
  ): Promise<OriginalsRule>;
  /** Files of accepted documents (and their duplicates) that are where they were, and not to stay; oldest first. */
  toDispose(folder: string, query: DisposalQuery): Promise<readonly Disposal[]>;
  /** Says durably what is about to be done with a file, before it is touched; null takes it back. */
  disposing(sightingId: number, how: 'archived' | 'deleted' | null, at: number): Promise<void>;
  /** Disposals that were begun and not ended, of one folder. */
  begunDisposals(folder: string): Promise<readonly BegunDisposal[]>;
  /** Ends a disposal. */
  disposed(
    sightingId: number,
    how: 'archived' | 'deleted',
    archivedTo: string | null,
    at: number,
  ): Promise<void>;
  /**
   * The file of this disposal held other bytes than were sent, and stays. Nothing changes where the bytes that were sent have been seen at
   * its place since it was listed by `toDispose`: that file may go.
   */
  keepOriginal(disposal: Pick<Disposal, 'sightingId' | 'file'>, at: number): Promise<void>;
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

/* ---- Holds -------------------------------------------------------------------------------------- */

export interface LedgerHolds {
  /** Replaces the hold of the same scope, key and kind (paused or not). */
  putHold(hold: Hold): Promise<void>;
  /** Idempotent. Without `reason`: any but PAUSED. */
  clearHold(scope: HoldScope, key: string, reason?: string): Promise<void>;
}

/* ---- What people do ------------------------------------------------------------------------------ */

/** A deliberate act, kept for the record. */
export interface Act {
  readonly at: number;
  readonly kind: 'retry' | 'resend' | 'pause' | 'resume' | 'endpointCreate' | 'erase' | 'config';
  /** Operating-system user. */
  readonly by: string;
  readonly detail: string;
}

/** Numbers of documents, and of sightings of files that are none. */
export interface Cases {
  readonly documents: readonly number[];
  readonly sightings: readonly number[];
}

export interface LedgerAdmin {
  recordAct(act: Act): Promise<void>;
  /**
   * Queues those of these documents that failed, are unconfirmed or lost, or wait for a later time, at once, under their names. Resolves how
   * many.
   */
  retry(documentIds: readonly number[], at: number): Promise<number>;
  /**
   * From now on these need no person, or (`undismiss`) need one again: documents that failed, are unconfirmed or lost, and files that
   * can't be sent. They stay what they are; once the document moves or the file changes, it is another case. What does not need a
   * person, or was not dismissed, is passed over. Resolves how many were not.
   */
  dismiss(cases: Cases, by: string, at: number): Promise<number>;
  undismiss(cases: Cases, by: string, at: number): Promise<number>;
  /** Queues an accepted document again in its own endpoint, under its name. */
  resend(documentId: number, at: number): Promise<void>;
  /**
   * Erases the personal data of documents for good: paths, messages, the service's answers; also of their attempts,
   * sightings, and entries in the journal. Name, hash, times and states stay, and so does the chain. Only settled
   * documents (accepted, failed, unconfirmed, lost); others are left as they are. Resolves how many were erased.
   */
  erase(documentIds: readonly number[], at: number): Promise<number>;
  /** Admits known bytes into another endpoint. */
  admitElsewhere(documentId: number, endpoint: EndpointKey, at: number): Promise<Admitted>;
  recordEndpoint(endpoint: EndpointKey, name: string, verbatim: string, at: number): Promise<void>;
}

/* ---- Upkeep --------------------------------------------------------------------------------------- */

export interface LedgerUpkeep {
  /** False once what it is kept in was removed or replaced under it: what is written then is for nobody. */
  isInPlace(): Promise<boolean>;
  /**
   * A copy of the whole ledger in a new file (absolute; null: one of its own among the automatic backups), with the
   * journal's head of that moment in it. Writes go on meanwhile. @throws ReceiptdError BACKUP_FAILED
   */
  backup(target: string | null): Promise<{ readonly file: string; readonly head: JournalHead }>;
  /** When the newest automatic backup was made; null without one. */
  lastBackup(): Promise<number | null>;
  /** Removes all but the newest `keep` of the automatic backups. */
  pruneBackups(keep: number): Promise<void>;
  /**
   * Looks through all of it, in another process. Resolves null if it is sound, or what is wrong; then the next
   * start sets it aside and rebuilds it.
   */
  check(signal?: AbortSignal): Promise<string | null>;
}

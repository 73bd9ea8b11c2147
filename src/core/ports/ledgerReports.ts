import type {
  Attempt,
  AttemptOutcome,
  Document,
  EndpointKey,
  FileIdentity,
  FileRef,
  Verdict,
} from '../domain/document.ts';
import type { Posted, ValueWanted } from '../domain/posted.ts';
import type { FleetReports } from './fleet.ts';
import type { Hold } from '../domain/hold.ts';
import type { JournalHead } from './journal.ts';
import type { ResultReports, ResultRow } from './results.ts';

/** What `list` shows: a document, or a file that did not become one. */
export const LIST_STATES = [
  'queued',
  'uploading',
  'held',
  'accepted',
  'duplicate',
  'split',
  'rejected',
  'failed',
  'unconfirmed',
  'lost',
  'incomplete',
  'unreadable',
  'skipped',
] as const;
export type ListState = (typeof LIST_STATES)[number];

/** One file or document. Stable: `list --json` prints these fields; docs/commands.md describes them. */
export interface ListRow {
  /** Null for a file that got no name. A duplicate carries the name of the document that it duplicates. */
  readonly name: string | null;
  readonly endpointUid: string | null;
  readonly baseUrl: string | null;
  readonly sha256: string | null;
  readonly state: ListState;
  /** The service's status, verbatim. */
  readonly status: string | null;
  /** Absolute path at which the file was seen. */
  readonly path: string;
  /** Number of upload requests. */
  readonly attempts: number;
  readonly documentId: number | null;
  /** The number of the file; null for a document. */
  readonly fileId: number | null;
  readonly type: string | null;
  /** Bytes. */
  readonly size: number;
  readonly reason: string | null;
  readonly message: string | null;
  readonly answerLost: boolean;
  /** Whether a person has to act before it can be sent. */
  readonly needsPerson: boolean;
  /** Who dismissed it, and when (ISO 8601, UTC); null if nobody did. */
  readonly dismissedBy: string | null;
  readonly dismissedAt: string | null;
  readonly archivedTo: string | null;
  /** Results that the service posted about the document, oldest first. */
  readonly posted: readonly Posted[];
  /** When the latest upload request began, and when the latest one was accepted, or a result confirmed it; null if there was none. */
  readonly sentAt: string | null;
  readonly acceptedAt: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly notBefore: string | null;
}

export interface ListFilter {
  readonly states?: readonly ListState[];
  readonly endpoint?: EndpointKey;
  readonly folder?: string;
  /** Search words; domain/search.ts defines the syntax. */
  readonly search?: string;
  /** Only rows created at or after this time; milliseconds. */
  readonly since?: number;
  /** Only rows created before this time; milliseconds. */
  readonly until?: number;
  readonly attention?: Attention;
  /** The service's statuses, verbatim. */
  readonly statuses?: readonly string[];
  /** A row must match all of them. */
  readonly values?: readonly ValueWanted[];
  readonly limit?: number;
}

/** `needed`: needs a person. `dismissed`: and unchanged since. `none`: needs nobody. */
export const ATTENTIONS = ['needed', 'dismissed', 'none'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Cap on the rows of one page. */
export const PAGE_LIMIT = 500;

/** Sorted by time of creation. */
export type ListOrder = 'oldest' | 'newest';

export interface PageWanted {
  readonly order: ListOrder;
  /** `next` of the previous page. */
  readonly cursor?: string;
  /** Instead of a cursor: only documents after this one in that order, whether or not it matches the filter itself. */
  readonly behind?: Pick<Document, 'id' | 'createdAt'>;
  /** Maximum number of rows; up to PAGE_LIMIT. */
  readonly limit: number;
  /** Milliseconds after which the page returns what it found so far: a rare match in a long ledger must not block the caller. */
  readonly withinMs: number;
  /** Aborted when the caller is gone: returns at once with what it has so far. */
  readonly signal?: AbortSignal | undefined;
}

export interface Page {
  readonly rows: readonly ListRow[];
  /** Null at the end. */
  readonly next: string | null;
  /** The search has covered all rows created up to this time, in its order; milliseconds, null at the end. */
  readonly lookedUntil: number | null;
}

export interface TallyWanted {
  /** Counts by the hour instead of the quarter: fewer rows, for time zones whose days begin on a full hour. */
  readonly isHourly?: boolean;
  /** `next` of the previous tally. */
  readonly cursor?: string;
  /** Milliseconds after which it returns the rows counted so far. */
  readonly withinMs: number;
  /** Aborted when the caller is gone: returns at once with what it has so far. */
  readonly signal?: AbortSignal | undefined;
}

/** Number of list rows with the same folder, endpoint, state, status and period. */
export interface TallyRow {
  readonly folder: string;
  readonly endpoint: EndpointKey | null;
  readonly state: ListState;
  readonly status: string | null;
  /** Start of the quarter of an hour, or of the hour, in which they were created; milliseconds. */
  readonly at: number;
  readonly count: number;
}

export interface Tally {
  readonly rows: readonly TallyRow[];
  /** Null at the end. */
  readonly next: string | null;
}

/** One upload request; milliseconds and bytes. */
export interface UploadRow {
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly bytes: number;
}

export interface DocumentFile {
  readonly path: string;
  readonly verdict: Verdict;
  readonly size: number;
  readonly seenAt: number;
  readonly goneAt: number | null;
  readonly disposed: 'archived' | 'deleted' | 'kept' | null;
  readonly archivedTo: string | null;
  /** Finding of the content check; null if there was none. */
  readonly remark: string | null;
}

export interface DocumentDetail {
  readonly document: Document;
  /** The service's record, verbatim; null until accepted. */
  readonly response: string | null;
  /** Who dismissed it, and when (milliseconds); null if nobody did. */
  readonly dismissed: { readonly by: string; readonly at: number } | null;
  readonly attempts: readonly Attempt[];
  readonly files: readonly DocumentFile[];
  /** Results that the service posted about it, oldest first; only the latest if there are very many. */
  readonly results: readonly ResultRow[];
}

export interface StateCount {
  readonly endpoint: EndpointKey | null;
  readonly folder: string;
  readonly state: ListState;
  readonly count: number;
  /** Set if these need a person. A state with rows of both kinds has an entry for each. */
  readonly needsPerson?: true | undefined;
  /** Why these files were not sent, if they need a person. */
  readonly reason?: string | undefined;
}

export interface KnownEndpoint {
  readonly endpoint: EndpointKey;
  /** The name given at creation; null for one that was only ever configured. */
  readonly name: string | null;
  readonly createdAt: number | null;
}

/** Files seen in one folder by state, including files that are gone. */
export interface SeenCount extends Omit<StateCount, 'endpoint' | 'reason'> {
  /** When the newest of them was seen; milliseconds. */
  readonly newest: number;
}

/** Number of scans that arrived in a folder in one time span, including duplicates and unsendable files. */
export interface ArrivedCount {
  readonly folder: string;
  /** Start of the span; milliseconds, a multiple of its length. */
  readonly at: number;
  readonly count: number;
}

/** What the ledger knows about the file that is at a path now. */
export interface Standing {
  readonly identity: FileIdentity;
  readonly state: ListState;
  /** Name of its document, or of the document it duplicates. */
  readonly name: string | null;
}

/** A standing with its reason. */
export interface FileStanding extends Standing {
  readonly fileId: number;
  /** Whether somebody dismissed it, so that it needs no person any more. */
  readonly isDismissed: boolean;
  readonly reason: string | null;
  readonly message: string | null;
  /** See `KnownFile`. */
  readonly policy: string | null;
  /** When it got this standing; milliseconds. */
  readonly at: number;
}

/** A folder's `afterUpload` rule, and the files that are older than it. */
export interface OriginalsRule {
  /** Opaque text chosen by the caller; a different text is a different rule. */
  readonly rule: string;
  /** Files up to this file number stay in place, as do all other files with the same image. */
  readonly stays: number;
}

/** Read-only queries; they also work on a ledger that another process writes. */
export interface LedgerReports extends ResultReports {
  /** The agents that share the ledger; null if only one agent uses it. */
  readonly fleet: FleetReports | null;
  /** Oldest first. */
  list(filter: ListFilter): AsyncIterable<ListRow>;
  /** One page of the same list, in either order. @throws ReceiptdError USAGE for an invalid cursor */
  page(filter: Omit<ListFilter, 'limit'>, wanted: PageWanted): Promise<Page>;
  /** Counts the rows of the same list by kind. @throws ReceiptdError USAGE for an invalid cursor */
  tally(filter: Omit<ListFilter, 'limit'>, wanted: TallyWanted): Promise<Tally>;
  /** Upload requests started at or after `from` and before `to` (milliseconds), unordered. */
  uploads(from: number, to: number): Promise<readonly UploadRow[]>;
  /** Number of those that were accepted. */
  countAccepted(from: number, to: number): Promise<number>;
  /** All documents with that name, at most one per endpoint. */
  find(name: string): Promise<readonly Document[]>;
  document(id: number): Promise<Document | null>;
  detail(id: number): Promise<DocumentDetail | null>;
  /** True until `markWatched` was called for this folder. */
  isFirstWatch(folder: string): Promise<boolean>;
  /** The endpoint's document with this content hash. */
  bySha256(endpoint: EndpointKey, sha256: string): Promise<Document | null>;
  /** Whether the endpoint ever issued this name. */
  isNameTaken(endpoint: EndpointKey, name: string): Promise<boolean>;
  /** The number that the endpoint's next `{seq}` would get. */
  nextSeq(endpoint: EndpointKey): Promise<number>;
  /** Constant cost, no matter how many files were seen. */
  counts(): Promise<readonly StateCount[]>;
  /** `counts`, documents only. */
  documentCounts(): Promise<readonly StateCount[]>;
  holds(): Promise<readonly Hold[]>;
  endpoints(): Promise<readonly KnownEndpoint[]>;
  /** The rule set last; null if none was ever set, or it was lost. */
  originalsRule(folder: string): Promise<OriginalsRule | null>;
  /** Number of files of accepted documents (and duplicates) still in place; with `stays`, only those that the rule leaves there. */
  acceptedOriginals(folder: string, stays: number | null): Promise<number>;
  /** Files first seen at or after `since` and before `until` (milliseconds; null: no bound). */
  seenCounts(since: number | null, until: number | null): Promise<readonly SeenCount[]>;
  /**
   * Arrivals in all folders at or after `from` and before `to` (milliseconds), in spans of `everyMs`. Leaves out files that
   * were already in a folder when it was first watched, and were skipped.
   */
  arrivals(from: number, to: number, everyMs: number): Promise<readonly ArrivedCount[]>;
  /** Current files of a folder, in batches, by their path relative to it. */
  standings(folder: string): AsyncIterable<ReadonlyMap<string, Standing>>;
  /** Standing of the file (or page of a file) at this path now; null if the ledger knows none. */
  standing(file: FileRef): Promise<FileStanding | null>;
  /**
   * Ids of settled documents created before that time that still have personal data. A ledger may skip ids up to
   * `afterId` and stop after `atMost`, in ascending order.
   */
  erasable(before: number, atMost?: number, afterId?: number): Promise<readonly number[]>;
  /** The last journal entry in the ledger; null if the ledger has no journal. */
  head(): Promise<JournalHead | null>;
}

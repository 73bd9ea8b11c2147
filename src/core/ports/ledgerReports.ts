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
import type { Hold } from './hold.ts';
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
  /** The number of the file's sighting; null for a document. */
  readonly sightingId: number | null;
  readonly type: string | null;
  /** Bytes. */
  readonly size: number;
  readonly reason: string | null;
  readonly message: string | null;
  readonly answerLost: boolean;
  /** Whether somebody has to do something before it can go out. */
  readonly needsPerson: boolean;
  /** Who saw to it that it needs nobody any more, and when (ISO 8601, UTC); null where nobody did. */
  readonly dismissedBy: string | null;
  readonly dismissedAt: string | null;
  readonly archivedTo: string | null;
  /** What the service posted about the document, result by result, oldest first. */
  readonly posted: readonly Posted[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly notBefore: string | null;
}

export interface ListFilter {
  readonly states?: readonly ListState[];
  readonly endpoint?: EndpointKey;
  readonly folder?: string;
  /** Words, as domain/search.ts has it. */
  readonly search?: string;
  /** Milliseconds; compared with when the row was created. */
  readonly since?: number;
  /** The same; rows created then are not among them. */
  readonly until?: number;
  readonly attention?: Attention;
  /** Of the service, verbatim. */
  readonly statuses?: readonly string[];
  /** All of them. */
  readonly values?: readonly ValueWanted[];
  readonly limit?: number;
}

/** What needs a person; what was dismissed and has not changed since; all that needs nobody. */
export const ATTENTIONS = ['needed', 'dismissed', 'none'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Rows that anybody may ask for at once. */
export const PAGE_LIMIT = 500;

/** By the time of creation. */
export type ListOrder = 'oldest' | 'newest';

export interface PageWanted {
  readonly order: ListOrder;
  /** `next` of the page before. */
  readonly cursor?: string;
  /** Instead of a cursor: documents alone, those behind this one in that order, whether it passes itself or not. */
  readonly behind?: Pick<Document, 'id' | 'createdAt'>;
  /** Rows at most; PAGE_LIMIT is the most. */
  readonly limit: number;
  /** Milliseconds after which it ends with what it has, so that a rare match in a long ledger keeps nobody waiting. */
  readonly withinMs: number;
  /** Whoever asked is gone: it ends at once, with what it has. */
  readonly signal?: AbortSignal | undefined;
}

export interface Page {
  readonly rows: readonly ListRow[];
  /** Null at the end. */
  readonly next: string | null;
  /** Created there, everything up to here was looked at; milliseconds, null at the end. */
  readonly lookedUntil: number | null;
}

export interface TallyWanted {
  /** By the hour: fewer rows, where no day begins within one. */
  readonly isHourly?: boolean;
  /** `next` of the tally before. */
  readonly cursor?: string;
  /** Milliseconds after which it ends with what it has. */
  readonly withinMs: number;
  /** Whoever asked is gone: it ends at once, with what it has. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows of a list that are alike. */
export interface TallyRow {
  readonly folder: string;
  readonly endpoint: EndpointKey | null;
  readonly state: ListState;
  readonly status: string | null;
  /** When the quarter of an hour, or the hour, began in which they were created; milliseconds. */
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

export interface SightingRow {
  readonly path: string;
  readonly verdict: Verdict;
  readonly size: number;
  readonly seenAt: number;
  readonly goneAt: number | null;
  readonly disposed: 'archived' | 'deleted' | 'kept' | null;
  readonly archivedTo: string | null;
  /** What was found when it was looked at. */
  readonly remark: string | null;
}

export interface DocumentDetail {
  readonly document: Document;
  /** The service's record, verbatim; null until accepted. */
  readonly response: string | null;
  /** Who saw to it that it needs nobody any more, and when (milliseconds); null where nobody did. */
  readonly dismissed: { readonly by: string; readonly at: number } | null;
  readonly attempts: readonly Attempt[];
  readonly sightings: readonly SightingRow[];
  /** What the service posted about it, oldest first; of very many the last. */
  readonly results: readonly ResultRow[];
}

export interface StateCount {
  readonly endpoint: EndpointKey | null;
  readonly folder: string;
  readonly state: ListState;
  readonly count: number;
  /** Whether these need a person; left out where they do not. A state whose rows differ in that has an entry for each. */
  readonly needsPerson?: true | undefined;
  /** Of files that need a person: why they were not sent. */
  readonly reason?: string | undefined;
}

export interface KnownEndpoint {
  readonly endpoint: EndpointKey;
  /** The name given at creation; null for one that was only ever configured. */
  readonly name: string | null;
  readonly createdAt: number | null;
}

/** Files seen in one folder (every sighting, those that are gone included), by what happened to them. */
export interface SeenCount {
  readonly folder: string;
  readonly state: ListState;
  readonly count: number;
}

/** Scans that came into a folder in one span of time, duplicates and what can't be sent among them. */
export interface ArrivedCount {
  readonly folder: string;
  /** When the span begins; milliseconds, a multiple of its length. */
  readonly at: number;
  readonly count: number;
}

/** What the ledger holds of the file at a path now. */
export interface Standing {
  readonly identity: FileIdentity;
  readonly state: ListState;
  /** Name of its document, or of the document it duplicates. */
  readonly name: string | null;
}

/** The same, and why. */
export interface FileStanding extends Standing {
  /** The number of its sighting. */
  readonly sighting: number;
  /** Somebody saw to it that it needs nobody any more. */
  readonly isDismissed: boolean;
  readonly reason: string | null;
  readonly message: string | null;
  /** See `KnownFile`. */
  readonly policy: string | null;
  /** When it came to stand so; milliseconds. */
  readonly at: number;
}

/** What a folder's `afterUpload` is, and since when. */
export interface OriginalsRule {
  /** In the words of whoever set it; another text is another rule. */
  readonly rule: string;
  /** Files seen up to this sighting stay where they are, and so does every other file that holds the same image. */
  readonly stays: number;
}

/** Reading; works on a ledger that another process writes. Nothing here changes anything. */
export interface LedgerReports extends ResultReports {
  /** The agents that share it; null for a ledger that one agent has to itself. */
  readonly fleet: FleetReports | null;
  /** Oldest first. */
  list(filter: ListFilter): AsyncIterable<ListRow>;
  /** A part of the same, in either order. @throws ReceiptdError USAGE for a cursor that is none */
  page(filter: Omit<ListFilter, 'limit'>, wanted: PageWanted): Promise<Page>;
  /** How many rows of each kind the same list has. @throws ReceiptdError USAGE for a cursor that is none */
  tally(filter: Omit<ListFilter, 'limit'>, wanted: TallyWanted): Promise<Tally>;
  /** Upload requests that began from `from` until before `to` (milliseconds), in no order. */
  uploads(from: number, to: number): Promise<readonly UploadRow[]>;
  /** How many of them were accepted. */
  countAccepted(from: number, to: number): Promise<number>;
  /** All documents of that name (one for each endpoint at most). */
  find(name: string): Promise<readonly Document[]>;
  document(id: number): Promise<Document | null>;
  detail(id: number): Promise<DocumentDetail | null>;
  /** True until `markWatched` was called for this folder. */
  isFirstWatch(folder: string): Promise<boolean>;
  /** The document that these bytes have in this endpoint. */
  bySha256(endpoint: EndpointKey, sha256: string): Promise<Document | null>;
  /** Whether the endpoint ever issued this name. */
  isNameTaken(endpoint: EndpointKey, name: string): Promise<boolean>;
  /** The number that the endpoint's next `{seq}` would get. */
  nextSeq(endpoint: EndpointKey): Promise<number>;
  /** Costs the same however much was seen. */
  counts(): Promise<readonly StateCount[]>;
  /** The documents among them. */
  documentCounts(): Promise<readonly StateCount[]>;
  holds(): Promise<readonly Hold[]>;
  endpoints(): Promise<readonly KnownEndpoint[]>;
  /** The rule that was set last; null: none ever was, or it was lost. */
  originalsRule(folder: string): Promise<OriginalsRule | null>;
  /** How many files of accepted documents (and their duplicates) are where they were; with a rule, those that stay under it. */
  acceptedOriginals(folder: string, stays: number | null): Promise<number>;
  /** Files first seen from `since` until before `until` (milliseconds; null: no bound). */
  seenCounts(since: number | null, until: number | null): Promise<readonly SeenCount[]>;
  /**
   * What came from `from` until before `to` (milliseconds) into any folder, in spans of `everyMs`. Files that lay in a
   * folder when it was first watched, and were skipped, did not come.
   */
  arrivals(from: number, to: number, everyMs: number): Promise<readonly ArrivedCount[]>;
  /** Current files of a folder, in batches, by their path relative to it. */
  standings(folder: string): AsyncIterable<ReadonlyMap<string, Standing>>;
  /** Of the file at this path now, or of the page of one; null: none is known. */
  standing(file: FileRef): Promise<FileStanding | null>;
  /**
   * Settled documents created before that time whose personal data is still there. A ledger may leave out those up to `afterId`, and
   * stop at `atMost`, in the order of their numbers.
   */
  erasable(before: number, atMost?: number, afterId?: number): Promise<readonly number[]>;
  /** The last journal entry that the ledger holds; null for a ledger that has no journal. */
  head(): Promise<JournalHead | null>;
}

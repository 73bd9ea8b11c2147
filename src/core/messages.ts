import type { AttemptOutcome, DocumentState, EndpointKey, Verdict } from './domain/document.ts';
import type { ImageType } from './domain/imageType.ts';
import type { Naming } from './domain/naming.ts';
import type { HoldScope } from './domain/hold.ts';
import type { BudgetPeriod } from './domain/limits.ts';

/*
 * The door of the ledger: steps take arrays of plain values and answer with arrays, an answer for each item in its place. One call is one transaction
 * and one sync; an item at fault is taken out of it. Times are wall-clock milliseconds; ids are numbers of the ledger's rows.
 */

/** What became of a part of a transaction: an answer for each item in its place, or why the transaction failed. */
export type Recorded<Answer> =
  | { readonly answers: readonly (Answer | RowFault)[]; readonly failure?: undefined }
  | { readonly answers: null; readonly failure: unknown };

/** The answer to an item that failed its transaction; the others are done. */
export interface RowFault {
  readonly fault: unknown;
}

export function isFault(answer: unknown): answer is RowFault {
  return typeof answer === 'object' && answer !== null && 'fault' in answer;
}

/** A watched folder: the share that it is on, or the agent that alone sees it ('' in a ledger with one agent), and its path there. */
export interface FolderKey {
  readonly owner: string;
  readonly path: string;
}

export const FRESH = 0;
export const BACKLOG = 1;

/** A file as it was seen. */
interface Seen {
  readonly folder: FolderKey;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Times and inode, compared for equality only. */
  readonly identity: string;
  readonly at: number;
}

/** A page of a file that is being split: its path is a page's (domain/pages.ts), and no file has it. */
interface MaybePage {
  /** Id of the file. */
  readonly page?: number | undefined;
  /** It says nothing about what is in the folder now: it was on another file system. */
  readonly isElsewhere?: boolean | undefined;
}

/** An image that was read. */
export interface AdmitItem extends Seen, MaybePage {
  readonly endpoint: EndpointKey;
  readonly sha256: string;
  readonly type: ImageType;
  readonly priority: number;
  /** The first name that the endpoint never issued is used. */
  readonly naming: Naming;
  /** A remark to people about an image that is sent all the same. */
  readonly reason?: string | null | undefined;
  readonly message?: string | null | undefined;
}

export type AdmitAnswer =
  /** `queued`: new; `requeued`: known as failed or lost, and queued again under its name; `duplicate`: known from another path; `known`: from this one. */
  | {
      readonly kind: 'queued' | 'requeued' | 'duplicate' | 'known';
      readonly document: number;
      readonly name: string;
    }
  /** A person said not to send these bytes. */
  | { readonly kind: 'skipped' }
  /** Every name that the template allows is taken. */
  | { readonly kind: 'unnamed' };

/** A file that is not, or not yet, a document. */
export interface NoteItem extends Seen, Pick<MaybePage, 'page'> {
  readonly verdict: Exclude<Verdict, 'document' | 'duplicate' | 'split'>;
  readonly reason: string;
  readonly message: string;
  readonly sha256: string | null;
  /** The configuration that the verdict depends on. */
  readonly policy: string | null;
  /** A file that is a document already, or a duplicate of one, stays one. */
  readonly unlessSent?: boolean | undefined;
}

/** Files that are no longer at their paths. */
export interface GoneItem {
  readonly folder: FolderKey;
  readonly paths: readonly string[];
  readonly at: number;
}

/** What becomes of a folder: it is watched from now on, is on that file system, or has that rule for originals. */
export type FolderItem = { readonly folder: FolderKey; readonly at: number } & (
  | { readonly change: 'watched' }
  | { readonly change: 'placed'; readonly mark: string }
  | { readonly change: 'originals'; readonly rule: string; readonly existing: 'leave' | 'include' | 'new' }
);

export interface SplitItem extends Seen, Pick<MaybePage, 'isElsewhere'> {
  readonly endpoint: EndpointKey;
  readonly sha256: string;
}
/** `split`: id of the file; null: these bytes were split before, and every page is in place. */
export interface SplitAnswer {
  readonly split: number | null;
}

export interface SplitEndItem {
  readonly split: number;
  /** 0 if unknown. */
  readonly pages: number;
  /** Why some pages were not sent; null if all were. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly policy: string | null;
  readonly at: number;
}

export interface BeginItem {
  readonly document: number;
  /** When it had changed last as it was read: what has happened since decides what is sent, and how its answer is understood. Undefined for a replay. */
  readonly updatedAt?: number | undefined;
  /** Size of the request. */
  readonly bytes: number;
  readonly at: number;
  /** The endpoint's rate, which the agents of a fleet share: so many requests in each window. */
  readonly limit?: { readonly count: number; readonly windowMs: number } | undefined;
  /** Its budgets: so many requests in each day or month, by the ledger's clock. */
  readonly budgets?: readonly { readonly period: BudgetPeriod; readonly count: number }[] | undefined;
}

export type BeginAnswer =
  | { readonly kind: 'begun'; readonly attempt: number }
  | { readonly kind: 'unknown' }
  /** It is to be read again. */
  | { readonly kind: 'changed'; readonly name: string }
  | { readonly kind: 'state'; readonly name: string; readonly state: DocumentState }
  /** Another agent is sending it, or has sent it. */
  | { readonly kind: 'taken'; readonly name: string }
  /** A hold that another agent put for all, or a pause of all. */
  | { readonly kind: 'held'; readonly name: string; readonly scope: HoldScope; readonly until: number | null }
  | { readonly kind: 'limited'; readonly waitMs: number };

/** Where a document goes next. What is left out stays; reason and message belong to a state. */
export interface NextState {
  readonly state: DocumentState;
  readonly due?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | null | undefined;
  readonly status?: string | undefined;
  readonly response?: string | undefined;
  readonly answerLost?: boolean | undefined;
  /** The answer counts towards parking the document. */
  readonly isOdd?: boolean | undefined;
}

export interface EndItem {
  readonly attempt: number;
  readonly document: number;
  readonly outcome: AttemptOutcome;
  readonly http: number | null;
  readonly message: string | null;
  /** Null: the request is repeated at once, after a 401. */
  readonly next: NextState | null;
  /** With it, documents that failed are queued again: their endpoint refused many different ones. */
  readonly requeue?:
    | {
        readonly documents: readonly number[];
        readonly reason: string;
        readonly message: string;
        /** When this document is due: after the next probe, so that another one is it. The others are due at once. */
        readonly due: number;
      }
    | undefined;
  readonly at: number;
}
/** Ends and beginnings of uploads, which are recorded together. */
export interface Uploads {
  readonly ends: readonly EndItem[];
  readonly begins: readonly BeginItem[];
}
export interface RecordedUploads {
  readonly ended: Recorded<Done>;
  readonly begun: Recorded<BeginAnswer>;
}

/** False: there was nothing to do it to; of a request, that none was in progress. */
export interface Done {
  readonly isDone: boolean;
}

/** What becomes of documents without a request. Those in another state than it needs are left alone. */
export type MoveItem = { readonly documents: readonly number[]; readonly at: number } &
  /** A person's retry of what failed, is unconfirmed or lost, or waits; at its place in the queue. */
  (
    | { readonly move: 'retry' }
    /** A person must decide about what waits. */
    | { readonly move: 'fail'; readonly reason: string; readonly message: string }
    /** A person's resend of what was accepted. */
    | { readonly move: 'resend' }
    | { readonly move: 'postpone'; readonly due: number; readonly reason: string; readonly message: string }
    /** Queues it again instead if more files than `filesBefore` have had its bytes by now: one was seen while it was searched for. */
    | {
        readonly move: 'lose';
        readonly message: string;
        readonly filesBefore: number | null;
        /** Another agent may have its bytes: it waits for that agent, and until then for others that look again. */
        readonly elsewhere?: { readonly due: number; readonly message: string } | undefined;
      }
  );
/** Ids of the documents that moved. */
export interface MoveAnswer {
  readonly moved: readonly number[];
}

/** Known bytes for another endpoint. `by`: they leave their own one, where a person dismisses them. */
export interface CopyItem {
  readonly document: number;
  readonly endpoint: EndpointKey;
  readonly by: string | null;
  readonly at: number;
}
export type CopyAnswer = AdmitAnswer | { readonly kind: 'unknown' };

/** A result as the service posted it. */
export interface ResultItem {
  readonly at: number;
  /** The configured service: matches only its endpoints. */
  readonly baseUrl: string;
  /** The endpoint named by the payload or the address; null if neither names one. */
  readonly uid: string | null;
  readonly name: string | null;
  readonly status: string | null;
  readonly encoding: 'utf8' | 'base64';
  readonly payload: string;
  readonly sha256: string;
  /** Of the payload, in bytes. */
  readonly size: number;
}
export interface ResultAnswer {
  readonly result: number;
  readonly document: number | null;
  readonly isNew: boolean;
  readonly isProof: boolean;
}

export interface DisposeItem {
  readonly file: number;
  /** `begin`: it is about to be archived or deleted; `done`: it was; `keep`: its bytes are not those that were sent. */
  readonly step: 'begin' | 'cancel' | 'done' | 'keep';
  readonly how?: 'archived' | 'deleted' | undefined;
  readonly archivedTo?: string | null | undefined;
  /** For `keep`: as the file was seen; nothing is done if it is another by now. */
  readonly seen?: Pick<Seen, 'size' | 'identity'> | undefined;
  readonly at: number;
}

export interface HoldItem {
  readonly scope: HoldScope;
  readonly key: string;
  readonly at: number;
  /** Null: the hold is over. */
  readonly hold: {
    readonly reason: string;
    readonly message: string;
    readonly until: number | null;
    readonly demandedUntil: number | null;
  } | null;
  readonly isPause: boolean;
  /** How long it holds the other agents of the fleet, too. */
  readonly sharedMs?: number | undefined;
  /** Ends the hold only if it has this reason. */
  readonly reason?: string | undefined;
  /** Ends those of other agents, too. */
  readonly isEveryones?: boolean | undefined;
}

export interface DismissItem {
  readonly documents: readonly number[];
  readonly files: readonly number[];
  readonly isUndo: boolean;
  readonly by: string;
  readonly at: number;
}

export interface EraseItem {
  readonly documents: readonly number[];
  readonly at: number;
}

export interface CountAnswer {
  readonly count: number;
}

/** What people did, and the service's record of an endpoint. */
export type RecordItem =
  | {
      readonly record: 'act';
      readonly act: string;
      readonly by: string;
      readonly detail: string;
      readonly at: number;
    }
  | {
      readonly record: 'endpoint';
      readonly endpoint: EndpointKey;
      readonly name: string;
      readonly verbatim: string;
      readonly at: number;
    }
  /** A backup took the ledger's place. */
  | {
      readonly record: 'restored';
      readonly because: string;
      readonly fromSeq: number;
      /** What it lacked was brought forward. */
      readonly isWhole?: true | undefined;
      readonly at: number;
    }
  /** The tables were made anew. */
  | { readonly record: 'rebuilt'; readonly because: string; readonly at: number };

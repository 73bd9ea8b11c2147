/**
 * What the oracle judges by: a list of events in the order in which they were seen. A campaign only gathers them; it contains no rule.
 * Nothing here is the program's own word, except its public books: the journal (docs/audit.md) and `list --json`.
 *
 * `at`: milliseconds of one monotonic clock. Evidence that a campaign can't gather is left out, and rules that need it say nothing.
 */
import type { Entry } from './journal.ts';

export interface Limits {
  readonly concurrency?: number | null;
  readonly rate?: { readonly count: number; readonly intervalMs: number } | null;
  /** Requests in a local calendar day or month. */
  readonly perDay?: number | null;
  readonly perMonth?: number | null;
}

export interface FolderRule {
  /** Absolute. */
  readonly path: string;
  /** The endpoint that its images go to. */
  readonly uid: string;
  readonly afterUpload: 'keep' | 'archive' | 'delete';
  /** Absolute; null if its archive is not looked at. */
  readonly archive: string | null;
  /** How long bytes lie unchanged before they are named: usually, and if they may still grow. */
  readonly shortMs?: number;
  readonly longMs?: number;
  /** What happens to images that look wrong. Left out: they are sent. */
  readonly qualityCheck?: 'off' | 'warn' | 'hold';
}

/** What configuration says, and what is known of the machine. */
export interface Settings {
  readonly folders: readonly FolderRule[];
  readonly overall?: Limits;
  readonly endpoints?: Readonly<Record<string, Limits>>;
  /** Bytes that copies in the spool may take; null: no limit, or no spool. */
  readonly spoolLimit?: number | null;
  /** How much closer together requests may appear to arrive than they were sent. */
  readonly leewayMs?: number;
  /** How much shorter a file may appear to have been at rest than it was. */
  readonly restSlackMs?: number;
  /** Whether `stored` comes when a request is stored; otherwise, what the service has is known at the end. */
  readonly tellsStored?: boolean;
  readonly clock?: 'steady' | 'sleeps' | 'set';
  /** Upper limit of the time until an answer is in the tables; null if it may never get there. */
  readonly recordedMs?: number | null;
  /** Whether the campaign itself damaged or removed the ledger, or its journal. */
  readonly ledgerWasDamaged?: boolean;
  readonly journalWasLost?: boolean;
}

export interface Page {
  readonly isDamaged: boolean;
  readonly look: Look;
}
/** `untold`: it can't be measured. */
export type Look = 'good' | 'blurred' | 'blank' | 'untold';

/**
 * What bytes are. `growing`: a complete image to which pages may be added; `cutShort`: an image without its end; `torn`: a part of one,
 * perhaps too small to show its type; `any`: parts of several files.
 */
export interface Content {
  readonly sha256: string;
  readonly is: 'image' | 'growing' | 'junk' | 'cutShort' | 'torn' | 'file' | 'badName' | 'any';
  readonly size?: number;
  readonly label?: string;
  /** Images of the same paper have the same. */
  readonly paper?: string;
  readonly look?: Look;
  /** Of a `file` of pages. */
  readonly pages?: readonly Page[];
  /** The page that an image was made of. */
  readonly of?: { readonly file: string; readonly page: number };
}

/** How well the agent's books and copies, looked at by the campaign, knew an image when people took it away. */
export type KnownAs = 'accepted' | 'copied' | 'named' | 'unseen';

export interface Answer {
  /** Null: no answer, or none that is HTTP. */
  readonly status: number | null;
  /** Whether it contains, or may contain, the complete record of this document. */
  readonly isRecord: boolean;
  readonly retryAfterMs?: number | null;
  /** Whether it got through to the agent; null: unknown. */
  readonly reached: boolean | null;
}

export interface Request {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  /** Hash of the bytes that arrived; null if they were not looked at, or did not arrive. */
  readonly sha256: string | null;
  /** When the agent began it, if that is known. */
  readonly askedAt: number;
  readonly at: number;
  /** Life of the agent, from 1. */
  readonly life: number;
  /** Whether a frozen agent may have sent it late. */
  readonly mayBeLate?: boolean;
}

export interface Row {
  readonly name: string | null;
  readonly endpointUid: string | null;
  readonly sha256: string | null;
  readonly state: string;
  /** Absolute. */
  readonly path: string;
  readonly reason: string | null;
  readonly answerLost: boolean;
  readonly attempts?: number | undefined;
  readonly archivedTo?: string | null | undefined;
  readonly createdAt?: string;
}

export interface Stored {
  readonly uid: string;
  readonly name: string;
  readonly sha256: string;
  /** Hash of the bytes themselves. */
  readonly actual?: string;
  readonly tries: number;
}

export interface Said {
  readonly status: number | null;
  readonly text: string;
}

/** What `status --json` says. */
export interface Status {
  /** Requests that have been sent, at least in part, and not answered yet. */
  readonly inFlight: number;
  /** Bytes of all copies in the spool. */
  readonly spoolUsed: number;
  /** Budgets that it calls used up, with the wall-clock time at which uploads start again; without an endpoint: for all together. */
  readonly spent: readonly {
    readonly uid: string | null;
    readonly period: 'day' | 'month';
    readonly until: number;
  }[];
}

/** An image that was read while the ledger was out of reach. `isFile`: of pages. */
export interface Deferred {
  readonly uid: string;
  readonly sha256: string;
  readonly folder: string;
  readonly path: string;
  readonly isFile?: boolean;
}

/** A process of the program that ended. */
export interface Ended {
  readonly run: string;
  /** `stopped`: a daemon that was asked to stop; `once`: a run that ends by itself. */
  readonly command: 'daemon' | 'stopped' | 'once' | 'restore';
  readonly status: number | null;
  readonly signal: string | null;
  readonly output: string;
  /** Whether the campaign killed it, or tried to. */
  readonly wasKilled: boolean;
}

/** What lies somewhere at the end, when nothing runs. */
export interface End {
  /** `list --json`. */
  readonly rows?: readonly Row[];
  readonly stored?: readonly Stored[];
  readonly audit?: Said;
  readonly verify?: Said;
  /** Paths below the state directory; those of directories end with a slash. */
  readonly stateFiles?: readonly string[];
  /** Whether the agent has stopped cleanly. */
  readonly isStopped?: boolean;
  readonly mostAtOnce?: number;
  /** What was left unfinished, in words. */
  readonly left?: readonly string[];
}

export type Event =
  | { readonly kind: 'settings'; readonly settings: Settings }
  /** What the machine's wall clock shows, from now on. */
  | { readonly kind: 'clock'; readonly at: number; readonly wall: number }
  | { readonly kind: 'status'; readonly at: number; readonly status: Status }
  | { readonly kind: 'content'; readonly at: number; readonly content: Content }
  /** What lies at a path from now on, or nothing any more; whoever did that. `isUntellable`: only reading shows that it was overwritten. */
  | {
      readonly kind: 'file';
      readonly at: number;
      readonly folder: string;
      /** Below the folder. */
      readonly path: string;
      readonly sha256: string | null;
      readonly size?: number;
      readonly isUntellable?: boolean;
    }
  /** People took an image away; of one that they left, `knownAs` is null. */
  | {
      readonly kind: 'image';
      readonly uid: string;
      readonly sha256: string;
      readonly knownAs: KnownAs | null;
    }
  /** A complete file came to a place at once. */
  | { readonly kind: 'scanned'; readonly folder: string; readonly path: string; readonly sha256: string }
  /** Everything that lies in folders and archives, by absolute path; what people left is known from `file`. */
  | { readonly kind: 'listing'; readonly where: string; readonly files: ReadonlyMap<string, string> }
  /** The agent is about to take an original away. */
  | {
      readonly kind: 'disposal';
      readonly folder: string;
      /** Where people had put it. */
      readonly path: string;
      readonly sha256: string;
      readonly how: 'archived' | 'deleted';
    }
  /** An entry of the journal is durable. */
  | { readonly kind: 'entry'; readonly at: number; readonly entry: Entry }
  /** All entries that may be durable from now on; they certainly are once they come as `entry`. */
  | { readonly kind: 'possible'; readonly entries: readonly Entry[] }
  /** A journal began anew, or lost its end. */
  | { readonly kind: 'restarted'; readonly where: string; readonly isShorter: boolean }
  | { readonly kind: 'journal'; readonly where: string; readonly problem: string | null }
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'stored'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly at: number; readonly answer: Answer }
  /** The agent gave the request up, or its answer arrived. */
  | { readonly kind: 'closed'; readonly id: number; readonly at: number }
  /** The bytes of a request changed while they were sent. */
  | { readonly kind: 'changed'; readonly id: number }
  /** The agent confirmed a result. */
  | { readonly kind: 'result'; readonly uid: string; readonly name: string; readonly status: string }
  /** Nothing more is to be expected of the service: an endpoint stays closed, or it fails on these bytes for good. */
  | { readonly kind: 'hopeless'; readonly uid?: string; readonly sha256?: string }
  | { readonly kind: 'copied'; readonly sha256: string; readonly size: number }
  /** The agent decided to remove a copy, and removed it. */
  | { readonly kind: 'givesUp'; readonly sha256: string }
  | { readonly kind: 'dropped'; readonly sha256: string }
  | { readonly kind: 'deferred'; readonly image: Deferred }
  /** The agent counts a deferred image as admitted from now on. */
  | { readonly kind: 'tickedOff'; readonly image: Deferred }
  | { readonly kind: 'lifeEnded'; readonly life: number; readonly at: number }
  /** The tables are lost; what only they held is not known any more. */
  | { readonly kind: 'tablesLost'; readonly at: number }
  | { readonly kind: 'ended'; readonly ended: Ended }
  /** Text that is kept or shown: a log line, a file. */
  | { readonly kind: 'text'; readonly where: string; readonly text: string }
  /** Known to nobody but agent and service. */
  | { readonly kind: 'secret'; readonly secret: string }
  /** A good image beside trouble should be accepted by now. */
  | { readonly kind: 'due'; readonly uid: string; readonly sha256: string; readonly what: string }
  /** Something that is a breach by itself: the campaign could not go on. */
  | { readonly kind: 'stuck'; readonly what: string }
  | { readonly kind: 'end'; readonly end: End };

export type EventOf<K extends Event['kind']> = Extract<Event, { kind: K }>;

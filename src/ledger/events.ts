import type { AttemptOutcome, DocumentState, EndpointKey, Lane, Verdict } from '../core/domain/document.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import type { PayloadEncoding } from '../core/ports/results.ts';
import type { Json, JournalEntry, JournalEvent } from '../core/ports/journal.ts';

/**
 * Permanent changes of the ledger, as the journal stores them. docs/audit.md describes each kind for
 * auditors. A field is optional only if an event can be about one of several things.
 */
export type LedgerEvent =
  | {
      readonly kind: 'named';
      readonly document: number;
      readonly endpoint: EndpointKey;
      readonly name: string;
      readonly sha256: string;
      readonly type: ImageType;
      readonly size: number;
      readonly lane: Lane;
      readonly line: number;
      /** Number that `{seq}` took from the endpoint. */
      readonly seq: number | null;
      readonly folder: string;
      readonly path: string;
    }
  | {
      readonly kind: 'sighted';
      readonly sighting: number;
      /** The sighting that was current at this path. */
      readonly supersedes: number | null;
      readonly verdict: Verdict;
      readonly document: number | null;
      readonly sha256: string | null;
      readonly policy: string | null;
      readonly reason: string | null;
      readonly size: number;
      readonly folder: string;
      readonly path: string;
      /** 64 bits, more than a JSON number holds. */
      readonly mtimeNs: string;
      readonly ctimeNs: string;
      readonly inode: string;
      readonly message: string | null;
      /** For a page only: the sighting of its file. */
      readonly file?: number;
      /** For a file being split only: its number of pages, and the endpoint that they go to; null once they are there. */
      readonly pages?: number;
      readonly into?: EndpointKey | null;
    }
  | { readonly kind: 'gone'; readonly sightings: readonly number[] }
  /** A person dismissed these (they need no further attention) or undid that; their states stay. */
  | {
      readonly kind: 'dismissed' | 'undismissed';
      readonly documents: readonly number[];
      readonly sightings: readonly number[];
      readonly by: string;
    }
  | { readonly kind: 'watched'; readonly folder: string }
  /** The file system that the folder's files are known to be on. */
  | { readonly kind: 'placed'; readonly folder: string; readonly mark: string }
  /** The folder's `afterUpload` rule from now on; originals of sightings up to `stays` are left alone. */
  | {
      readonly kind: 'originals';
      readonly folder: string;
      readonly rule: string;
      /** Number of a sighting; 0: all originals are disposed of. */
      readonly stays: number;
    }
  | {
      readonly kind: 'began';
      readonly attempt: number;
      readonly document: number;
      readonly bytes: number;
    }
  | {
      readonly kind: 'ended';
      readonly attempt: number;
      readonly document: number;
      readonly outcome: AttemptOutcome;
      readonly httpStatus: number | null;
      readonly message: string | null;
    }
  | ({ readonly kind: 'moved'; readonly documents: readonly number[] } & Move)
  | {
      readonly kind: 'disposing';
      readonly sighting: number;
      readonly how: 'archived' | 'deleted' | null;
    }
  | {
      readonly kind: 'disposed';
      readonly sighting: number;
      readonly how: 'archived' | 'deleted' | 'kept';
      readonly archivedTo: string | null;
    }
  | {
      readonly kind: 'endpoint';
      readonly endpoint: EndpointKey;
      readonly name: string;
      readonly record: string;
    }
  | { readonly kind: 'act'; readonly act: string; readonly by: string; readonly detail: string }
  | {
      readonly kind: 'paused' | 'resumed';
      readonly scope: 'endpoint' | 'folder';
      readonly key: string;
      readonly message: string;
    }
  /** The service posted a result; `document` is null if the ledger knows no matching one. */
  | {
      readonly kind: 'result';
      readonly result: number;
      readonly document: number | null;
      /** Upload requests of the document so far. */
      readonly attempts: number | null;
      readonly status: string | null;
      /** SHA-256 of the payload. */
      readonly sha256: string;
      readonly size: number;
      readonly encoding: PayloadEncoding;
      readonly payload: string | null;
      readonly givenName: string | null;
      readonly givenUid: string | null;
    }
  | {
      readonly kind: 'erased';
      readonly documents: readonly number[];
      /** Files whose pages are all erased, and those pages. Left out if there are none. */
      readonly sightings?: readonly number[];
      /** Ranges of journal entries whose personal part is blank from now on. */
      readonly entries: readonly (readonly [from: number, to: number])[];
    }
  /** About the chain itself: it begins, or continues in a new file. */
  | { readonly kind: 'begun' | 'continued'; readonly ledger: string; readonly because: string }
  /**
   * The ledger of one agent became part of a shared one: the earlier history is in its journal, which ends with that
   * entry.
   */
  | {
      readonly kind: 'imported';
      readonly ledger: string;
      readonly seq: number;
      readonly hash: string;
      readonly documents: number;
      readonly because: string;
    }
  /** Before the document was sent, its name turned out to belong to other bytes in another ledger. */
  | { readonly kind: 'renamed'; readonly document: number; readonly name: string }
  | { readonly kind: 'restored' | 'rebuilt'; readonly because: string; readonly fromSeq: number };

/** How documents change state. */
export type Move =
  | { readonly state: 'accepted'; readonly status: string | null; readonly response: string | null }
  | {
      readonly state: Extract<DocumentState, 'failed' | 'unconfirmed' | 'lost'>;
      readonly reason: string;
      readonly message: string | null;
    }
  /** Later, at its old position in the queue. */
  | {
      readonly state: 'queued';
      readonly how: 'later';
      readonly notBefore: number;
      readonly reason: string | null;
      readonly message: string | null;
      readonly answerLost: boolean;
      readonly serverError: boolean;
    }
  /** At the end of the queue; for one document. */
  | {
      readonly state: 'queued';
      readonly how: 'atEnd';
      readonly line: number;
      readonly reason: string;
      readonly message: string | null;
    }
  /** A person's retry. */
  | { readonly state: 'queued'; readonly how: 'again' }
  /** Seen again after it failed or was lost: a new arrival; for one document. */
  | { readonly state: 'queued'; readonly how: 'arrived'; readonly line: number; readonly lane: Lane };

/** Fields that erasure blanks. The folder belongs to the configuration, not to a document. */
const PERSONAL: ReadonlySet<string> = new Set([
  'path',
  'mtimeNs',
  'ctimeNs',
  'inode',
  'message',
  'response',
  'archivedTo',
  'record',
  'detail',
  'payload',
  'givenName',
  'givenUid',
]);

export function toJournal(event: LedgerEvent, at: number): JournalEvent {
  // Every field of every event is JSON.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const fields = event as unknown as Readonly<Record<string, Json>>;
  const facts: Record<string, Json> = {};
  const personal: Record<string, Json> = {};
  let isPersonal = false;
  for (const key in fields) {
    const value = fields[key];
    if (key === 'kind' || value === undefined) continue;
    if (!PERSONAL.has(key)) facts[key] = value;
    else if (value !== null) {
      personal[key] = value;
      isPersonal = true;
    }
  }
  return { kind: event.kind, at, facts, ...(isPersonal && { personal }) };
}

/** Defaults for fields that were erased or null. */
const BLANK: Readonly<Record<string, Json>> = {
  path: '',
  mtimeNs: '0',
  ctimeNs: '0',
  inode: '0',
  message: null,
  response: null,
  archivedTo: null,
  record: '',
  detail: '',
  payload: null,
  givenName: null,
  givenUid: null,
};

export function fromJournal({ kind, facts, personal }: JournalEntry): LedgerEvent {
  // Written by `toJournal`, and held by the chain since.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { kind, ...BLANK, ...facts, ...personal } as unknown as LedgerEvent;
}

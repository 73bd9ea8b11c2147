import type { AttemptOutcome, DocumentState, EndpointKey, Lane, Verdict } from '../core/domain/document.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import type { PayloadEncoding } from '../core/ports/results.ts';
import type { Json, JournalEntry, JournalEvent } from '../core/ports/journal.ts';

/**
 * Everything that changes the ledger for good, as the journal keeps it. docs/audit.md describes each kind for
 * auditors. A field is optional here only where an event is about one of several things.
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
      /** The number that `{seq}` took from the endpoint. */
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
      /** 64 bits, which no JSON number holds. */
      readonly mtimeNs: string;
      readonly ctimeNs: string;
      readonly inode: string;
      readonly message: string | null;
      /** Of a page: the sighting of its file. Left out of any other. */
      readonly file?: number;
      /** Of a file that is taken apart: how many it has, and into which endpoint they go; null once they are there. Left out of any other. */
      readonly pages?: number;
      readonly into?: EndpointKey | null;
    }
  | { readonly kind: 'gone'; readonly sightings: readonly number[] }
  /** A person saw to it that these need nobody any more, or took that back; their states stay. */
  | {
      readonly kind: 'dismissed' | 'undismissed';
      readonly documents: readonly number[];
      readonly sightings: readonly number[];
      readonly by: string;
    }
  | { readonly kind: 'watched'; readonly folder: string }
  /** On which file system the folder's files are known to lie. */
  | { readonly kind: 'placed'; readonly folder: string; readonly mark: string }
  /** What `afterUpload` is for the folder from now on; of what was seen up to `stays`, the originals are left alone. */
  | {
      readonly kind: 'originals';
      readonly folder: string;
      readonly rule: string;
      /** The number of a sighting; 0: all are disposed of. */
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
  /** What the service posted; `document` is null where it is about none that the ledger knows. */
  | {
      readonly kind: 'result';
      readonly result: number;
      readonly document: number | null;
      /** Upload requests of the document by then. */
      readonly attempts: number | null;
      readonly status: string | null;
      /** Of the payload. */
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
      /** Files all of whose pages are erased, and those pages. Left out where there are none. */
      readonly sightings?: readonly number[];
      /** Ranges of entries in the journal whose personal part is blank from now on. */
      readonly entries: readonly (readonly [from: number, to: number])[];
    }
  /** The chain's own: where it begins, goes on in a new file, or the ledger was recreated from it. */
  | { readonly kind: 'begun' | 'continued'; readonly ledger: string; readonly because: string }
  /** The ledger of one agent became part of a shared one: what came before stands in its journal, which ends with that entry. */
  | {
      readonly kind: 'imported';
      readonly ledger: string;
      readonly seq: number;
      readonly hash: string;
      readonly documents: number;
      readonly because: string;
    }
  /** Another ledger had given its name to other bytes before these were sent. */
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
  /** Later, in the old place of the line. */
  | {
      readonly state: 'queued';
      readonly how: 'later';
      readonly notBefore: number;
      readonly reason: string | null;
      readonly message: string | null;
      readonly answerLost: boolean;
      readonly serverError: boolean;
    }
  /** At the end of the line: one document. */
  | {
      readonly state: 'queued';
      readonly how: 'atEnd';
      readonly line: number;
      readonly reason: string;
      readonly message: string | null;
    }
  /** A person's retry. */
  | { readonly state: 'queued'; readonly how: 'again' }
  /** Seen again after it had failed or was lost: one document, a new arrival. */
  | { readonly state: 'queued'; readonly how: 'arrived'; readonly line: number; readonly lane: Lane };

/** What erasure takes away. The folder is the configuration's, not a document's. */
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

/** What stands for a field that was erased, or was null. */
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

import { hash } from 'node:crypto';
import type { AttemptOutcome, DocumentState, EndpointKey, Verdict } from '../core/domain/document.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import type { HoldScope } from '../core/domain/hold.ts';
import type { FolderKey } from '../core/messages.ts';
import type { JournalEvent, Json } from '../core/ports/journal.ts';
import type { PayloadEncoding } from '../core/ports/results.ts';
import type { Cells, Table } from './schema.ts';

/**
 * What happened, with every decision about it: the journal's entries, which docs/audit.md describes for auditors. The fold makes rows of them and asks
 * nothing. An entry's own number is the id of the row that it makes. A field that is missing is null. A number of a document, a file or an attempt
 * below `CHAIN` is an entry of the same chain, so that a chain can be read into a database that has others; endpoints, folders and holds have the hash
 * of what they are called as their id.
 */
export type Entry = Happened & OfOthers;

type Happened =
  | { readonly kind: 'endpoint'; readonly endpoint: number; readonly baseUrl: string; readonly uid: string }
  /** The service's record of an endpoint that was created. */
  | { readonly kind: 'recorded'; readonly endpoint: number; readonly name: string; readonly record: string }
  | {
      readonly kind: 'folder';
      readonly folder: number;
      readonly owner: string;
      readonly place: string;
    }
  | { readonly kind: 'watched'; readonly folder: number }
  /** The file system that the folder's files are known to be on. */
  | { readonly kind: 'placed'; readonly folder: number; readonly mark: string }
  /** The folder's rule for originals from now on; files in these ranges of ids stay. */
  | {
      readonly kind: 'originals';
      readonly folder: number;
      readonly rule: string;
      readonly stays: readonly Range[];
    }
  /** A new document, and the file or the page with its bytes. */
  | ({
      readonly kind: 'admitted';
      readonly endpoint: number;
      readonly folder: number;
      readonly name: string;
      readonly type: ImageType;
      readonly priority: number;
      /** The number that `{seq}` took from the endpoint. */
      readonly seq?: number | undefined;
      readonly path: string;
      readonly sha256: string;
      readonly size: number;
      /** Known bytes for another endpoint: no file was seen. */
      readonly isCopy?: true | undefined;
    } & Partial<FileFields>)
  /** A version of a file: a new row, or the row of `again`, judged anew. */
  | ({
      readonly kind: 'file';
      readonly folder: number;
      readonly verdict: Verdict;
      readonly endpoint?: number | undefined;
      readonly document?: number | undefined;
      readonly size: number;
      readonly path: string;
      readonly sha256?: string | null | undefined;
    } & FileFields)
  /** The same bytes with other metadata. */
  | { readonly kind: 'same'; readonly file: number; readonly size: number; readonly identity: string }
  | { readonly kind: 'gone'; readonly files: readonly number[] }
  /** left: when, by the ledger's clock, where agents share it. */
  | {
      readonly kind: 'began';
      readonly document: number;
      readonly bytes: number;
      readonly left?: number | undefined;
    }
  | ({
      readonly kind: 'ended';
      readonly attempt: number;
      readonly document: number;
      readonly outcome: AttemptOutcome;
      readonly http?: number | null | undefined;
      /** The answer, in words, where it is not the document's message. */
      readonly said?: string | null | undefined;
      /** As in `began`. */
      readonly left?: number | undefined;
      /** Left out: the request is repeated at once (401). */
    } & Partial<Move>)
  /** Documents change state without a request. */
  | ({ readonly kind: 'moved'; readonly documents: readonly number[] } & Move)
  | { readonly kind: 'disposing'; readonly file: number; readonly how?: 'archived' | 'deleted' | undefined }
  | {
      readonly kind: 'disposed';
      readonly file: number;
      readonly how: 'archived' | 'deleted' | 'kept';
      readonly archivedTo?: string | null | undefined;
    }
  | {
      readonly kind: 'result';
      readonly document?: number | undefined;
      readonly status?: string | null | undefined;
      readonly sha256: string;
      readonly size: number;
      readonly encoding: PayloadEncoding;
      readonly payload?: string | null;
      readonly givenName?: string | null | undefined;
      readonly givenUid?: string | null | undefined;
    }
  /** This agent hands on a result that another one received, which was retired. */
  | { readonly kind: 'passed'; readonly result: number }
  | {
      readonly kind: 'hold';
      readonly scope: HoldScope;
      readonly key: string;
      /** A person's pause. */
      readonly paused?: true | undefined;
      /** Until when it holds the other agents too. */
      readonly sharedUntil?: number | undefined;
      readonly reason: string;
      readonly why: string;
      readonly until?: number | null;
      readonly demandedUntil?: number | null;
    }
  /** of: the agent whose hold it was, if another. isOwn: it goes on for that agent alone. */
  | {
      readonly kind: 'released';
      readonly scope: HoldScope;
      readonly key: string;
      readonly paused?: true | undefined;
      readonly of?: number | undefined;
      readonly isOwn?: true | undefined;
    }
  | {
      readonly kind: 'dismissed' | 'undismissed';
      readonly documents: readonly number[];
      readonly files: readonly number[];
      readonly by: string;
    }
  /** What a person did, for the record. */
  | { readonly kind: 'act'; readonly act: string; readonly by: string; readonly detail: string }
  /** Names every row, and every entry whose personal part is blank from now on. */
  | {
      readonly kind: 'erased';
      readonly documents: readonly number[];
      readonly files: readonly number[];
      readonly attempts: readonly number[];
      readonly results: readonly number[];
      readonly entries: readonly Range[];
      /** Entries of other chains, and the first digits of the last one's hash. */
      readonly others?: readonly OthersRange[] | undefined;
    }
  /** A row as it is: an entry of a snapshot, with which a journal begins that replaces another. */
  | { readonly kind: 'row'; readonly table: Table; readonly row: Cells; readonly own?: Cells | undefined }
  /** About the chain: it begins, goes on in a new file, or in a shared ledger. */
  | { readonly kind: 'begun' | 'continued' | 'shared'; readonly ledger: string; readonly because: string }
  | { readonly kind: 'rebuilt'; readonly because: string }
  /** isWhole: everything that the ledger lacked behind `fromSeq` was recorded again. */
  | {
      readonly kind: 'restored';
      readonly because: string;
      readonly fromSeq: number;
      readonly isWhole?: true | undefined;
    };

export type Kind = Entry['kind'];
export type EntryOf<K extends Kind> = Extract<Entry, { readonly kind: K }>;
export type Range = readonly [from: number, to: number];
export type OthersRange = readonly [agent: number, from: number, to: number, hash: string];

interface FileFields {
  readonly identity: string;
  /** The file that was current at this path. */
  readonly supersedes?: number | undefined;
  readonly again?: number | undefined;
  /** The file whose page this is. */
  readonly page?: number | undefined;
  /** It says nothing about what lies in the folder now. */
  readonly isGone?: true | undefined;
  readonly pages?: number | undefined;
  /** The endpoint that the pages go to, while the file is being split. */
  readonly into?: number | undefined;
  readonly policy?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly message?: string | null | undefined;
}

interface OfOthers {
  /** The first digits of the hashes of other agents' documents and files: if the ledger goes back, their numbers may be given to other bytes. */
  readonly bytesOf?: Readonly<Record<number, string>> | undefined;
}

/** A document's next state. What it does not name stays, except reason and message, which belong to a state. */
export interface Move {
  readonly state: DocumentState;
  readonly due?: number | undefined;
  readonly priority?: number | undefined;
  readonly reason?: string | null | undefined;
  readonly message?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly response?: string | null | undefined;
  readonly answerLost?: true | undefined;
  /** Counts towards parking the document. */
  readonly isOdd?: true | undefined;
  /** A new beginning: earlier odd answers no longer count. */
  readonly afresh?: true | undefined;
  /** Another name: that of a document that was never sent was taken where its ledger was moved to. */
  readonly name?: string | undefined;
  /** An accepted document is sent again after so many requests. */
  readonly resent?: number | undefined;
  /** Its bytes were seen there: the agent that reaches this folder sends it. */
  readonly folder?: number | undefined;
  readonly path?: string | undefined;
}

/** Numbers of one agent's chain lie between its own multiple of this and the next. */
export const CHAIN = 2 ** 32;

/** Fields that erasure blanks. A folder's path belongs to the configuration, not to a document. */
const PERSONAL: ReadonlySet<string> = new Set([
  'path',
  'identity',
  'message',
  'said',
  'response',
  'archivedTo',
  'record',
  'detail',
  'payload',
  'givenName',
  'givenUid',
  'own',
]);

const sha256 = (text: string): string => hash('sha256', text, 'hex');

const ids = new Map<string, number>();

/** The id of what has a name of its own: two agents that meet it at once make the same row. */
export function idOf(...names: readonly (string | number)[]): number {
  const name = names.join('\n');
  let id = ids.get(name);
  if (id === undefined) {
    if (ids.size > 10_000) ids.clear();
    id = Number.parseInt(sha256(name).slice(0, 12), 16);
    ids.set(name, id);
  }
  return id;
}

export const endpointIdOf = ({ baseUrl, uid }: EndpointKey): number => idOf(baseUrl, uid);

/** Numbers of folders in a ledger with one agent are above all others. */
const ALONE = 2 ** 48;

export function folderIdOf({ owner, path }: FolderKey): number {
  const alone = ALONE + idOf('', path);
  return owner === '' ? alone : idOf(owner, alone);
}

/** In the chain of a ledger that had one agent and was moved into a fleet, its folders are those of that agent. */
export function folderIn(folder: number, name: string): number {
  return folder < ALONE || name === '' ? folder : idOf(ownerIn('', name), folder);
}

export function ownerIn(owner: string, name: string): string {
  return owner === '' && name !== '' ? `agent:${name}` : owner;
}

/** Holds call a folder what every agent calls it: its owner, a line break, its path there. Without an owner, the path is absolute. */
export function folderKeyOf(key: string): FolderKey {
  const [, owner = '', path = key] = /^([^\n/\\]+)\n(.*)$/s.exec(key) ?? [];
  return { owner, path };
}

export function holdKeyOf({ owner, path }: FolderKey): string {
  return owner === '' ? path : `${owner}\n${path}`;
}

export function holdKeyIn(scope: string, key: string, name: string): string {
  if (scope !== 'folder' || name === '') return key;
  const { owner, path } = folderKeyOf(key);
  return holdKeyOf({ owner: ownerIn(owner, name), path });
}

/** A pause is everybody's, a hold its agent's. */
export function holdId(scope: string, key: string, paused: boolean | undefined, base: number): number {
  return idOf(scope, key, paused === true ? 'paused' : base);
}

const ODD = /[\0\ud800-\udfff]/;

/**
 * PostgreSQL takes neither NUL nor lone surrogates in a text, so nothing that comes in has them: what one engine accepts, the other does too, and what is
 * looked up is spelled as it was recorded.
 */
export function cleaned<T>(value: T): T {
  if (typeof value === 'string')
    return (ODD.test(value) ? value.replace(/[\0\p{Cs}]/gu, '\uFFFD') : value) as T;
  if (typeof value !== 'object' || value === null) return value;
  let clean: T = value;
  for (const key in value) {
    const part = cleaned(value[key]);
    if (part === value[key]) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- plain values
    if (clean === value) clean = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as T;
    clean[key] = part;
  }
  return clean;
}

/** How entries are to be read: a fact of the first entry of a chain. Journals of the format before the first release do not have it. */
const FORMAT = 2;

/** Whether it may be the first of its chain. */
const isFirst = (kind: Entry['kind']): boolean => kind === 'begun' || kind === 'continued';

/** As the journal stores it, with personal data apart. */
export function toJournal(entry: Entry, at: number): JournalEvent {
  // Every field of every entry is JSON.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const fields = entry as unknown as Readonly<Record<string, Json | undefined>>;
  const facts: Record<string, Json> = isFirst(entry.kind) ? { format: FORMAT } : {};
  let personal: Record<string, Json> | undefined;
  for (const key in fields) {
    const value = fields[key];
    if (key === 'kind' || value === undefined || value === null) continue;
    if (PERSONAL.has(key)) (personal ??= {})[key] = value;
    else facts[key] = value;
  }
  return personal === undefined ? { kind: entry.kind, at, facts } : { kind: entry.kind, at, facts, personal };
}

/** What the fold gets for texts that were erased. */
const BLANK = { path: '', identity: '', record: '', detail: '' };

export function fromJournal({
  kind,
  facts,
  personal,
}: Pick<JournalEvent, 'kind' | 'facts'> & { personal?: JournalEvent['personal'] | null }): Entry {
  // Written by `toJournal`, and kept by the chain since.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { kind, ...BLANK, ...facts, ...personal } as unknown as Entry;
}

/**
 * Ids of the document and the file whose personal data an entry has, if any: it is blanked when one of them is erased. An entry about several documents
 * has none. The file that a page is of does not count: it may be erased alone, if it became a document itself.
 */
export function subjectsOf(
  { kind, facts }: Pick<JournalEvent, 'kind' | 'facts'>,
  seq: number,
  base: number,
): { readonly document: number | null; readonly file: number | null } {
  const id = (number: unknown): number | null =>
    typeof number !== 'number' ? null : number < CHAIN ? number + base : number;
  const { document, documents, file, again, table, row } = facts;
  if (kind === 'row') {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written from a row
    const cells = row as unknown as Cells;
    return {
      document: id(table === 'documents' ? cells['id'] : cells['document_id']),
      file: table === 'files' ? id(cells['id']) : null,
    };
  }
  const [only] = Array.isArray(documents) ? (documents as readonly unknown[]) : [];
  return {
    document: id(kind === 'admitted' ? seq : (document ?? only)),
    // A document and the file of its bytes have one number, and are erased together.
    file: id(kind === 'file' ? (again ?? seq) : (again ?? file)),
  };
}

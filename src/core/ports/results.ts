import type { Document, EndpointKey } from '../domain/document.ts';

/** How a payload is kept as text: as it came where it is UTF-8, in base64 where it is not. */
export type PayloadEncoding = 'utf8' | 'base64';

/** What the service posted, as it came. */
export interface NewResult {
  /** Wall-clock milliseconds. */
  readonly at: number;
  /** Of the service that is configured: endpoints of another one are not meant. */
  readonly baseUrl: string;
  /** The endpoint, as the payload or the address says; null: neither does. */
  readonly uid: string | null;
  readonly name: string | null;
  readonly status: string | null;
  /** Verbatim; at most 8 MB, so that an entry of the journal holds it, in base64 as well. */
  readonly payload: Uint8Array;
}

export interface RecordedResult {
  readonly id: number;
  /** As it is now; null: the ledger knows no such document. */
  readonly document: Document | null;
  /** False: the same payload for the same document was stored before, and nothing has changed. */
  readonly isNew: boolean;
  /** The result is the proof that was missing: the document was not known to be at the service before. */
  readonly isProof: boolean;
}

export interface LedgerResults {
  /**
   * Keeps a result, and takes its status over. Idempotent by document (or none) and payload. A document whose answer was
   * lost, and that waits for a person or to be sent again, is accepted by it; one whose request is under way is left to
   * its answer, which leaves the status of a later result alone.
   */
  recordResult(result: NewResult): Promise<RecordedResult>;
}

export interface ResultRow {
  readonly id: number;
  /** Milliseconds. */
  readonly receivedAt: number;
  /** Null: no document that the ledger knows. */
  readonly document: { readonly id: number; readonly name: string; readonly endpoint: EndpointKey } | null;
  readonly status: string | null;
  readonly sha256: string;
  /** Bytes of the payload. */
  readonly size: number;
  readonly encoding: PayloadEncoding;
  /** What the payload and the address say; null where they don't, or it was erased. */
  readonly givenName: string | null;
  readonly givenUid: string | null;
  /** Its place among those that this agent hands on: its number, unless it came from an agent that was retired. */
  readonly turn: number;
}

export interface ResultDetail extends ResultRow {
  /** Null: erased. */
  readonly payload: string | null;
}

export interface ResultsWanted {
  /** `received`: by this agent, not by another one of its fleet; `unmatched`: of no document; a number: of this document. */
  readonly of: 'all' | 'received' | 'unmatched' | number;
  readonly order: 'oldest' | 'newest';
  /** Those that come after this one in the order (of `received` by their `turn`); null: from the beginning. */
  readonly after: number | null;
  readonly limit: number;
}

/** Reading; works on a ledger that another process writes. */
export interface ResultReports {
  results(wanted: ResultsWanted): Promise<readonly ResultRow[]>;
  result(id: number): Promise<ResultDetail | null>;
  countResults(of: 'all' | 'unmatched'): Promise<number>;
  /** The number of the newest; 0 where there is none. A later one has a higher number. */
  lastResult(): Promise<number>;
}

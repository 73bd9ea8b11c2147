import type { Document, EndpointKey } from '../domain/document.ts';

/** How a payload is stored as text: unchanged if it is valid UTF-8, else in base64. */
export type PayloadEncoding = 'utf8' | 'base64';

/** A result as the service posted it. */
export interface NewResult {
  /** Wall-clock milliseconds. */
  readonly at: number;
  /** The configured service: matches only its endpoints. */
  readonly baseUrl: string;
  /** The endpoint named by the payload or the address; null if neither names one. */
  readonly uid: string | null;
  readonly name: string | null;
  readonly status: string | null;
  /** Verbatim; at most 8 MB, so that it fits into a journal entry even in base64. */
  readonly payload: Uint8Array;
}

export interface RecordedResult {
  readonly id: number;
  /** Its current state; null if the ledger knows no such document. */
  readonly document: Document | null;
  /** False if the same payload for the same document was stored before: nothing changed. */
  readonly isNew: boolean;
  /** The result proves that the service has the document, which was unknown before. */
  readonly isProof: boolean;
}

export interface LedgerResults {
  /**
   * Stores a result and gives its status to the document. Idempotent by document (or none) and payload. If the document's
   * answer was lost and it waits for a person or a resend, the result marks it accepted. If a request is in progress,
   * its answer decides, without overwriting the status of a later result.
   */
  recordResult(result: NewResult): Promise<RecordedResult>;
}

export interface ResultRow {
  readonly id: number;
  /** Milliseconds. */
  readonly receivedAt: number;
  /** Null if the ledger knows no such document. */
  readonly document: { readonly id: number; readonly name: string; readonly endpoint: EndpointKey } | null;
  readonly status: string | null;
  readonly sha256: string;
  /** Bytes of the payload. */
  readonly size: number;
  readonly encoding: PayloadEncoding;
  /** From the payload or the address; null if absent or erased. */
  readonly givenName: string | null;
  readonly givenUid: string | null;
  /** Position in the order in which this agent hands results on: its id, unless inherited from a retired agent. */
  readonly turn: number;
}

export interface ResultDetail extends ResultRow {
  /** Null: erased. */
  readonly payload: string | null;
}

export interface ResultsWanted {
  /** `received`: by this agent, not by others of its fleet; `unmatched`: without a document; a number: of that document. */
  readonly of: 'all' | 'received' | 'unmatched' | number;
  readonly order: 'oldest' | 'newest';
  /** Only results after this id in the order (for `received`, after this `turn`); null: from the beginning. */
  readonly after: number | null;
  readonly limit: number;
}

/** Read-only queries; they also work on a ledger that another process writes. */
export interface ResultReports {
  results(wanted: ResultsWanted): Promise<readonly ResultRow[]>;
  result(id: number): Promise<ResultDetail | null>;
  countResults(of: 'all' | 'unmatched'): Promise<number>;
  /** Id of the newest result, 0 if there is none. Ids increase. */
  lastResult(): Promise<number>;
}

import type { AccountOf } from '../../core/domain/account.ts';
import type { EndpointKey } from '../../core/domain/document.ts';
import type { ValueWanted } from '../../core/domain/posted.ts';
import type { Attention, ListState } from '../../core/ports/ledgerReports.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { ListedDocument, ListedFile } from './listedRows.ts';
import type { KnownFolder, Needle } from './needles.ts';
import type { Position, WindowWanted } from './walk.ts';

/** Rows that a walk can visit: all documents, those not accepted (few in most ledgers), or other files. */
export type Along = 'documents' | 'unsettled' | 'files';

/** Filters for the rows of a window; null filters nothing. */
export interface Conditions {
  /** States of documents and verdicts on files. */
  readonly states: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  readonly folder: string | null;
  readonly endpoint: EndpointKey | null;
  /** Each must match, or might match once the whole row is checked. */
  readonly needles: readonly Needle[];
  /** Like `needles`. */
  readonly values: readonly ValueWanted[];
  readonly attention: Attention | null;
}

/** What lists and pages are built from, independent of the storage. */
export interface ListSource {
  readonly accountOf: AccountOf;
  holds(): Promise<readonly Hold[]>;
  /** All folders that any row belongs to. */
  folders(): Promise<readonly KnownFolder[]>;
  documents(along: 'documents' | 'unsettled', conditions: Conditions): ReadRows<ListedDocument>;
  files(conditions: Conditions): ReadRows<ListedFile>;
  tallies(along: Along, conditions: Conditions, spanMs: number): ReadTally;
}

/** In every time zone, days begin on a quarter of an hour. */
export const QUARTER_MS = 15 * 60_000;
export const HOUR_MS = 4 * QUARTER_MS;

/** The rows of the window that `ReadWindow` reads. */
export type ReadRows<Row> = (
  wanted: WindowWanted,
) => Promise<{ readonly rows: readonly Row[]; readonly looked: Position | null }>;

/** A group of similar rows of a window, and how many there are. */
export interface TalliedRow {
  readonly folder: string;
  readonly baseUrl: string | null;
  readonly uid: string | null;
  readonly state: ListState;
  readonly status: string | null;
  /** Number of the quarter of an hour, or of the hour. */
  readonly span: number;
  readonly count: number;
  /** Whether the rows must be read to tell which of them match. */
  readonly isUnsure: number | boolean;
}

/** Counts the window that `ReadWindow` would read. */
export type ReadTally = ReadRows<TalliedRow>;

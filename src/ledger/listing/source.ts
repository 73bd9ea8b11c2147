import type { AccountOf } from '../../core/domain/account.ts';
import type { EndpointKey } from '../../core/domain/document.ts';
import type { ValueWanted } from '../../core/domain/posted.ts';
import type { Attention, ListState } from '../../core/ports/ledgerReports.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { ListedDocument, ListedSighting } from './listedRows.ts';
import type { KnownFolder, Needle } from './needles.ts';
import type { Listed, Position, ReadWindow, WindowWanted } from './walk.ts';

/** What may be walked along: all documents, those that are not accepted (few in most ledgers), other files. */
export type Along = 'documents' | 'unsettled' | 'sightings';

/** What a window's rows are filtered by; null filters nothing. */
export interface Conditions {
  /** Of documents and verdicts. */
  readonly states: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  readonly folder: string | null;
  readonly endpoint: EndpointKey | null;
  /** Each must be found, or may be found by who looks at the whole row. */
  readonly needles: readonly Needle[];
  /** The same. */
  readonly values: readonly ValueWanted[];
  readonly attention: Attention | null;
}

/** What lists and pages are made of, whatever stores it. */
export interface ListSource {
  readonly accountOf: AccountOf;
  holds(): Promise<readonly Hold[]>;
  /** All that any row lies in. */
  folders(): Promise<readonly KnownFolder[]>;
  /** `toListed` makes rows of what the adapter selects: documents (with `archivedTo`), or sightings. */
  reads(
    along: 'documents' | 'unsettled',
    conditions: Conditions,
    toListed: ToListed<ListedDocument>,
  ): ReadWindow;
  reads(along: 'sightings', conditions: Conditions, toListed: ToListed<ListedSighting>): ReadWindow;
  tallies(along: Along, conditions: Conditions, spanMs: number): ReadTally;
}

/** How many needles and values a statement is for; how long the spans are that it counts. */
export interface Wanted {
  readonly needles: number;
  readonly values: number;
  readonly spanMs: number;
}

/** Every zone's days begin with a quarter of an hour. */
export const QUARTER_MS = 15 * 60_000;
export const HOUR_MS = 4 * QUARTER_MS;

export type ToListed<Row> = (row: Row) => Listed;

/** Rows of a window that are alike. */
export interface TalliedRow {
  readonly folder: string;
  readonly baseUrl: string | null;
  readonly uid: string | null;
  readonly state: ListState;
  readonly status: string | null;
  /** Number of the quarter of an hour, or of the hour. */
  readonly span: number;
  readonly count: number;
  /** Whether only the rows themselves say which of them are found. */
  readonly isUnsure: number | boolean;
}

/** The same window as `ReadWindow` reads. */
export type ReadTally = (
  wanted: WindowWanted,
) => Promise<{ readonly rows: readonly TalliedRow[]; readonly looked: Position | null }>;

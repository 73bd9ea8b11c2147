import { join } from 'node:path';
import type { AccountOf } from '../../core/domain/account.ts';
import { VERDICTS, type EndpointKey, type Verdict } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { isFound, searchWords } from '../../core/domain/search.ts';
import type { Hold } from '../../core/ports/hold.ts';
import { isNeeding, needsPerson, NEEDING_STATES } from '../../core/domain/needsPerson.ts';
import type {
  Attention,
  ListFilter,
  ListOrder,
  ListRow,
  ListState,
  Page,
  PageWanted,
} from '../../core/ports/ledgerReports.ts';
import { holdOver, isHeld } from '../holdOver.ts';
import { absolutePath, toDocument, type DocumentRow, type PlaceRow } from '../rows.ts';
import { needlesOf, type KnownFolder, type Needle } from './needles.ts';
import { nextOf, Walk, type Listed, type Position, type ReadWindow } from './walk.ts';

/** What may be walked along: all documents, those that are not accepted (few in most ledgers), other files. */
export type Along = 'documents' | 'unsettled' | 'sightings';

/** What a window's rows are filtered by; null filters nothing. */
export interface Conditions {
  /** Of documents and verdicts. */
  readonly states: readonly string[] | null;
  readonly folder: string | null;
  readonly endpoint: EndpointKey | null;
  /** Each must be found, or may be found by who looks at the whole row. */
  readonly needles: readonly Needle[];
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
}

export type ToListed<Row> = (row: Row) => Listed;

type Places = readonly [documents: Position | null, sightings: Position | null];

/** What is walked: documents, and the files that are no document's own. Null where none of them can pass. */
type Walks = readonly [documents: Walk | null, sightings: Walk | null];

/** Merged by the time of creation, so that a list of any length costs one window of memory. */
export async function* list(source: ListSource, filter: ListFilter): AsyncGenerator<ListRow> {
  const walks = await walksOf(source, filter, 'oldest');
  const open = walks.filter((walk) => walk !== null);
  for (let left = filter.limit ?? Infinity; left > 0; left -= 1) {
    const row = await take(open, filter, 'oldest');
    if (row === null || row === 'later') return;
    yield row;
  }
}

export async function page(
  source: ListSource,
  filter: Omit<ListFilter, 'limit'>,
  { order, cursor, behind, limit, withinMs }: PageWanted,
): Promise<Page> {
  const from = behind ? ([{ at: behind.createdAt, id: behind.id }, null] as const) : cursor;
  const walks = await walksOf(source, filter, order, from);
  const open = walks.filter((walk) => walk !== null);
  const endsAt = performance.now() + withinMs;
  const rows: ListRow[] = [];
  while (rows.length < limit) {
    const row = await take(open, filter, order, endsAt);
    if (row === null || row === 'later') break;
    rows.push(row);
  }
  const times = open.flatMap((walk) => walk.lookedUntil ?? []);
  if (times.length === 0) return { rows, next: null, lookedUntil: null };
  const lookedUntil = order === 'oldest' ? Math.min(...times) : Math.max(...times);
  return { rows, next: cursorOf(walks.map((walk) => walk?.position ?? null)), lookedUntil };
}

async function take(
  walks: readonly Walk[],
  { states, search = '' }: ListFilter,
  order: ListOrder,
  endsAt?: number,
): Promise<ListRow | 'later' | null> {
  const words = searchWords(search);
  for (;;) {
    const walk = await nextOf(walks, order, endsAt);
    if (walk === null || walk === 'later') return walk;
    const row = walk.next?.row;
    walk.take();
    // Only together with the holds a queued document is known to be held or not.
    if (row && (states === undefined || states.includes(row.state)) && isFound(row, words)) return row;
  }
}

async function walksOf(
  source: ListSource,
  filter: ListFilter,
  order: ListOrder,
  from?: string | Places,
): Promise<Walks> {
  const { folder, endpoint, search = '', since, until, attention } = filter;
  const states = statesWanted(filter);
  const { accountOf } = source;
  const holds = await source.holds();
  const first = since ?? Number.MIN_SAFE_INTEGER;
  const to = until ?? Number.MAX_SAFE_INTEGER;
  const isOldest = order === 'oldest';
  const beginning = { at: isOldest ? first : to, id: Number.MIN_SAFE_INTEGER };
  const [documentsFrom, sightingsFrom] = startOf(from, beginning);
  const conditions: Conditions = {
    // `held` is a queued document seen together with a hold.
    states: states?.map((state) => (state === 'held' ? 'queued' : state)) ?? null,
    folder: folder ?? null,
    endpoint: endpoint ?? null,
    needles: search === '' ? [] : needlesOf(search, holds, await source.folders()),
    attention: attention ?? null,
  };
  const stop = isOldest ? to : first - 1;
  const walk = (start: Position | null, read: ReadWindow): Walk | null =>
    start && new Walk({ order, stop, from: start, read });
  const documents = documentsWanted(filter);
  const toDocumentListed = (row: ListedDocument): Listed => ({
    at: row.createdAt,
    id: row.id,
    row: documentRow(row, holds, accountOf),
  });
  const toSightingListed = (row: ListedSighting): Listed => ({
    at: row.createdAt,
    id: row.id,
    row: sightingRow(row),
  });
  return [
    documents && walk(documentsFrom, source.reads(documents, conditions, toDocumentListed)),
    sightingsWanted(filter)
      ? walk(sightingsFrom, source.reads('sightings', conditions, toSightingListed))
      : null,
  ];
}

function startOf(from: string | Places | undefined, beginning: Position): Places {
  if (from === undefined) return [beginning, beginning];
  return typeof from === 'string' ? readCursor(from) : from;
}

/** Two places, each `at.id`, or `-` where nothing is left. */
function cursorOf(places: readonly (Position | null)[]): string {
  return places.map((place) => (place === null ? '-' : `${place.at}.${place.id}`)).join('~');
}

const CURSOR = /^(?:-|(-?\d{1,16})\.(-?\d{1,16}))~(?:-|(-?\d{1,16})\.(-?\d{1,16}))$/;

function readCursor(cursor: string): Places {
  const found = CURSOR.exec(cursor);
  if (!found) {
    throw new ReceiptdError('USAGE', 'The cursor is not one that a page ended with.', {
      hint: 'Begin with the first page.',
    });
  }
  const [, ...parts] = found;
  const place = (at?: string, id?: string) =>
    at === undefined || id === undefined ? null : { at: Number(at), id: Number(id) };
  return [place(parts[0], parts[1]), place(parts[2], parts[3])];
}

/** Whatever else is asked for: only in some states a person may be needed, or have been. */
function statesWanted({ states, attention }: ListFilter): readonly ListState[] | undefined {
  return attention === undefined || attention === 'none'
    ? states
    : (states?.filter(isNeeding) ?? NEEDING_STATES);
}

function documentsWanted(filter: ListFilter): 'documents' | 'unsettled' | null {
  const states = statesWanted(filter);
  if (states === undefined || states.includes('accepted')) return 'documents';
  return states.some((state) => !isVerdict(state)) ? 'unsettled' : null;
}

function sightingsWanted(filter: ListFilter): boolean {
  const states = statesWanted(filter);
  return states === undefined || states.some(isVerdict);
}

const OF_FILES: ReadonlySet<string> = new Set(VERDICTS.filter((verdict) => verdict !== 'document'));

function isVerdict(state: ListState): boolean {
  return OF_FILES.has(state);
}

function documentRow(raw: ListedDocument, holds: readonly Hold[], accountOf: AccountOf): ListRow {
  const document = toDocument(raw);
  const hold =
    document.state === 'queued' ? holdOver(holds, document.endpoint, document.folder, accountOf) : undefined;
  return {
    name: document.name,
    endpointUid: document.endpoint.uid,
    baseUrl: document.endpoint.baseUrl,
    sha256: document.sha256,
    state: isHeld(hold) ? 'held' : document.state,
    status: document.serviceStatus,
    path: join(document.folder, document.path),
    attempts: document.attempts,
    documentId: document.id,
    sightingId: null,
    type: document.type,
    size: document.size,
    reason: hold?.reason ?? document.reason,
    message: hold?.message ?? document.message,
    answerLost: document.answerLost,
    needsPerson: needsPerson({ ...document, isGone: false, isDismissed: raw.dismissedAt !== null }),
    ...dismissal(raw),
    archivedTo: raw.archivedTo,
    createdAt: iso(document.createdAt),
    updatedAt: iso(document.updatedAt),
    notBefore: document.notBefore === 0 ? null : iso(document.notBefore),
  };
}

interface DismissalRow {
  readonly dismissedAt: number | null;
  readonly dismissedBy: string | null;
}

function dismissal({ dismissedAt, dismissedBy }: DismissalRow): Pick<ListRow, 'dismissedAt' | 'dismissedBy'> {
  return { dismissedAt: dismissedAt === null ? null : iso(dismissedAt), dismissedBy };
}

export interface ListedDocument extends DocumentRow, DismissalRow {
  readonly archivedTo: string | null;
}

export interface ListedSighting extends PlaceRow, DismissalRow {
  readonly goneAt: number | null;
  readonly id: number;
  readonly verdict: Exclude<Verdict, 'document'> & ListState;
  readonly size: number;
  readonly sha256: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly archivedTo: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly documentId: number | null;
  readonly documentName: string | null;
  readonly type: string | null;
  readonly serviceStatus: string | null;
  readonly baseUrl: string | null;
  readonly uid: string | null;
}

function sightingRow(row: ListedSighting): ListRow {
  return {
    name: row.documentName,
    endpointUid: row.uid,
    baseUrl: row.baseUrl,
    sha256: row.sha256,
    state: row.verdict,
    status: row.serviceStatus,
    path: absolutePath(row),
    attempts: 0,
    documentId: row.documentId,
    sightingId: row.id,
    type: row.type,
    size: row.size,
    reason: row.reason,
    message: row.message,
    answerLost: false,
    needsPerson: needsPerson({
      state: row.verdict,
      reason: row.reason,
      isGone: row.goneAt !== null,
      isDismissed: row.dismissedAt !== null,
    }),
    ...dismissal(row),
    archivedTo: row.archivedTo,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    notBefore: null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

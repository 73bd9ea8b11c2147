import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountOf } from '../../core/domain/account.ts';
import { VERDICTS, type DocumentState, type Verdict } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { isNeeding, NEEDING_STATES, needsPerson } from '../../core/domain/needsPerson.ts';
import type { Posted } from '../../core/domain/posted.ts';
import { heldBecause } from '../../core/domain/problem.ts';
import { isFound, searchWords } from '../../core/domain/search.ts';
import { isValueMeant } from '../../core/domain/valueFilter.ts';
import type { Hold } from '../../core/domain/hold.ts';
import type {
  LedgerReports,
  ListFilter,
  ListOrder,
  ListRow,
  ListState,
  TallyRow,
} from '../../core/ports/ledgerReports.ts';
import type { FileRow } from '../schema.ts';
import { DOCUMENTS, FILES, Filter, isDecidedBySql, UNSETTLED, type RowSource } from './filter.ts';
import { holdOver, isHeld } from './holds.ts';
import type { Columns, View } from './view.ts';

/*
 * Lists, pages and counts of documents, and of files that have none of their own. Each is read along an index by time, window by window, which bounds each
 * read transaction and each turn of the event loop; the two are merged. So a list of any length needs memory for one window only.
 */

/** Rows examined in the first window: about one screen. */
const FIRST_WINDOW = 50;
const GROWTH = 16;
const LARGEST_WINDOW = 10_000;
/** Most rows that one window may return: each costs as much as ten rows that are skipped. */
const LARGEST_YIELD = 1_000;
/** Reading this many rows takes no longer than counting them. */
const FEW = 500;

/** In every time zone, days begin on a quarter of an hour. */
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 4 * QUARTER_MS;

/** Most results of a document that lists show; `results` shows the older ones too. */
const MOST_POSTED = 100;

/** In the order of creation. */
interface Position {
  readonly at: number;
  readonly id: number;
}

interface ListItem extends Position {
  /** Absolute. */
  readonly folder: string;
  readonly row: ListRow;
}

interface Window<Row> {
  readonly rows: readonly Row[];
  /** The last row examined; null if no rows are left. */
  readonly looked: Position | null;
}

/** Documents or files that a filter means, in an order. */
interface ListPart {
  /** Among the `size` rows behind `start`, those that pass the filter. */
  read(start: Position, size: number): Promise<Window<ListItem>>;
  /** The same, counted. */
  count(start: Position, size: number): Promise<Window<Tallied>>;
}

type PlacedRow = Pick<FileRow, 'endpoint_id' | 'folder_id'>;

/** Similar rows of a window. */
interface Tallied extends PlacedRow {
  readonly state: ListState;
  readonly status: string | null;
  /** Number of the quarter of an hour, or of the hour. */
  readonly span: number;
  readonly n: number;
  /** Whether the rows must be read to tell which of them match. */
  readonly unsure: number;
}

export function listReads(
  view: View,
  holdsNow: () => Promise<readonly Hold[]>,
  accountOf: AccountOf,
): Pick<LedgerReports, 'list' | 'page' | 'tally'> {
  let turn = Promise.resolve();
  /** One window for each turn of the event loop, for all callers together, so that nothing else waits for two. */
  const ownTurn = (): Promise<void> => (turn = turn.then(() => nextTurn()));

  /** Null for what the filter excludes altogether. */
  async function open(filter: ListFilter, order: ListOrder, spanMs = QUARTER_MS) {
    const holds = await holdsNow();
    const folders = (filter.search ?? '') === '' ? null : await view.folders();
    const states = statesWanted(filter);
    const first = filter.since ?? Number.MIN_SAFE_INTEGER;
    const to = filter.until ?? Number.MAX_SAFE_INTEGER;
    const isOldest = order === 'oldest';
    const beginning: Position = { at: isOldest ? first : to, id: Number.MIN_SAFE_INTEGER };
    /** The first time outside the wanted range. */
    const stop = isOldest ? to : first - 1;
    const words = searchWords(filter.search ?? '');
    /** Only the holds tell whether a queued document is held. */
    const isMeant = ({ row }: ListItem): boolean =>
      filter.states?.includes(row.state) !== false &&
      isFound(row, words) &&
      (filter.values ?? []).every((wanted) => isValueMeant(row.posted, wanted));
    const parts = sourcesOf(states).map((source): ListPart | null => {
      if (source === null) return null;
      const { params, where, isUnsure } = new Filter(
        source,
        { ...filter, ...(states && { states }) },
        { folders, holds, folderId: (folder) => view.folderId(folder) },
      );
      const windows = async <Row extends Partial<PlacedRow>>(
        start: Position,
        size: number,
        question: string,
      ): Promise<Window<Row>> => {
        await ownTurn();
        const [found] = await view.all<Position>(windowEnd(source, order), { ...start, skip: size - 1 });
        const isInside = found !== undefined && (isOldest ? found.at < stop : found.at > stop);
        const looked = isInside ? { at: found.at, id: found.id } : null;
        const last = looked ?? (isOldest ? { at: stop - 1, id: MOST } : { at: stop + 1, id: -MOST });
        const bounds = { at: start.at, id: start.id, lastAt: last.at, lastId: last.id };
        const rows = await view.all<Row>(question, { ...bounds, ...params });
        await view.know(rows);
        return { rows, looked };
      };
      const { alias, from, at, state } = source;
      const meant = `FROM ${from} WHERE ${inWindow(source, order)}${where}`;
      const counted = `SELECT n.folder_id, n.endpoint_id, n.state, n.status, n.span, count(*) AS n, max(n.unsure) AS unsure FROM (
  SELECT ${alias}.folder_id AS folder_id, ${alias}.endpoint_id AS endpoint_id, ${state} AS state, d.status, ${at} / ${spanMs} AS span, ${isUnsure} AS unsure ${meant}) n
 GROUP BY n.folder_id, n.endpoint_id, n.state, n.status, n.span`;
      const listing = `SELECT ${LISTED[alias]} ${meant} ${ordered(source, order)}`;
      return {
        async read(start, size) {
          const { rows, looked } = await windows<ListedColumns>(start, size, listing);
          return { rows: rows.map((row) => listed(row, view, holds, accountOf)), looked };
        },
        count: (start, size) => windows<Tallied>(start, size, counted),
      };
    });
    return { parts, beginning, holds, isMeant };
  }

  return {
    async *list(filter) {
      const { parts, beginning, isMeant } = await open(filter, 'oldest');
      const walks = parts.flatMap((part) => (part ? [new Walk(part, beginning, isMeant)] : []));
      yield* merged(walks, 'oldest', filter.limit ?? Infinity);
    },

    async page(filter, { order, cursor, behind, limit, withinMs, signal }) {
      const { parts, beginning, isMeant } = await open(filter, order);
      const from = behind ? [{ at: behind.createdAt, id: behind.id }, null] : positionsOf(cursor, beginning);
      const walks = parts.map((part, i) => {
        const start = from[i] ?? null;
        return part && start && new Walk(part, start, isMeant, limit);
      });
      const there = walks.filter((walk) => walk !== null);
      const rows: ListRow[] = [];
      for await (const row of merged(there, order, limit, timer(withinMs, signal))) rows.push(row);
      const times = there.flatMap((walk) => walk.lookedUntil ?? []);
      if (times.length === 0) return { rows, next: null, lookedUntil: null };
      const lookedUntil = order === 'oldest' ? Math.min(...times) : Math.max(...times);
      return { rows, next: cursorOf(walks.map((walk) => walk?.position ?? null)), lookedUntil };
    },

    /** Reads rows only where SQL can't decide. */
    async tally(filter, { cursor, withinMs, signal, isHourly = false }) {
      const spanMs = isHourly ? HOUR_MS : QUARTER_MS;
      const isUp = timer(withinMs, signal);
      const { parts, beginning, holds, isMeant } = await open(filter, 'newest', spanMs);
      const canDecide = isDecidedBySql(filter);
      const mayBeHeld = holds.length > 0 && (filter.search ?? '') !== '';
      const groups = new Map<string, TallyRow>();
      const add = (row: TallyRow): void => {
        const { folder, endpoint, state, status, at } = row;
        const said = status === null ? '' : `=${status}`;
        const key = [folder, endpoint?.baseUrl, endpoint?.uid, state, said, at].join('\0');
        groups.set(key, { ...row, count: row.count + (groups.get(key)?.count ?? 0) });
      };
      const addCounted = ({ folder_id, endpoint_id, state, status, span, n }: Tallied): void => {
        const [folder, endpoint] = [view.path(folder_id), view.endpoint(endpoint_id)];
        const isOnHold =
          state === 'queued' && endpoint !== null && isHeld(holdOver(holds, endpoint, folder, accountOf));
        const shown = isOnHold ? 'held' : state;
        if (filter.states?.includes(shown) !== false)
          add({ folder, endpoint, state: shown, status, at: span * spanMs, count: n });
      };
      const addRead = ({ at, folder, row: { baseUrl, endpointUid: uid, state, status } }: ListItem): void => {
        const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
        add({ folder, endpoint, state, status, at: at - (at % spanMs), count: 1 });
      };
      const walk = async (part: ListPart, from: Position | null): Promise<Position | null> => {
        let place = from;
        /** The window before had few matching rows and had to be read after all: this one is not counted first. */
        let isRare = false;
        for (let isFirst = true; place && (isFirst || !isUp()); isFirst = false) {
          if (canDecide && !isRare) {
            const { rows, looked } = await part.count(place, LARGEST_WINDOW);
            if (!rows.some(({ unsure, state }) => unsure !== 0 || (mayBeHeld && state === 'queued'))) {
              rows.forEach(addCounted);
              place = looked;
              continue;
            }
          }
          const { rows, looked } = await part.read(place, LARGEST_WINDOW);
          isRare = rows.length <= FEW;
          rows.filter(isMeant).forEach(addRead);
          place = looked;
        }
        return place;
      };
      const from = positionsOf(cursor, beginning);
      const left = await Promise.all(parts.map(async (part, i) => part && walk(part, from[i] ?? null)));
      const isOver = left.every((place) => place === null);
      return { rows: [...groups.values()], next: isOver ? null : cursorOf(left) };
    },
  };
}

/* ---- Which rows ---- */

/** A filter by attention leaves only the states in which a person may be needed, or may have been. */
function statesWanted({ states, attention }: ListFilter): readonly ListState[] | undefined {
  if (attention === undefined || attention === 'none') return states;
  return states?.filter(isNeeding) ?? NEEDING_STATES;
}

const OF_FILES: ReadonlySet<string> = new Set(VERDICTS.filter((verdict) => verdict !== 'document'));

/** Of documents, and of files. */
function sourcesOf(states: readonly ListState[] | undefined): readonly (RowSource | null)[] {
  if (states === undefined) return [DOCUMENTS, FILES];
  const isOfFiles = (state: ListState): boolean => OF_FILES.has(state);
  const documents = states.includes('accepted') ? DOCUMENTS : states.every(isOfFiles) ? null : UNSETTLED;
  return [documents, states.some(isOfFiles) ? FILES : null];
}

/* ---- Windows ---- */

const MOST = Number.MAX_SAFE_INTEGER;

/** The comparisons and the direction of what comes later in an order. */
const LATER: Readonly<Record<ListOrder, readonly [later: string, until: string, direction: string]>> = {
  oldest: ['>', '<=', 'ASC'],
  newest: ['<', '>=', 'DESC'],
};

function behind({ only, alias, at }: RowSource, order: ListOrder): string {
  return `${only} AND (${at}, ${alias}.id) ${LATER[order][0]} (:at, :id)`;
}

function ordered({ at, alias }: RowSource, order: ListOrder): string {
  const [, , direction] = LATER[order];
  return `ORDER BY ${at} ${direction}, ${alias}.id ${direction}`;
}

/** The last row of a window. */
function windowEnd(source: RowSource, order: ListOrder): string {
  const { alias, at, from } = source;
  const table = from.replace(/ LEFT JOIN .*/, '');
  return `SELECT ${at} AS at, ${alias}.id AS id FROM ${table} WHERE ${behind(source, order)} ${ordered(source, order)} LIMIT 1 OFFSET :skip`;
}

/** The times, too: PostgreSQL estimates nothing by a comparison of pairs, and would read the whole table. */
function inWindow(source: RowSource, order: ListOrder): string {
  const { at, alias, isListed } = source;
  const times = order === 'oldest' ? ':at AND :lastAt' : ':lastAt AND :at';
  return `${isListed} AND ${behind(source, order)} AND (${at}, ${alias}.id) ${LATER[order][1]} (:lastAt, :lastId) AND ${at} BETWEEN ${times}`;
}

/** Rows of one part, in their order. */
class Walk {
  readonly #part: ListPart;
  readonly #isMeant: (listed: ListItem) => boolean;
  #pending: ListItem[] = [];
  /** Where the last window ended; null if no rows are left. */
  #looked: Position | null;
  #taken: Position;
  #size: number;

  /** @param limit how many rows are wanted; 0: all */
  constructor(part: ListPart, from: Position, isMeant: (listed: ListItem) => boolean, limit = 0) {
    this.#part = part;
    this.#isMeant = isMeant;
    this.#looked = from;
    this.#taken = from;
    this.#size = Math.max(FIRST_WINDOW, limit);
  }

  /** The next row, if it has been read. */
  get next(): ListItem | undefined {
    return this.#pending[0];
  }

  /** Whether a window must be read to know the next row. */
  get isUnknown(): boolean {
    return this.#pending.length === 0 && this.#looked !== null;
  }

  /** Where another walk would continue; null if no rows are left. */
  get position(): Position | null {
    return this.#pending.length > 0 ? this.#taken : this.#looked;
  }

  /** Everything before this time was examined; null if no rows are left. */
  get lookedUntil(): number | null {
    return (this.next ?? this.#looked)?.at ?? null;
  }

  take(): void {
    this.#taken = this.#pending.shift() ?? this.#taken;
  }

  /** Reads windows until there is a row, at least one. */
  async look(isUp: () => boolean): Promise<void> {
    for (let isFirst = true; this.#pending.length === 0 && (isFirst || !isUp()); isFirst = false) {
      if (this.#looked === null) return;
      const size = this.#size;
      const { rows, looked } = await this.#part.read(this.#looked, size);
      this.#pending = rows.filter(this.#isMeant);
      this.#looked = looked;
      const wanted = Math.round((size * LARGEST_YIELD) / Math.max(1, rows.length));
      this.#size = Math.min(LARGEST_WINDOW, size * GROWTH, Math.max(FIRST_WINDOW, wanted));
    }
  }
}

/** Rows of all walks in one order, until time is up: the next row of each must be known, however far away it is. */
async function* merged(
  walks: readonly Walk[],
  order: ListOrder,
  limit: number,
  isUp = () => false,
): AsyncGenerator<ListRow> {
  const sign = order === 'oldest' ? 1 : -1;
  for (let left = limit; left > 0; left -= 1) {
    await Promise.all(walks.map((walk) => walk.look(isUp)));
    if (walks.some(({ isUnknown }) => isUnknown)) return;
    let first: Walk | null = null;
    for (const walk of walks)
      if (walk.next !== undefined && (walk.next.at - (first?.next?.at ?? sign * Infinity)) * sign < 0)
        first = walk;
    const row = first?.next?.row;
    if (row === undefined) return;
    first?.take();
    yield row;
  }
}

function timer(withinMs: number, signal: AbortSignal | undefined): () => boolean {
  const endsAt = performance.now() + withinMs;
  return () => performance.now() >= endsAt || signal?.aborted === true;
}

/** Positions in both parts, each `at.id`, or `-` if no rows are left. */
function cursorOf(positions: readonly (Position | null)[]): string {
  return positions.map((position) => (position === null ? '-' : `${position.at}.${position.id}`)).join('~');
}

const CURSOR = /^(?:-|(-?\d{1,16})\.(-?\d{1,16}))~(?:-|(-?\d{1,16})\.(-?\d{1,16}))$/;

/** @throws ReceiptdError USAGE */
function positionsOf(cursor: string | undefined, beginning: Position): readonly (Position | null)[] {
  if (cursor === undefined) return [beginning, beginning];
  const found = CURSOR.exec(cursor);
  if (!found) throw new ReceiptdError('USAGE.cursor');
  const [, ...parts] = found;
  const position = (at?: string, id?: string) =>
    at === undefined || id === undefined ? null : { at: Number(at), id: Number(id) };
  return [position(parts[0], parts[1]), position(parts[2], parts[3])];
}

/* ---- Rows ---- */

const posted = (
  document: string,
): string => `(SELECT '[' || string_agg(n.fields, ',' ORDER BY n.id DESC) || ']' FROM (
    SELECT s.id, s.fields FROM results s WHERE s.document_id = ${document} AND s.fields IS NOT NULL ORDER BY s.id DESC LIMIT ${MOST_POSTED}) n) AS posted`;

/** Of a document, and of a file with what its document is. */
const LISTED: Readonly<Record<RowSource['alias'], string>> = {
  d: `d.id, d.id AS document_id, NULL AS file_id, d.endpoint_id, d.folder_id, '' AS dir, d.path AS file, d.name, d.sha256, d.type, d.size, d.state, d.status,
    d.reason, d.message, d.attempts, d.due, d.answer_lost, NULL AS gone_at, d.dismissed_at, d.dismissed_by, d.created_at AS at, d.updated_at, ${posted('d.id')},
    (SELECT f.archived_to FROM files f WHERE f.document_id = d.id AND f.verdict = 'document' AND f.archived_to IS NOT NULL
      ORDER BY f.id + 0 DESC LIMIT 1) AS archived_to,
    (SELECT max(a.began_at + 0) FROM attempts a WHERE a.document_id = d.id AND a.outcome IS DISTINCT FROM 'notSent') AS sent_at,
    CASE d.state WHEN 'accepted' THEN coalesce((SELECT max(a.ended_at) FROM attempts a WHERE a.document_id = d.id AND a.outcome = 'accepted'),
      (SELECT min(s.received_at) FROM results s WHERE s.document_id = d.id)) END AS accepted_at`,
  f: `f.id, f.document_id, f.id AS file_id, f.endpoint_id, f.folder_id, f.dir, f.name AS file, d.name, f.sha256, d.type, f.size, f.verdict AS state, d.status,
    f.reason, f.message, 0 AS attempts, 0 AS due, 0 AS answer_lost, f.gone_at, f.dismissed_at, f.dismissed_by, f.seen_at AS at, f.updated_at, ${posted('f.document_id')},
    f.archived_to, NULL AS sent_at, NULL AS accepted_at`,
};

interface ListedColumns
  extends
    Columns<
      'files',
      'id document_id endpoint_id folder_id dir size sha256 reason message gone_at updated_at'
    >,
    Columns<'files', 'dismissed_at dismissed_by archived_to'>,
    Columns<'documents', 'status attempts due answer_lost'> {
  readonly file_id: number | null;
  /** The rest of its path. */
  readonly file: string;
  readonly name: string | null;
  readonly type: string | null;
  readonly state: Exclude<DocumentState | Verdict, 'document'>;
  readonly at: number;
  readonly sent_at: number | null;
  readonly accepted_at: number | null;
  /** JSON list of the fields of the document's results, newest first. */
  readonly posted: string | null;
}

/** Field by field: to spread an object that SQLite's binding made takes longer than the query. */
function listed(columns: ListedColumns, view: View, holds: readonly Hold[], accountOf: AccountOf): ListItem {
  const { id, at, state, reason, due, updated_at } = columns;
  const folder = view.path(columns.folder_id);
  const endpoint = view.endpoint(columns.endpoint_id);
  const isQueued = state === 'queued' && endpoint !== null;
  const hold = isQueued ? holdOver(holds, endpoint, folder, accountOf) : undefined;
  const of = { isGone: columns.gone_at !== null, isDismissed: columns.dismissed_at !== null };
  const row: ListRow = {
    name: columns.name,
    endpointUid: endpoint?.uid ?? null,
    baseUrl: endpoint?.baseUrl ?? null,
    sha256: columns.sha256,
    state: isHeld(hold) ? 'held' : state,
    status: columns.status,
    path: join(folder, columns.dir, columns.file),
    attempts: columns.attempts,
    documentId: columns.document_id,
    fileId: columns.file_id,
    type: columns.type,
    size: columns.size,
    reason: hold?.reason ?? reason,
    message: hold === undefined ? columns.message : heldBecause(hold),
    answerLost: columns.answer_lost === 1,
    needsPerson: needsPerson({ state, reason, ...of }),
    dismissedAt: iso(columns.dismissed_at),
    dismissedBy: columns.dismissed_by,
    archivedTo: columns.archived_to,
    posted: toPosted(columns.posted),
    sentAt: iso(columns.sent_at),
    acceptedAt: iso(columns.accepted_at),
    createdAt: iso(at),
    updatedAt: iso(updated_at),
    notBefore: isQueued && due > updated_at ? iso(due) : null,
  };
  return { at, id, folder, row };
}

/** @returns oldest first */
function toPosted(fields: string | null): readonly Posted[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `postedOf`
  return fields === null ? [] : (JSON.parse(fields) as readonly Posted[]).toReversed();
}

function iso(ms: number): string;
function iso(ms: number | null): string | null;
function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

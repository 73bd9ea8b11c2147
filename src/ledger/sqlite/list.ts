import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Verdict } from '../../domain/document.ts';
import type { Hold } from '../../ports/hold.ts';
import type { ListFilter, ListRow, ListState } from '../../ports/ledgerReports.ts';
import { allHolds, holdOver, isHeld } from './holds.ts';
import { absolutePath, toDocument, type DocumentRow, type PlaceRow } from './rows.ts';
import * as SQL from './sql/reports.ts';
import type { Params, Sql } from './statements.ts';
import type { Store } from './store.ts';

/** Rows that are looked at in the first read: a screen of them. */
const FIRST_WINDOW = 50;
const GROWTH = 4;
/** And in any: no read transaction, and no turn of the event loop, lasts longer. */
const LARGEST_WINDOW = 1_000;

interface Position {
  readonly at: number;
  readonly id: number;
}

interface Listed extends Position {
  readonly row: ListRow;
}

/**
 * Documents, and the files that are no document's own, merged in order of creation. Two walks of windows along
 * the creation time, so that a list of any length costs one window of memory.
 */
export async function* list(store: Store, filter: ListFilter): AsyncGenerator<ListRow> {
  const holds = await store.read(allHolds);
  const documents = walk(store, filter, documentsWanted(filter), (sql, text, params) =>
    sql
      .all<DocumentRow & { archivedTo: string | null }>(text, params)
      .map((row) => ({ at: row.createdAt, id: row.id, row: documentRow(row, holds) })),
  );
  const sightings = walk(store, filter, sightingsWanted(filter), (sql, text, params) =>
    sql
      .all<ListedSighting>(text, params)
      .map((row) => ({ at: row.createdAt, id: row.id, row: sightingRow(row) })),
  );
  let left = filter.limit ?? Infinity;
  for await (const { row } of merge(documents, sightings)) {
    if (left <= 0) return;
    if (!passes(row, filter)) continue;
    left -= 1;
    yield row;
  }
}

/** Null where no document can pass. */
function documentsWanted({ states }: ListFilter): SQL.Walk | null {
  if (states === undefined || states.includes('accepted')) return SQL.DOCUMENTS;
  return states.some((state) => !isVerdict(state)) ? SQL.UNSETTLED_DOCUMENTS : null;
}

function sightingsWanted({ states }: ListFilter): SQL.Walk | null {
  return states === undefined || states.some(isVerdict) ? SQL.SIGHTINGS : null;
}

const VERDICTS: ReadonlySet<string> = new Set<Exclude<Verdict, 'document'>>([
  'duplicate',
  'rejected',
  'skipped',
  'incomplete',
  'unreadable',
]);

function isVerdict(state: ListState): boolean {
  return VERDICTS.has(state);
}

async function* walk(
  store: Store,
  filter: ListFilter,
  along: SQL.Walk | null,
  read: (sql: Sql, text: string, params: Params) => Listed[],
): AsyncGenerator<Listed> {
  if (along === null) return;
  const { windowEnd, rows: text } = along;
  const { states, folder, endpoint } = filter;
  const conditions = {
    // `held` is a queued document seen together with a hold.
    states: states ? JSON.stringify(states.map((state) => (state === 'held' ? 'queued' : state))) : null,
    folder: folder ?? null,
    baseUrl: endpoint?.baseUrl ?? null,
    uid: endpoint?.uid ?? null,
  };
  let after: Position | undefined = { at: filter.since ?? Number.MIN_SAFE_INTEGER, id: 0 };
  let size = FIRST_WINDOW;
  while (after) {
    const start: Position = after;
    const window = { at: start.at, id: start.id, size };
    const { rows, end } = await store.read((sql) => {
      const last = sql.get<Position>(windowEnd, window);
      const lastAt = last?.at ?? Number.MAX_SAFE_INTEGER;
      const lastId = last?.id ?? Number.MAX_SAFE_INTEGER;
      return {
        end: last,
        rows: read(sql, text, { at: start.at, id: start.id, lastAt, lastId, ...conditions }),
      };
    });
    yield* rows;
    after = end;
    size = Math.min(size * GROWTH, LARGEST_WINDOW);
    await nextTurn();
  }
}

async function* merge(first: AsyncGenerator<Listed>, second: AsyncGenerator<Listed>): AsyncGenerator<Listed> {
  let [a, b] = [await first.next(), await second.next()];
  while (!a.done || !b.done) {
    if (!a.done && (b.done || a.value.at <= b.value.at)) {
      yield a.value;
      a = await first.next();
    } else if (!b.done) {
      yield b.value;
      b = await second.next();
    }
  }
}

function passes(row: ListRow, { states, match }: ListFilter): boolean {
  if (states && !states.includes(row.state)) return false;
  return match === undefined || row.path.includes(match) || (row.name?.includes(match) ?? false);
}

function documentRow(raw: DocumentRow & { archivedTo: string | null }, holds: readonly Hold[]): ListRow {
  const document = toDocument(raw);
  const hold = document.state === 'queued' ? holdOver(holds, document.endpoint, document.folder) : undefined;
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
    type: document.type,
    size: document.size,
    reason: hold?.reason ?? document.reason,
    message: hold?.message ?? document.message,
    answerLost: document.answerLost,
    archivedTo: raw.archivedTo,
    createdAt: iso(document.createdAt),
    updatedAt: iso(document.updatedAt),
    notBefore: document.notBefore === 0 ? null : iso(document.notBefore),
  };
}

interface ListedSighting extends PlaceRow {
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
    type: row.type,
    size: row.size,
    reason: row.reason,
    message: row.message,
    answerLost: false,
    archivedTo: row.archivedTo,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    notBefore: null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

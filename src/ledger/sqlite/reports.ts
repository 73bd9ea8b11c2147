import type { EndpointKey } from '../../domain/document.ts';
import type { LedgerReports, ListState, StateCount } from '../../ports/ledgerReports.ts';
import { documentById } from './documents.ts';
import { allHolds, holdOver, isHeld } from './holds.ts';
import { list } from './list.ts';
import {
  toAttempt,
  toDocument,
  toSightingRow,
  type AttemptRow,
  type DetailSightingRow,
  type DocumentRow,
} from './rows.ts';
import * as DOCUMENTS from './sql/documents.ts';
import { ALL_ENDPOINTS, ENDPOINT_BY_KEY } from './sql/endpoints.ts';
import * as SQL from './sql/reports.ts';
import { WATCHED_AT } from './sql/sightings.ts';
import type { Sql, Store } from './store.ts';

export function createReports(store: Store): LedgerReports {
  return {
    list: (filter) => list(store, filter),

    find: (name) =>
      store.read((sql) => sql.all<DocumentRow>(DOCUMENTS.DOCUMENTS_BY_NAME, { name }).map(toDocument)),

    document: (id) => store.read((sql) => documentById(sql, id)),

    detail: (id) =>
      store.read((sql) => {
        const document = documentById(sql, id);
        if (!document) return null;
        return {
          document,
          response:
            sql.get<{ response: string | null }>(DOCUMENTS.DOCUMENT_RESPONSE, { id })?.response ?? null,
          attempts: sql.all<AttemptRow>(SQL.ATTEMPTS_OF, { id }).map(toAttempt),
          sightings: sql.all<DetailSightingRow>(SQL.SIGHTINGS_OF, { id }).map(toSightingRow),
        };
      }),

    isFirstWatch: (folder) =>
      store.read((sql) => {
        const row = sql.get<{ watchedAt: number | null }>(WATCHED_AT, { folder });
        return row === undefined || row.watchedAt === null;
      }),

    bySha256: ({ baseUrl, uid }, sha256) =>
      store.read((sql) => {
        const row = sql.get<DocumentRow>(DOCUMENTS.DOCUMENT_BY_BYTES, { baseUrl, uid, sha256 });
        return row ? toDocument(row) : null;
      }),

    isNameTaken: ({ baseUrl, uid }, name) =>
      store.read((sql) => sql.get(DOCUMENTS.IS_NAME_TAKEN, { baseUrl, uid, name }) !== undefined),

    nextSeq: ({ baseUrl, uid }) =>
      store.read((sql) => sql.get<{ nextSeq: number }>(ENDPOINT_BY_KEY, { baseUrl, uid })?.nextSeq ?? 1),

    counts: () => store.read(counts),

    holds: () => store.read(allHolds),

    endpoints: () =>
      store.read((sql) =>
        sql
          .all<EndpointKey & { name: string | null; createdAt: number | null }>(ALL_ENDPOINTS)
          .map(({ baseUrl, uid, name, createdAt }) => ({ endpoint: { baseUrl, uid }, name, createdAt })),
      ),
  };
}

interface CountRow {
  readonly baseUrl: string | null;
  readonly uid: string | null;
  readonly folder: string;
  readonly state: ListState;
  readonly count: number;
}

/** As many as `list` shows in each state. */
function counts(sql: Sql): StateCount[] {
  const holds = allHolds(sql);
  const rows = [...sql.all<CountRow>(SQL.COUNT_DOCUMENTS), ...sql.all<CountRow>(SQL.COUNT_SIGHTINGS)];
  return rows.map(({ baseUrl, uid, folder, state, count }) => {
    const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
    const held = state === 'queued' && endpoint !== null && isHeld(holdOver(holds, endpoint, folder));
    return { endpoint, folder, state: held ? 'held' : state, count };
  });
}

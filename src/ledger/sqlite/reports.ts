import { DEFAULT_ACCOUNT, type AccountOf } from '../../core/domain/account.ts';
import type { Attempt, EndpointKey } from '../../core/domain/document.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type {
  ArrivedCount,
  LedgerReports,
  ListState,
  SeenCount,
  StateCount,
  UploadRow,
  OriginalsRule,
} from '../../core/ports/ledgerReports.ts';
import { documentById } from './documents.ts';
import { holdOver, isHeld } from '../holdOver.ts';
import { withNeeding, type NeedingFiles } from '../needing.ts';
import { list, page } from '../listing/list.ts';
import { tally } from '../listing/tally.ts';
import { allHolds } from './holds.ts';
import { listSource } from './list.ts';
import {
  relativePath,
  placeQuery,
  toDocument,
  toFileStanding,
  toMore,
  toSightingRow,
  toStanding,
  type DetailSightingRow,
  type DocumentMoreRow,
  type DocumentRow,
  type FileStandingRow,
  type StandingRow,
} from '../rows.ts';
import { endpointIdOf } from './ids.ts';
import { createResultReports, resultsOf } from './results.ts';
import { ORIGINALS } from './sql/disposals.ts';
import * as DOCUMENTS from './sql/documents.ts';
import { ALL_ENDPOINTS, NEXT_NUMBERS } from './sql/endpoints.ts';
import * as SQL from './sql/reports.ts';
import { HEAD } from './sql/journal.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

const STANDINGS_BATCH = 1_000;

export function createReports(store: Store, accountOf: AccountOf = DEFAULT_ACCOUNT): LedgerReports {
  const source = listSource(store, accountOf);
  return {
    ...createResultReports(store),

    fleet: null,

    list: (filter) => list(source, filter),

    page: (filter, wanted) => page(source, filter, wanted),

    tally: (filter, wanted) => tally(source, filter, wanted),

    uploads: (from, to) => store.read((sql) => sql.all<UploadRow>(SQL.UPLOADS, { from, to })),

    find: (name) =>
      store.read((sql) => sql.all<DocumentRow>(DOCUMENTS.DOCUMENTS_BY_NAME, { name }).map(toDocument)),

    document: (id) => store.read((sql) => documentById(sql, id)),

    detail: (id) =>
      store.read((sql) => {
        const document = documentById(sql, id);
        if (!document) return null;
        return {
          document,
          ...toMore(sql.get<DocumentMoreRow>(DOCUMENTS.DOCUMENT_MORE, { id })),
          attempts: sql.all<Attempt>(SQL.ATTEMPTS_OF, { id }).map((row) => ({ ...row })),
          sightings: sql.all<DetailSightingRow>(SQL.SIGHTINGS_OF, { id }).map(toSightingRow),
          results: resultsOf(sql, id),
        };
      }),

    isFirstWatch: (folder) =>
      store.read((sql) => {
        const row = sql.get<{ watchedAt: number | null }>(SIGHTINGS.WATCHED_AT, { folder });
        return row === undefined || row.watchedAt === null;
      }),

    bySha256: (endpoint, sha256) =>
      store.read((sql) => {
        const endpointId = endpointIdOf(sql, endpoint) ?? null;
        const row = sql.get<DocumentRow>(DOCUMENTS.DOCUMENT_BY_BYTES, { endpointId, sha256 });
        return row ? toDocument(row) : null;
      }),

    isNameTaken: (endpoint, name) =>
      store.read((sql) => {
        const endpointId = endpointIdOf(sql, endpoint) ?? null;
        return sql.get(DOCUMENTS.IS_NAME_TAKEN, { endpointId, name }) !== undefined;
      }),

    nextSeq: (endpoint) =>
      store.read((sql) => {
        const id = endpointIdOf(sql, endpoint) ?? null;
        return sql.get<{ seq: number }>(NEXT_NUMBERS, { id })?.seq ?? 1;
      }),

    countAccepted: (from, to) =>
      store.read((sql) => sql.get<{ count: number }>(SQL.COUNT_ACCEPTED, { from, to })?.count ?? 0),

    counts: () => store.read((sql) => toCounts(sql, accountOf, [SQL.COUNT_DOCUMENTS, SQL.COUNT_FILES])),

    documentCounts: () => store.read((sql) => toCounts(sql, accountOf, [SQL.COUNT_DOCUMENTS])),

    holds: () => store.read(allHolds),

    originalsRule: (folder) =>
      store.read((sql) => sql.get<OriginalsRule>(ORIGINALS.ORIGINALS_RULE, { folder }) ?? null),

    acceptedOriginals: (folder, stays) =>
      store.read((sql) => {
        const { ACCEPTED_ORIGINALS, ACCEPTED_SPLIT_ORIGINALS, STAYING_ORIGINALS, STAYING_SPLIT_ORIGINALS } =
          ORIGINALS;
        const rows =
          stays === null
            ? [ACCEPTED_ORIGINALS, ACCEPTED_SPLIT_ORIGINALS].map((text) =>
                sql.get<{ count: number }>(text, { folder }),
              )
            : [STAYING_ORIGINALS, STAYING_SPLIT_ORIGINALS].map((text) =>
                sql.get<{ count: number }>(text, { folder, stays }),
              );
        return rows.reduce((sum, row) => sum + (row?.count ?? 0), 0);
      }),

    seenCounts: (since, until) =>
      store.read((sql) => sql.all<SeenCount>(SIGHTINGS.SEEN_COUNTS, { since, until })),

    arrivals: (from, to, everyMs) =>
      store.read((sql) => sql.all<ArrivedCount>(SIGHTINGS.ARRIVALS, { from, to, everyMs })),

    async *standings(folder) {
      for (let after = 0; ;) {
        const from = after;
        const rows = await store.read((sql) =>
          sql.all<StandingRow>(SIGHTINGS.STANDINGS, { folder, after: from, limit: STANDINGS_BATCH }),
        );
        const last = rows.at(-1);
        if (!last) return;
        yield new Map(rows.map((row) => [relativePath(row), toStanding(row)]));
        after = last.id;
      }
    },

    standing: ({ folder, path }) =>
      store.read((sql) => {
        const { text, place } = placeQuery(path, SIGHTINGS);
        const row = sql.get<FileStandingRow>(text, { folder, ...place });
        return row ? toFileStanding(row) : null;
      }),

    erasable: (before) =>
      store.read((sql) => sql.all<{ id: number }>(SQL.ERASABLE, { before }).map(({ id }) => id)),

    head: () => store.read((sql) => sql.get<JournalHead>(HEAD) ?? null),

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

/** Counts that match what `list` shows in each state. */
function toCounts(sql: Sql, accountOf: AccountOf, queries: readonly string[]): StateCount[] {
  const holds = allHolds(sql);
  const toCount = ({ baseUrl, uid, folder, state, count }: CountRow): StateCount => {
    const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
    const held =
      state === 'queued' && endpoint !== null && isHeld(holdOver(holds, endpoint, folder, accountOf));
    return { endpoint, folder, state: held ? 'held' : state, count };
  };
  const counts = queries.flatMap((query) => sql.all<CountRow>(query)).map(toCount);
  const dismissed = sql.all<CountRow>(SQL.COUNT_DISMISSED).map(toCount);
  return withNeeding(counts, dismissed, sql.all<NeedingFiles>(SQL.COUNT_NEEDING));
}

import type { AccountOf } from '../../core/domain/account.ts';
import type { Attempt, Document, EndpointKey } from '../../core/domain/document.ts';
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
import { holdOver, isHeld } from '../holdOver.ts';
import { withNeeding, type NeedingFiles } from '../needing.ts';
import { list, page } from '../listing/list.ts';
import { tally } from '../listing/tally.ts';
import {
  relativePath,
  placeQuery,
  toFileStanding,
  toMore,
  toSightingRow,
  toStanding,
  type DetailSightingRow,
  type DocumentMoreRow,
  type FileStandingRow,
  type StandingRow,
} from '../rows.ts';
import { documentOf, type PlacedRow } from './documents.ts';
import { holdsOf } from './holds.ts';
import { listSource } from './list.ts';
import type { Places } from './places.ts';
import type { Reading } from './reading.ts';
import { createResultReports, resultsOf } from './results.ts';
import { ORIGINALS } from './sql/disposals.ts';
import * as DOCUMENTS from './sql/documents.ts';
import { ALL_ENDPOINTS, ENDPOINT_BY_KEY } from './sql/endpoints.ts';
import * as SQL from './sql/reports.ts';
import type { Sql } from './statements.ts';

const STANDINGS_BATCH = 1_000;

/** A row that belongs to one folder. */
interface Placed {
  readonly place: string;
  readonly folder: string;
}

export function createReports(ledger: Reading, accountOf: AccountOf): Omit<LedgerReports, 'fleet'> {
  const { places } = ledger;
  const source = listSource(ledger, accountOf);
  const one = <Row>(text: string, params: Parameters<Sql['get']>[1]): Promise<Row | undefined> =>
    ledger.read((sql) => sql.get<Row>(text, params));
  const all = <Row>(text: string, params: Parameters<Sql['all']>[1]): Promise<Row[]> =>
    ledger.read((sql) => sql.all<Row>(text, params));
  const documentIn = async (sql: Sql, id: number): Promise<Document | null> => {
    const row = await sql.get<PlacedRow>(DOCUMENTS.DOCUMENT_BY_ID, { id });
    return row ? documentOf(places, row) : null;
  };
  return {
    ...createResultReports(ledger),

    list: (filter) => list(source, filter),

    page: (filter, wanted) => page(source, filter, wanted),

    tally: (filter, wanted) => tally(source, filter, wanted),

    uploads: (from, to) => all<UploadRow>(SQL.UPLOADS, { from, to }),

    find: async (name) =>
      (await all<PlacedRow>(SQL.DOCUMENTS_BY_NAME, { name })).map((row) => documentOf(places, row)),

    document: (id) => ledger.read((sql) => documentIn(sql, id)),

    detail: (id) =>
      ledger.read(async (sql) => {
        const [document, more, attempts, sightings, results] = await Promise.all([
          documentIn(sql, id),
          sql.get<DocumentMoreRow>(SQL.DOCUMENT_MORE, { id }),
          sql.all<Attempt>(SQL.ATTEMPTS_OF, { id }),
          sql.all<DetailSightingRow & Placed>(SQL.SIGHTINGS_OF, { id }),
          resultsOf(sql, id),
        ]);
        if (!document) return null;
        return {
          document,
          ...toMore(more),
          attempts,
          sightings: sightings.map(({ place, folder, ...row }) =>
            toSightingRow({ ...row, folder: places.toFolder(place, folder) }),
          ),
          results,
        };
      }),

    async isFirstWatch(folder) {
      const row = await one<{ watchedAt: number | null }>(SQL.WATCHED_AT, places.ofFolder(folder));
      return row === undefined || row.watchedAt === null;
    },

    async bySha256({ baseUrl, uid }, sha256) {
      const row = await one<PlacedRow>(DOCUMENTS.DOCUMENTS_BY_BYTES, { baseUrl, uid, sha256s: [sha256] });
      return row ? documentOf(places, row) : null;
    },

    isNameTaken: async ({ baseUrl, uid }, name) =>
      (await one(DOCUMENTS.TAKEN_NAMES, { baseUrl, uid, names: [name] })) !== undefined,

    nextSeq: async ({ baseUrl, uid }) =>
      (await one<{ nextSeq: number }>(ENDPOINT_BY_KEY, { baseUrl, uid }))?.nextSeq ?? 1,

    countAccepted: async (from, to) =>
      (await one<{ count: number }>(SQL.COUNT_ACCEPTED, { from, to }))?.count ?? 0,

    counts: () =>
      ledger.read((sql) => toCounts(sql, places, accountOf, [SQL.COUNT_DOCUMENTS, SQL.COUNT_SIGHTINGS])),

    documentCounts: () => ledger.read((sql) => toCounts(sql, places, accountOf, [SQL.COUNT_DOCUMENTS])),

    holds: () => ledger.read((sql) => holdsOf(sql, places)),

    originalsRule: async (folder) =>
      (await one<OriginalsRule>(ORIGINALS.ORIGINALS_RULE, places.ofFolder(folder))) ?? null,

    acceptedOriginals: async (folder, stays) => {
      const of = places.ofFolder(folder);
      const { ACCEPTED_ORIGINALS, ACCEPTED_SPLIT_ORIGINALS, STAYING_ORIGINALS, STAYING_SPLIT_ORIGINALS } =
        ORIGINALS;
      const rows =
        stays === null
          ? [ACCEPTED_ORIGINALS, ACCEPTED_SPLIT_ORIGINALS].map((text) => one<{ count: number }>(text, of))
          : [STAYING_ORIGINALS, STAYING_SPLIT_ORIGINALS].map((text) =>
              one<{ count: number }>(text, { ...of, stays }),
            );
      return (await Promise.all(rows)).reduce((sum, row) => sum + (row?.count ?? 0), 0);
    },

    seenCounts: async (since, until) =>
      inFolders(
        await all<SeenCount & Placed>(SQL.SEEN_COUNTS, { since, until }),
        places,
        ({ state }) => state,
      ),

    arrivals: async (from, to, everyMs) =>
      inFolders(
        await all<ArrivedCount & Placed>(SQL.ARRIVALS, { from, to, everyMs }),
        places,
        ({ at }) => `${at}`,
      ),

    async *standings(folder) {
      const key = places.ofFolder(folder);
      for (let after = { dir: '', name: '' }; ;) {
        const rows = await all<StandingRow>(SQL.STANDINGS, { ...key, ...after, limit: STANDINGS_BATCH });
        const last = rows.at(-1);
        if (!last) return;
        yield new Map(rows.map((row) => [relativePath(row), toStanding(row)]));
        after = { dir: last.dir, name: last.name };
      }
    },

    async standing({ folder, path }) {
      const { text, place } = placeQuery(path, SQL);
      const row = await one<FileStandingRow>(text, { ...places.ofFolder(folder), ...place });
      return row ? toFileStanding(row) : null;
    },

    erasable: async (before, atMost, afterId = 0) =>
      (await all<{ id: number }>(SQL.ERASABLE, { before, atMost: atMost ?? null, afterId })).map(
        ({ id }) => id,
      ),

    head: async () => (await one<JournalHead>(SQL.HEAD, { agent: places.agent })) ?? null,

    endpoints: async () =>
      (await all<EndpointKey & { name: string | null; createdAt: number | null }>(ALL_ENDPOINTS, {})).map(
        ({ baseUrl, uid, name, createdAt }) => ({ endpoint: { baseUrl, uid }, name, createdAt }),
      ),
  };
}

interface CountRow extends Placed {
  readonly baseUrl: string | null;
  readonly uid: string | null;
  readonly state: ListState;
  readonly count: number;
}

/** Counts that match what `list` shows in each state. */
async function toCounts(
  sql: Sql,
  places: Places,
  accountOf: AccountOf,
  queries: readonly string[],
): Promise<StateCount[]> {
  const [holds, needing, dismissed, ...counted] = await Promise.all([
    holdsOf(sql, places),
    sql.all<NeedingFiles & Placed>(SQL.COUNT_NEEDING),
    ...[SQL.COUNT_DISMISSED, ...queries].map((query) => sql.all<CountRow>(query)),
  ]);
  const toStateCounts = (rows: readonly CountRow[]): StateCount[] =>
    inFolders(rows, places, ({ baseUrl, uid, state }) => `${baseUrl ?? ''}#${uid ?? ''} ${state}`).map(
      ({ baseUrl, uid, folder, state, count }) => {
        const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
        const held =
          state === 'queued' && endpoint !== null && isHeld(holdOver(holds, endpoint, folder, accountOf));
        return { endpoint, folder, state: held ? 'held' : state, count };
      },
    );
  const files = inFolders(needing, places, ({ verdict, reason }) => `${verdict} ${reason ?? ''}`);
  return withNeeding(counted.flatMap(toStateCounts), toStateCounts(dismissed ?? []), files);
}

/** Merges rows by the port's folder: one that was shared later has two rows. */
function inFolders<Row extends Placed & { readonly count: number }>(
  rows: readonly Row[],
  places: Places,
  what: (row: Row) => string,
): Omit<Row, 'place'>[] {
  const found = new Map<string, Omit<Row, 'place'>>();
  for (const { place, ...row } of rows) {
    const folder = places.toFolder(place, row.folder);
    const key = `${what({ place, ...row } as Row)} ${folder}`;
    const before = found.get(key)?.count ?? 0;
    found.set(key, { ...row, folder, count: before + row.count });
  }
  return [...found.values()];
}

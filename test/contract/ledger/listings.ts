import { DOCUMENT_STATES } from '../../../src/core/domain/document.ts';
import { normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LIST_STATES,
  type ListFilter,
  type ListOrder,
  type ListRow,
} from '../../../src/core/ports/ledgerReports.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { expectedRows, inOrder, passes, type ExpectedRow } from '../../support/messyOffice/expected.ts';
import { messyOffice, type Office } from '../../support/messyOffice/plan.ts';
import { recordOffice } from '../../support/messyOffice/record.ts';
import { countDocuments, neighboursOf } from '../../../src/control/queries/documents.ts';
import type { LedgerPlace } from './support.ts';

/** With few matches, a search starts its third window at the 251st row. */
const FEW = 300;
/** `npm run campaign -- listings` asks for many more. */
const SIZE = Number(process.env['RECEIPTD_OFFICE_FILES'] ?? FEW);
/** Small pages meet every edge; of a long ledger they would be too many. Each filter has one size in each order, by turns. */
const PAGES = SIZE > FEW ? [500, 500] : [50, 17];
/** On a busy machine every commit waits for the disk. */
const FILL_TIMEOUT_MS = 240 * 1000 + 20 * SIZE;
const ORDERS: readonly ListOrder[] = ['oldest', 'newest'];

const SEARCHES = [
  'SCAN0',
  'muller',
  'MÜLLER beleg',
  'arger',
  '領収',
  'чек',
  '<script>',
  '"',
  '%',
  '_',
  '\\',
  '=cmd',
  normalize('/2026/11/'),
  normalize('munchen/von'),
  'prufen',
  'REJECTED pdf',
  'hotel arger',
  'done muller söhne',
  '12,50',
  'nothing such',
];

type Filter = Omit<ListFilter, 'limit'>;

/** Each filter alone, and some combinations. */
function filtersOf({ endpoints, folders, until }: Office): Record<string, Filter> {
  const week = 7 * 24 * 3_600_000;
  const office = endpoints.office;
  const named = (kind: string, filters: readonly [string, Filter][]) =>
    filters.map(([name, filter]) => [`${kind} ${name}`, filter] as const);
  return Object.fromEntries([
    ['nothing', {}],
    ...named(
      'state',
      LIST_STATES.map((state) => [state, { states: [state] }]),
    ),
    ...named(
      'endpoint',
      Object.entries(endpoints).map(([name, endpoint]) => [name, { endpoint }]),
    ),
    ...named(
      'folder',
      Object.entries(folders).map(([name, folder]) => [name, { folder }]),
    ),
    ...named(
      'text',
      SEARCHES.map((search) => [JSON.stringify(search), { search }]),
    ),
    ['the first week', { until: until - 5 * week }],
    ['the last week', { since: until - week }],
    ['a week between', { since: until - 3 * week, until: until - 2 * week }],
    ['a time before all', { until: 0 }],
    ['what needs a person', { attention: 'needed' }],
    [
      'what needs a person in one folder and state',
      { attention: 'needed', states: ['rejected'], folder: folders.paused },
    ],
    ['what was dismissed', { attention: 'dismissed' }],
    ['what needs nobody', { attention: 'none' }],
    [
      'what needs nobody in some states',
      { attention: 'none', states: ['failed', 'lost', 'rejected', 'skipped'] },
    ],
    ['what a person has to look at', { states: ['failed', 'unconfirmed', 'lost', 'rejected'] }],
    ['what waits in one folder', { states: ['queued', 'held', 'uploading'], folder: folders.paused }],
    ['documents of a folder and a time', { endpoint: office, folder: folders.paused, since: until - week }],
    ['statuses of the service', { statuses: ['<b>prüfen</b>\u202e', 'EN_COURS', 'none such'] }],
    ['a status in one folder', { statuses: ['DONE'], folder: folders.paused }],
    ['an amount', { values: [{ pointer: '/total', from: '100', to: '300.5' }] }],
    ['an amount as it is written', { values: [{ pointer: '/total', contains: ',50 €' }] }],
    [
      'a merchant and days',
      {
        values: [
          { pointer: '/receipt/merchant', contains: 'ARGER hotel' },
          { pointer: '/receipt/date', from: '2026-10-15', to: '2026-11-15' },
        ],
      },
    ],
    ['a value that was never posted', { values: [{ pointer: '/a"b', from: '1' }] }],
    ['a value beside words', { values: [{ pointer: '/total' }], search: 'done scan' }],
    ['duplicates of one endpoint by name', { states: ['duplicate'], endpoint: office, search: 'SCAN' }],
  ]);
}

/** Compares lists and pages of the messy office with the same rows filtered in memory. */
export function describeListingContract(name: string, create: () => Promise<LedgerPlace>): void {
  describe(`${name} lists the messy office`, () => {
    const office = messyOffice({ size: SIZE });
    let place: LedgerPlace;
    let ledger: Ledger;
    let all: readonly ExpectedRow[];

    beforeAll(async () => {
      place = await create();
      ledger = await place.open(office.accountOf);
      await recordOffice(ledger, office);
      // As the platform writes paths.
      all = expectedRows(office).map((row) => ({ ...row, path: normalize(row.path) }));
    }, FILL_TIMEOUT_MS);
    afterAll(async () => {
      await ledger?.close();
      await place?.remove();
    });

    /** A shared ledger says by its own clock when a request left and ended. */
    const timed = <Row extends Pick<ListRow, 'sentAt' | 'acceptedAt'>>({
      sentAt,
      acceptedAt,
      ...row
    }: Row) => ({
      ...row,
      sentAt: ledger.fleet === null ? sentAt : sentAt !== null,
      acceptedAt: ledger.fleet === null ? acceptedAt : acceptedAt !== null,
    });
    const shown = (row: ListRow) => timed(comparable(row));

    /** Every page, to the end. */
    async function walk(filter: Filter, order: ListOrder, limit: number): Promise<ListRow[]> {
      const rows: ListRow[] = [];
      let cursor: string | undefined;
      let searched = order === 'oldest' ? -Infinity : Infinity;
      for (;;) {
        const wanted = { order, limit, withinMs: 60_000, ...(cursor !== undefined && { cursor }) };
        const page = await ledger.page(filter, wanted);
        rows.push(...page.rows);
        expect(page.next === null).toBe(page.lookedUntil === null);
        if (page.next === null || page.lookedUntil === null) return rows;
        // The cursor's time is valid and never goes back.
        expect(new Date(page.lookedUntil).toISOString()).toMatch(/^20/);
        expect(order === 'oldest' ? page.lookedUntil >= searched : page.lookedUntil <= searched).toBe(true);
        expect(page.rows).toHaveLength(limit);
        searched = page.lookedUntil;
        cursor = page.next;
      }
    }

    it('has rows of every state', () => {
      expect(new Set(all.map(({ state }) => state))).toEqual(new Set(LIST_STATES));
      expect(all.length).toBeGreaterThan(SIZE * 0.9);
    });

    it.each(Object.entries(filtersOf(office)).map(([what, filter], at) => [what, filter, at] as const))(
      'filters by %s, in both orders, page by page',
      async (_, filter, at) => {
        const expected = all.filter((row) => passes(row, filter));
        const listed: ListRow[] = [];
        for await (const row of ledger.list(filter)) listed.push(row);
        expect(listed.map(shown)).toEqual(expected.map(withoutFolder).map(timed));
        for (const [turn, order] of ORDERS.entries()) {
          const paged = await walk(filter, order, PAGES[(at + turn) % PAGES.length]!);
          expect(paged.map(shown)).toEqual(inOrder(expected, order).map(withoutFolder).map(timed));
        }
      },
    );

    it('goes from each document to its neighbours in a list, skipping documents that are not in it', async () => {
      const states = LIST_STATES.filter((state) => state !== 'accepted' && state !== 'queued');
      const listed: ListRow[] = [];
      for await (const row of ledger.list({})) if (row.fileId === null) listed.push(row);
      const ids = listed.map(({ documentId }) => documentId);
      for (const filter of [
        {},
        { states },
        { folder: office.folders['front desk'] },
        { search: 'scan' },
      ] as Filter[]) {
        const meant = new Set<number | null>();
        for await (const row of ledger.list(filter)) if (row.fileId === null) meant.add(row.documentId);
        for (const [at, id] of ids.entries()) {
          if (id === null || (at % 41 !== 0 && at !== ids.length - 1)) continue;
          const isMeant = (each: number | null) => meant.has(each);
          const newer = ids.slice(at + 1).find(isMeant) ?? null;
          const older = ids.slice(0, at).findLast(isMeant) ?? null;
          const request = { id, ...(filter as Pick<Filter, 'states' | 'folder' | 'search'>) };
          const asked = { ...request, states: request.states && [...request.states] };
          const order = at % 2 === 0 ? 'newest' : 'oldest';
          const [previous, next] = order === 'newest' ? [newer, older] : [older, newer];
          expect(await neighboursOf(ledger, { ...asked, order })).toEqual({ previous, next });
        }
      }
    });

    it('counts what each filter lists', async () => {
      for (const [name, whole] of Object.entries(filtersOf(office))) {
        const { since, until, ...filter } = whole;
        const request = {
          ...filter,
          states: filter.states && [...filter.states],
          statuses: filter.statuses && [...filter.statuses],
          values: filter.values && [...filter.values],
          ...(since !== undefined && { since: new Date(since).toISOString() }),
          ...(until !== undefined && { until: new Date(until).toISOString() }),
        };
        let counted = 0;
        let cursor: string | undefined;
        do {
          const { count, next } = await countDocuments(ledger, { ...request, cursor });
          counted += count;
          cursor = next ?? undefined;
        } while (cursor !== undefined);
        const expected = all.filter((row) => passes(row, whole)).length;
        expect([name, counted]).toEqual([name, expected]);
      }
    });

    it('tallies what each filter lists, in parts of any size', async () => {
      for (const [at, [name, filter]] of Object.entries(filtersOf(office)).entries()) {
        const counted: Record<string, number> = {};
        // Many small parts take their time.
        const parts = at % 4 === 0 ? [60_000, 0] : [60_000];
        for (const withinMs of parts) {
          let cursor: string | undefined;
          do {
            const wanted = { withinMs, ...(cursor !== undefined && { cursor }) };
            const { rows, next } = await ledger.tally(filter, wanted);
            for (const { endpoint, folder, state, status, at, count } of rows) {
              const key = JSON.stringify([endpoint?.uid ?? null, folder, state, status, at]);
              counted[key] = (counted[key] ?? 0) + count;
            }
            cursor = next ?? undefined;
          } while (cursor !== undefined);
        }
        const expected: Record<string, number> = {};
        for (const { endpointUid, folder, state, status, createdAt } of all.filter((row) =>
          passes(row, filter),
        )) {
          const at = Math.floor(Date.parse(createdAt) / 900_000) * 900_000;
          const key = JSON.stringify([endpointUid, folder, state, status, at]);
          expected[key] = (expected[key] ?? 0) + parts.length;
        }
        expect([name, counted]).toEqual([name, expected]);
      }
    });

    it('counts what it lists', async () => {
      const listed = countsOf(all.map(({ folder, state, endpointUid }) => [endpointUid, folder, state]));
      const counts = await ledger.counts();
      const counted: Record<string, number> = {};
      for (const { endpoint, folder, state, count } of counts) {
        const key = keyOf([endpoint?.uid ?? null, folder, state]);
        counted[key] = (counted[key] ?? 0) + count;
      }
      expect(counted).toEqual(listed);
      const isDocument = (state: string): boolean => DOCUMENT_STATES.some((each) => each === state);
      expect(await ledger.documentCounts()).toEqual(
        counts.filter(({ state }) => state === 'held' || isDocument(state)),
      );
      const needing = counts.filter(({ needsPerson }) => needsPerson);
      expect(needing.reduce((sum, { count }) => sum + count, 0)).toBe(
        all.filter(({ needsPerson }) => needsPerson).length,
      );
    });

    it('shows every listed document with its attempts and files', async () => {
      for await (const row of ledger.list({})) {
        if (row.documentId === null) continue;
        const detail = await ledger.detail(row.documentId);
        expect(detail?.document).toMatchObject({ name: row.name, sha256: row.sha256 });
        // A duplicate was never sent itself.
        const attempts = row.state === 'duplicate' ? 0 : detail?.attempts.length;
        expect(attempts).toBe(row.attempts);
      }
    });
  });
}

type Key = readonly [uid: string | null, folder: string, state: string];

function keyOf([uid, folder, state]: Key): string {
  return `${uid} ${folder} ${state}`;
}

function countsOf(keys: readonly Key[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[keyOf(key)] = (counts[keyOf(key)] ?? 0) + 1;
  return counts;
}

function comparable({ documentId, fileId, ...row }: ListRow): Omit<ListRow, 'documentId' | 'fileId'> {
  expect(documentId ?? fileId).not.toBeNull();
  // Every row with a name belongs to a document.
  expect(documentId === null).toBe(row.name === null);
  return row;
}

function withoutFolder({ folder, ...row }: ExpectedRow): Omit<ListRow, 'documentId' | 'fileId'> {
  expect(row.path.startsWith(normalize(folder))).toBe(true);
  return row;
}

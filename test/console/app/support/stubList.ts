import type { Response } from '../../../../src/control/protocol/protocol.ts';
import type { DocumentFilter } from '../../../../src/control/protocol/documents.ts';
import type { ListFilter } from '../../../../src/core/ports/ledgerReports.ts';
import { isFound, searchWords } from '../../../../src/core/domain/search.ts';
import type { OverviewResponse } from '../../../../src/control/protocol/overview.ts';
import { facetsOf } from '../../../../src/control/queries/facets.ts';
import type { Request } from '../../../../src/control/protocol/protocol.ts';
import { isValueMeant } from '../../../../src/core/domain/valueFilter.ts';
import { BASE_URL, type Row } from './stubData.ts';

/** Like the ledger, a search ends after some rows, whether or not it found anything. */
const LOOKED_AT = 250;

export function counts(rows: readonly Row[]): OverviewResponse['counts'] {
  const found = new Map<string, OverviewResponse['counts'][number]>();
  for (const { folder, state, endpointUid, needsPerson } of rows) {
    const key = `${folder}|${state}|${endpointUid}|${needsPerson}`;
    const its = found.get(key) ?? {
      endpoint: endpointUid === null ? null : { baseUrl: BASE_URL, uid: endpointUid },
      folder,
      state,
      count: 0,
      ...(needsPerson && { needsPerson }),
    };
    found.set(key, { ...its, count: its.count + 1 });
  }
  return [...found.values()];
}

type Ask = DocumentFilter & {
  order?: 'newest' | 'oldest' | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

export function isMeant(
  row: Row,
  { states, endpoint, folder, search = '', since, until, attention, statuses, values = [] }: DocumentFilter,
): boolean {
  return (
    (states === undefined || states.includes(row.state)) &&
    (endpoint === undefined || (row.endpointUid === endpoint.uid && row.baseUrl === endpoint.baseUrl)) &&
    (folder === undefined || row.folder === folder) &&
    (attention === undefined ||
      { needed: row.needsPerson, dismissed: row.dismissedAt !== null, none: !row.needsPerson }[attention]) &&
    (statuses === undefined || (row.status !== null && statuses.includes(row.status))) &&
    values.every((wanted) => isValueMeant(row.posted, wanted)) &&
    isFound(row, searchWords(search)) &&
    (since === undefined || row.createdAt >= since) &&
    (until === undefined || row.createdAt < until)
  );
}

export function page(
  all: readonly Row[],
  { order, cursor, limit = 50, ...filter }: Ask,
): Response<'documents'> {
  const ordered = order === 'oldest' ? all.toReversed() : all;
  // A cursor identifies a row, whatever has arrived since.
  const from = cursor === undefined ? 0 : ordered.findIndex(({ path }) => path === cursor) + 1;
  const rows: Row[] = [];
  let at = from;
  for (; at < ordered.length && at - from < LOOKED_AT && rows.length < limit; at += 1) {
    const row = ordered[at];
    if (row !== undefined && isMeant(row, filter)) rows.push(row);
  }
  const last = ordered[at - 1];
  return {
    // The check of the answer removes extra fields.
    rows,
    next: at < ordered.length && last !== undefined ? last.path : null,
    lookedUntil: last?.createdAt ?? null,
  };
}

/** The program's own counts, over these rows. */
export function facets(all: readonly Row[], request: Request<'facets'>): Promise<Response<'facets'>> {
  const tally = async ({ since, until, ...rest }: Omit<ListFilter, 'limit'>) => {
    const filter = {
      ...rest,
      states: rest.states && [...rest.states],
      statuses: rest.statuses && [...rest.statuses],
      values: rest.values && [...rest.values],
      ...(since !== undefined && { since: new Date(since).toISOString() }),
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    };
    const rows = all
      .filter((row) => isMeant(row, filter))
      .map(({ folder, endpointUid: uid, state, status, createdAt }) => ({
        folder,
        endpoint: uid === null ? null : { baseUrl: BASE_URL, uid },
        state,
        status,
        at: Date.parse(createdAt),
        count: 1,
      }));
    return { rows, next: null };
  };
  return facetsOf({ tally }, request);
}

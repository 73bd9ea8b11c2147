import { VERDICTS } from '../../core/domain/document.ts';
import { isFound, searchWords } from '../../core/domain/search.ts';
import { isNeeding, NEEDING_STATES } from '../../core/domain/needsPerson.ts';
import { isValueMeant } from '../../core/domain/valueFilter.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { ListFilter, ListOrder, ListRow, ListState } from '../../core/ports/ledgerReports.ts';
import { documentRow, fileRow } from './listedRows.ts';
import { needlesOf } from './needles.ts';
import { QUARTER_MS, type Conditions, type ListSource, type ReadRows, type ReadTally } from './source.ts';
import type { Position, ReadWindow } from './walk.ts';

/** What a filter needs from the ledger. */
export interface Queries {
  readonly holds: readonly Hold[];
  /** Documents, and files that have no document of their own. Null if the filter excludes all of them. */
  readonly documents: Query | null;
  readonly files: Query | null;
  /** The position before the first row, in this order. */
  readonly beginning: Position;
  /** The first time outside the wanted range. */
  readonly stop: number;
}

export interface Query {
  readonly read: ReadWindow;
  readonly tally: ReadTally;
}

export async function queriesOf(
  source: ListSource,
  filter: ListFilter,
  order: ListOrder,
  spanMs = QUARTER_MS,
): Promise<Queries> {
  const { folder, endpoint, search = '', since, until, attention, statuses, values } = filter;
  const { accountOf } = source;
  const states = statesWanted(filter);
  const holds = await source.holds();
  const first = since ?? Number.MIN_SAFE_INTEGER;
  const to = until ?? Number.MAX_SAFE_INTEGER;
  const isOldest = order === 'oldest';
  const conditions: Conditions = {
    // `held` is a queued document under a hold.
    states: states?.map((state) => (state === 'held' ? 'queued' : state)) ?? null,
    statuses: statuses ?? null,
    folder: folder ?? null,
    endpoint: endpoint ?? null,
    needles: search === '' ? [] : needlesOf(search, holds, await source.folders()),
    values: values ?? [],
    attention: attention ?? null,
  };
  const documents = documentsWanted(filter);
  return {
    holds,
    documents: documents && {
      read: listed(source.documents(documents, conditions), (row) => documentRow(row, holds, accountOf)),
      tally: source.tallies(documents, conditions, spanMs),
    },
    files: filesWanted(filter)
      ? {
          read: listed(source.files(conditions), fileRow),
          tally: source.tallies('files', conditions, spanMs),
        }
      : null,
    beginning: { at: isOldest ? first : to, id: Number.MIN_SAFE_INTEGER },
    stop: isOldest ? to : first - 1,
  };
}

function listed<Row extends { readonly createdAt: number; readonly id: number; readonly folder: string }>(
  read: ReadRows<Row>,
  toRow: (row: Row) => ListRow,
): ReadWindow {
  return async (wanted) => {
    const { rows, looked } = await read(wanted);
    return {
      rows: rows.map((row) => ({ at: row.createdAt, id: row.id, folder: row.folder, row: toRow(row) })),
      looked,
    };
  };
}

/** Checks exactly what SQL checks only roughly. */
export function isMeantBy({ states, search = '', values = [] }: ListFilter): (row: ListRow) => boolean {
  const words = searchWords(search);
  return (row) =>
    // Only the holds tell whether a queued document is held.
    (states === undefined || states.includes(row.state)) &&
    isFound(row, words) &&
    values.every((wanted) => isValueMeant(row.posted, wanted));
}

/** A filter by attention leaves only the states in which a person may be needed, or may have been. */
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

function filesWanted(filter: ListFilter): boolean {
  const states = statesWanted(filter);
  return states === undefined || states.some(isVerdict);
}

const OF_FILES: ReadonlySet<string> = new Set(VERDICTS.filter((verdict) => verdict !== 'document'));

function isVerdict(state: ListState): boolean {
  return OF_FILES.has(state);
}

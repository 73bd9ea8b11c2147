import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { LedgerReports, TallyRow } from '../../core/ports/ledgerReports.ts';
import type { Request, Response } from '../protocol/protocol.ts';
import { listFilter, PAGE_MS } from './documents.ts';

type Facets = Response<'facets'>;

/** Counts all facets in one pass through the ledger. @throws ReceiptdError USAGE */
export async function facetsOf(
  ledger: Pick<LedgerReports, 'tally'>,
  { zone, by, cursor, ...request }: Request<'facets'>,
  signal?: AbortSignal,
): Promise<Facets> {
  const periodOf = periodsIn(zone, by);
  const { states, folder, endpoint, statuses, ...beyond } = listFilter(request);
  const { rows, next } = await ledger.tally(beyond, {
    withinMs: PAGE_MS,
    signal,
    isHourly: hasWholeHours(zone),
    ...(cursor !== undefined && { cursor }),
  });
  const conditions = {
    states: (row: TallyRow) => states === undefined || states.includes(row.state),
    folders: (row: TallyRow) => folder === undefined || row.folder === folder,
    endpoints: ({ endpoint: its }: TallyRow) =>
      endpoint === undefined || (its !== null && endpointId(its) === endpointId(endpoint)),
    statuses: ({ status }: TallyRow) =>
      statuses === undefined || (status !== null && statuses.includes(status)),
  };
  type Name = keyof typeof conditions;
  const names = Object.keys(conditions) as Name[];
  const counts = {
    states: new Counts<TallyRow['state']>(String),
    folders: new Counts<string>(String),
    endpoints: new Counts<EndpointKey>(endpointId),
    statuses: new Counts<string>(String),
    periods: new Counts<string>(String),
  };
  let total = 0;
  for (const row of rows) {
    const failed = names.filter((name) => !conditions[name](row));
    const [only] = failed;
    if (failed.length > 1) continue;
    const isIn = (name: Name) => only === undefined || only === name;
    if (isIn('states')) counts.states.add(row.state, row.count);
    if (isIn('folders')) counts.folders.add(row.folder, row.count);
    if (isIn('endpoints') && row.endpoint !== null) counts.endpoints.add(row.endpoint, row.count);
    if (isIn('statuses') && row.status !== null) counts.statuses.add(row.status, row.count);
    if (only !== undefined) continue;
    total += row.count;
    counts.periods.add(periodOf(row.at), row.count);
  }
  return {
    total,
    states: counts.states.list,
    folders: counts.folders.list,
    endpoints: counts.endpoints.list,
    statuses: counts.statuses.list,
    periods: counts.periods.list,
    next,
  };
}

class Counts<T> {
  readonly #keyOf: (value: T) => string;
  readonly #all = new Map<string, { value: T; count: number }>();

  constructor(keyOf: (value: T) => string) {
    this.#keyOf = keyOf;
  }

  get list(): { value: T; count: number }[] {
    return [...this.#all.values()];
  }

  add(value: T, count: number): void {
    const key = this.#keyOf(value);
    this.#all.set(key, { value, count: count + (this.#all.get(key)?.count ?? 0) });
  }
}

/** Whether the zone's offset from UTC is a whole number of hours all year, so that hourly counts add up to its days. */
function hasWholeHours(timeZone: string): boolean {
  const minutes = new Intl.DateTimeFormat('en', { timeZone, minute: 'numeric' });
  const year = new Date().getUTCFullYear();
  return Array.from({ length: 12 }, (_, month) => Date.UTC(year, month)).every(
    (at) => Number(minutes.format(at)) === 0,
  );
}

function periodsIn(zone: string, by: 'day' | 'month'): (at: number) => string {
  const known = new Map<number, string>();
  const format = dayFormat(zone);
  return (at) => {
    const found = known.get(at) ?? format.format(at).slice(0, by === 'day' ? 10 : 7);
    known.set(at, found);
    return found;
  };
}

/** Uses the Swedish locale, which writes dates as in ISO 8601. Without a zone: local days. */
export function dayFormat(timeZone?: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  } catch {
    throw new ReceiptdError('USAGE.timeZone', { timeZone: timeZone ?? '' });
  }
}

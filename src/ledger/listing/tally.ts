import type { ListFilter, Tally, TallyRow, TallyWanted } from '../../core/ports/ledgerReports.ts';
import { holdOver, isHeld } from '../holdOver.ts';
import { cursorOf, startOf } from './cursor.ts';
import { isWhollyNeedles } from './needles.ts';
import { isMeantBy, queriesOf, type Query } from './queries.ts';
import { HOUR_MS, QUARTER_MS, type ListSource, type TalliedRow } from './source.ts';
import { endOf, LARGEST_WINDOW, type Listed, type Position, type WindowWanted } from './walk.ts';

/** Reading this many rows takes no longer than counting them. */
const FEW = 500;

/** Counts the rows of `list` by kind, as far as time allows. Reads rows only where SQL can't decide. */
export async function tally(
  source: ListSource,
  filter: Omit<ListFilter, 'limit'>,
  { cursor, withinMs, signal, isHourly = false }: TallyWanted,
): Promise<Tally> {
  const spanMs = isHourly ? HOUR_MS : QUARTER_MS;
  const endsAt = performance.now() + withinMs;
  const { documents, files, holds, beginning, stop } = await queriesOf(source, filter, 'newest', spanMs);
  const isMeant = isMeantBy(filter);
  const { search = '', values = [], states } = filter;
  const canDecide = values.length === 0 && isWhollyNeedles(search);
  const isUnsure = ({ isUnsure: isPartly, state }: TalliedRow): boolean =>
    Boolean(isPartly) || (state === 'queued' && holds.length > 0 && search !== '');
  const toTallyRow = ({ folder, baseUrl, uid, state, status, span, count }: TalliedRow): TallyRow => {
    const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
    const held =
      state === 'queued' && endpoint !== null && isHeld(holdOver(holds, endpoint, folder, source.accountOf));
    return { folder, endpoint, state: held ? 'held' : state, status, at: span * spanMs, count };
  };
  const groups = new Groups();
  /** Queries whose last window had few matching rows and had to be read after all: the next one is not counted first. */
  const rare = new Set<Query>();
  const look = async (query: Query, start: Position): Promise<Position | null> => {
    const { read, tally: count } = query;
    const end = endOf('newest', stop);
    const wanted: WindowWanted = { order: 'newest', start, size: LARGEST_WINDOW, stop, end };
    if (canDecide && !rare.has(query)) {
      const { rows, looked } = await count(wanted);
      if (!rows.some(isUnsure)) {
        for (const row of rows.map(toTallyRow))
          if (states === undefined || states.includes(row.state)) groups.add(row);
        return looked;
      }
    }
    const { rows, looked } = await read(wanted);
    if (rows.length > FEW) rare.delete(query);
    else rare.add(query);
    for (const listed of rows) if (isMeant(listed.row)) groups.add(ofListed(listed, spanMs));
    return looked;
  };
  const isUp = (): boolean => performance.now() >= endsAt || signal?.aborted === true;
  const walk = async (query: Query, from: Position | null): Promise<Position | null> => {
    let place = from;
    for (let isFirst = true; place && (isFirst || !isUp()); isFirst = false) place = await look(query, place);
    return place;
  };
  const [documentsFrom, filesFrom] = startOf(cursor, beginning);
  const left = await Promise.all([
    documents && walk(documents, documentsFrom),
    files && walk(files, filesFrom),
  ]);
  return { rows: groups.rows, next: left.every((place) => place === null) ? null : cursorOf(left) };
}

class Groups {
  readonly #all = new Map<string, TallyRow>();

  get rows(): readonly TallyRow[] {
    return [...this.#all.values()];
  }

  add(row: TallyRow): void {
    const { folder, endpoint, state, status, at } = row;
    const said = status === null ? '' : `=${status}`;
    const key = [folder, endpoint?.baseUrl, endpoint?.uid, state, said, at].join('\0');
    this.#all.set(key, { ...row, count: row.count + (this.#all.get(key)?.count ?? 0) });
  }
}

function ofListed(
  { at, folder, row: { baseUrl, endpointUid: uid, state, status } }: Listed,
  spanMs: number,
): TallyRow {
  const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
  return { folder, endpoint, state, status, at: at - (at % spanMs), count: 1 };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListFilter, Tally, TallyRow, TallyWanted } from '../../core/ports/ledgerReports.ts';
import { holdOver, isHeld } from '../holdOver.ts';
import { cursorOf, startOf } from './cursor.ts';
import { isWhollyNeedles } from './needles.ts';
import { isMeantBy, queriesOf, type Query } from './queries.ts';
import { TALLY_SPAN_MS, type ListSource, type TalliedRow } from './source.ts';
import { endOf, type Listed, type Position, type WindowWanted } from './walk.ts';

/** Rows that are looked at in one read: no turn of the event loop lasts longer. */
const WINDOW = 10_000;

/** How many rows `list` has of each kind, as far as the time goes. Rows themselves are read only where SQL can't decide. */
export async function tally(
  source: ListSource,
  filter: Omit<ListFilter, 'limit'>,
  { cursor, withinMs }: TallyWanted,
): Promise<Tally> {
  const endsAt = performance.now() + withinMs;
  const { documents, sightings, holds, beginning, stop } = await queriesOf(source, filter, 'newest');
  const places = [...startOf(cursor, beginning)];
  const isMeant = isMeantBy(filter);
  const { search = '', values = [], states } = filter;
  const canDecide = values.length === 0 && isWhollyNeedles(search);
  const isUnsure = ({ isUnsure: isPartly, state }: TalliedRow): boolean =>
    Boolean(isPartly) || (state === 'queued' && holds.length > 0 && search !== '');
  const toTallyRow = ({ folder, baseUrl, uid, state, status, span, count }: TalliedRow): TallyRow => {
    const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
    const held =
      state === 'queued' && endpoint !== null && isHeld(holdOver(holds, endpoint, folder, source.accountOf));
    return { folder, endpoint, state: held ? 'held' : state, status, at: span * TALLY_SPAN_MS, count };
  };
  const groups = new Groups();
  const look = async ({ read, tally: count }: Query, start: Position): Promise<Position | null> => {
    const wanted: WindowWanted = { order: 'newest', start, size: WINDOW, stop, end: endOf('newest', stop) };
    if (canDecide) {
      const { rows, looked } = await count(wanted);
      if (!rows.some(isUnsure)) {
        for (const row of rows.map(toTallyRow))
          if (states === undefined || states.includes(row.state)) groups.add(row);
        return looked;
      }
    }
    const { rows, looked } = await read(wanted);
    for (const listed of rows) if (isMeant(listed.row)) groups.add(ofListed(listed));
    return looked;
  };
  const queries = [documents, sightings];
  for (;;) {
    const index = places.findIndex((place, at) => place !== null && queries[at] !== null);
    const [query, start] = [queries[index], places[index]];
    if (!query || !start) return { rows: groups.rows, next: null };
    places[index] = await look(query, start);
    if (performance.now() >= endsAt) return { rows: groups.rows, next: cursorOf(places) };
    await nextTurn();
  }
}

class Groups {
  readonly #all = new Map<string, TallyRow>();

  get rows(): readonly TallyRow[] {
    return [...this.#all.values()];
  }

  add(row: TallyRow): void {
    const { folder, endpoint, state, status, at } = row;
    const key = JSON.stringify([folder, endpoint?.baseUrl, endpoint?.uid, state, status, at]);
    this.#all.set(key, { ...row, count: row.count + (this.#all.get(key)?.count ?? 0) });
  }
}

function ofListed({ at, folder, row: { baseUrl, endpointUid: uid, state, status } }: Listed): TallyRow {
  const endpoint = baseUrl === null || uid === null ? null : { baseUrl, uid };
  return { folder, endpoint, state, status, at: at - (at % TALLY_SPAN_MS), count: 1 };
}

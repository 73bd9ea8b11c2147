import type { AccountOf } from '../../core/domain/account.ts';
import type { ListedDocument, ListedSighting } from '../listing/listedRows.ts';
import { isPartOfHash, statesNamed, valueNeedles } from '../listing/needles.ts';
import {
  QUARTER_MS,
  type Along,
  type Conditions,
  type ListSource,
  type TalliedRow,
} from '../listing/source.ts';
import { isInside, LARGEST_WINDOW, type Position, type WindowWanted } from '../listing/walk.ts';
import { holdsOf } from './holds.ts';
import type { Places } from './places.ts';
import type { Reading } from './reading.ts';
import * as SQL from './sql/list.ts';
import type { Params } from './statements.ts';

/** With this many matches in a window, a page is full before the next window is needed. */
const FEW = 500;

const WALKS: Readonly<Record<Along, SQL.Walks>> = {
  documents: SQL.DOCUMENTS,
  unsettled: SQL.UNSETTLED_DOCUMENTS,
  sightings: SQL.SIGHTINGS,
};

export function listSource(ledger: Reading, accountOf: AccountOf): ListSource {
  const { places } = ledger;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  const inWindow = <Row extends { readonly folder: string }>(
    along: Along,
    conditions: Conditions,
    what: 'rows' | 'tally',
    spanMs = QUARTER_MS,
  ): ((wanted: WindowWanted) => Promise<Found<Row>>) => {
    const params = paramsOf(places, along, conditions);
    const counts = { needles: conditions.needles.length, values: conditions.values.length, spanMs };
    return readAhead((wanted) => {
      const { order, start, size, end } = wanted;
      const text = WALKS[along][order];
      const { at, id } = start;
      const looked = ledger.read(async (sql) => {
        const found = await sql.get<Position>(text.windowEnd, { at, id, size });
        return isInside(found, wanted) ? { at: found.at, id: found.id } : null;
      });
      const rows = looked.then((inside) =>
        ledger.read(async (sql) => {
          const last = inside ?? end;
          const bounds = { at, id, lastAt: last.at, lastId: last.id };
          const found = await sql.all<Row & { readonly place: string }>(text[what](counts), {
            ...bounds,
            ...params,
          });
          return found.map((row) => ({ ...row, folder: places.toFolder(row.place, row.folder) }));
        }),
      );
      // The caller that awaits `rows` gets the error; this only prevents an unhandled rejection.
      rows.catch(() => {});
      return { wanted, looked, rows };
    });
  };
  return {
    accountOf,
    holds: () => ledger.read((sql) => holdsOf(sql, places)),
    folders: () =>
      ledger.read(async (sql) => {
        const rows = await sql.all<{ id: number; place: string; path: string }>(SQL.FOLDERS);
        return rows.map(({ id, place, path }) => ({ id, path: places.toFolder(place, path) }));
      }),
    documents: (along, conditions) => inWindow<ListedDocument>(along, conditions, 'rows'),
    sightings: (conditions) => inWindow<ListedSighting>('sightings', conditions, 'rows'),
    tallies: (along, conditions, spanMs) => inWindow<TalliedRow>(along, conditions, 'tally', spanMs),
  };
}

interface Found<Row> {
  readonly rows: Row[];
  readonly looked: Position | null;
}

/** A window being read: its end is known before its rows. */
interface Begun<Row> {
  readonly wanted: WindowWanted;
  readonly looked: Promise<Position | null>;
  readonly rows: Promise<Row[]>;
}

/**
 * Reads ahead for searches with few matches: the server reads the next window at the same time, on another of its
 * processors. A caller that stops or continues elsewhere has cost the server one window.
 */
function readAhead<Row>(
  begin: (wanted: WindowWanted) => Begun<Row>,
): (wanted: WindowWanted) => Promise<Found<Row>> {
  let ahead: Begun<Row> | null = null;
  let isRare = false;
  return async (wanted) => {
    const now = ahead !== null && isSame(ahead.wanted, wanted) ? ahead : begin(wanted);
    ahead = null;
    const looked = await now.looked;
    if (isRare && looked !== null && wanted.size === LARGEST_WINDOW)
      ahead = begin({ ...wanted, start: looked });
    const rows = await now.rows;
    isRare = rows.length < FEW;
    return { rows, looked };
  };
}

function isSame(one: WindowWanted, other: WindowWanted): boolean {
  return (
    one.order === other.order &&
    one.size === other.size &&
    one.stop === other.stop &&
    one.start.at === other.start.at &&
    one.start.id === other.start.id
  );
}

function paramsOf(
  places: Places,
  along: Along,
  { states, statuses, folder, endpoint, needles, values, attention }: Conditions,
): Params {
  return {
    states,
    statuses,
    ...(folder === null ? { place: null, folder } : places.ofFolder(folder)),
    baseUrl: endpoint?.baseUrl ?? null,
    uid: endpoint?.uid ?? null,
    attention,
    ...Object.fromEntries(
      needles.flatMap(({ text, folders, ofHeld }, n) => [
        [`needle${n}`, text],
        [`folders${n}`, folders],
        [`hash${n}`, isPartOfHash(text) ? text : null],
        [`named${n}`, statesNamed(text)],
        ...(along === 'sightings' ? [] : [[`held${n}`, ofHeld] as const]),
      ]),
    ),
    ...Object.fromEntries(
      values.flatMap((value, n) => {
        const { key, word, from, to } = valueNeedles(value);
        return [
          [`pointer${n}`, key],
          [`at${n}`, value.pointer],
          [`word${n}`, word],
          [`from${n}`, from],
          [`to${n}`, to],
        ];
      }),
    ),
  };
}

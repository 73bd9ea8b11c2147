import { setImmediate as nextTurn } from 'node:timers/promises';
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
import type { KnownFolder } from '../listing/needles.ts';
import { isInside, type Position, type WindowWanted } from '../listing/walk.ts';
import { allHolds } from './holds.ts';
import * as SQL from './sql/list.ts';
import type { Params } from './statements.ts';
import type { Store } from './store.ts';

const WALKS: Readonly<Record<Along, SQL.Walks>> = {
  documents: SQL.DOCUMENTS,
  unsettled: SQL.UNSETTLED_DOCUMENTS,
  sightings: SQL.SIGHTINGS,
};

export function listSource(store: Store, accountOf: AccountOf): ListSource {
  let turn = Promise.resolve();
  /** Reads one window per turn of the event loop, for all callers together, so that nothing else waits for two. */
  const ownTurn = (): Promise<void> => (turn = turn.then(() => nextTurn()));
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  const inWindow = <Row>(
    along: Along,
    conditions: Conditions,
    what: 'rows' | 'tally',
    spanMs = QUARTER_MS,
  ): ((wanted: WindowWanted) => Promise<{ rows: Row[]; looked: Position | null }>) => {
    const params = paramsOf(along, conditions);
    const counts = { needles: conditions.needles.length, values: conditions.values.length, spanMs };
    return async (wanted) => {
      await ownTurn();
      return store.read((sql) => {
        const { order, start, size, end } = wanted;
        const text = WALKS[along][order];
        const { at, id } = start;
        const found = sql.get<Position>(text.windowEnd, { at, id, size });
        const inside = isInside(found, wanted);
        const last = inside ? found : end;
        const bounds = { at, id, lastAt: last.at, lastId: last.id };
        const rows = sql.all<Row>(text[what](counts), { ...bounds, ...params });
        return { rows, looked: inside ? { at: found.at, id: found.id } : null };
      });
    };
  };
  return {
    accountOf,
    holds: () => store.read(allHolds),
    folders: () => store.read((sql) => sql.all<KnownFolder>(SQL.FOLDERS)),
    documents: (along, conditions) => inWindow<ListedDocument>(along, conditions, 'rows'),
    sightings: (conditions) => inWindow<ListedSighting>('sightings', conditions, 'rows'),
    tallies: (along, conditions, spanMs) => inWindow<TalliedRow>(along, conditions, 'tally', spanMs),
  };
}

/** Null if there are none. */
function listed(values: readonly unknown[]): string | null {
  return values.length > 0 ? JSON.stringify(values) : null;
}

function paramsOf(
  along: Along,
  { states, statuses, folder, endpoint, needles, values, attention }: Conditions,
): Params {
  return {
    states: states ? JSON.stringify(states) : null,
    statuses: statuses ? JSON.stringify(statuses) : null,
    folder,
    baseUrl: endpoint?.baseUrl ?? null,
    uid: endpoint?.uid ?? null,
    attention,
    ...Object.fromEntries(
      needles.flatMap(({ text, folders, ofHeld }, n) => [
        [`needle${n}`, text],
        [`folders${n}`, listed(folders)],
        [`hash${n}`, isPartOfHash(text) ? text : null],
        [`named${n}`, listed(statesNamed(text))],
        ...(along === 'sightings' ? [] : [[`held${n}`, Number(ofHeld)] as const]),
      ]),
    ),
    ...Object.fromEntries(
      values.map(valueNeedles).flatMap(({ key, word, from, to }, n) => [
        [`pointer${n}`, key],
        // SQLite's JSON paths can't express every key.
        [`at${n}`, /^"[^"\\]*"$/.test(key) ? `$.${key}` : null],
        [`word${n}`, word],
        [`from${n}`, from],
        [`to${n}`, to],
      ]),
    ),
  };
}

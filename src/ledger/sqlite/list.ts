import type { AccountOf } from '../../core/domain/account.ts';
import type { Along, Conditions, ListSource, ToListed } from '../listing/list.ts';
import type { KnownFolder } from '../listing/needles.ts';
import { isInside, type Position, type ReadWindow } from '../listing/walk.ts';
import { allHolds } from './holds.ts';
import * as SQL from './sql/reports.ts';
import type { Store } from './store.ts';

const WALKS: Readonly<Record<Along, SQL.Walks>> = {
  documents: SQL.DOCUMENTS,
  unsettled: SQL.UNSETTLED_DOCUMENTS,
  sightings: SQL.SIGHTINGS,
};

export function listSource(store: Store, accountOf: AccountOf): ListSource {
  return {
    accountOf,
    holds: () => store.read(allHolds),
    folders: () => store.read((sql) => sql.all<KnownFolder>(SQL.FOLDERS)),
    reads<Row>(
      along: Along,
      { states, folder, endpoint, needles, attention }: Conditions,
      toListed: ToListed<Row>,
    ): ReadWindow {
      const params = {
        states: states ? JSON.stringify(states) : null,
        folder,
        baseUrl: endpoint?.baseUrl ?? null,
        uid: endpoint?.uid ?? null,
        attention,
        ...Object.fromEntries(
          needles.flatMap(({ text, folders, ofHeld }, n) => [
            [`needle${n}`, text],
            [`folders${n}`, JSON.stringify(folders)],
            ...(along === 'sightings' ? [] : [[`held${n}`, Number(ofHeld)] as const]),
          ]),
        ),
      };
      return (wanted) =>
        store.read((sql) => {
          const { order, start, size, end } = wanted;
          const text = WALKS[along][order];
          const { at, id } = start;
          const found = sql.get<Position>(text.windowEnd, { at, id, size });
          const inside = isInside(found, wanted);
          const last = inside ? found : end;
          const rows = sql.all<Row>(text.rows(needles.length), {
            at,
            id,
            lastAt: last.at,
            lastId: last.id,
            ...params,
          });
          return { rows: rows.map(toListed), looked: inside ? { at: found.at, id: found.id } : null };
        });
    },
  };
}

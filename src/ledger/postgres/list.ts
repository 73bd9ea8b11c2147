import type { AccountOf } from '../../core/domain/account.ts';
import type { Along, Conditions, ListSource, ToListed } from '../listing/list.ts';
import { isInside, type Position, type ReadWindow } from '../listing/walk.ts';
import { holdsOf } from './holds.ts';
import type { Reading } from './reading.ts';
import * as SQL from './sql/reports.ts';

const WALKS: Readonly<Record<Along, SQL.Walks>> = {
  documents: SQL.DOCUMENTS,
  unsettled: SQL.UNSETTLED_DOCUMENTS,
  sightings: SQL.SIGHTINGS,
};

export function listSource(ledger: Reading, accountOf: AccountOf): ListSource {
  const { places } = ledger;
  return {
    accountOf,
    holds: () => ledger.read((sql) => holdsOf(sql, places)),
    folders: () =>
      ledger.read(async (sql) => {
        const rows = await sql.all<{ id: number; place: string; path: string }>(SQL.FOLDERS);
        return rows.map(({ id, place, path }) => ({ id, path: places.toFolder(place, path) }));
      }),
    reads<Row extends { readonly folder: string }>(
      along: Along,
      { states, folder, endpoint, needles, attention }: Conditions,
      toListed: ToListed<Row>,
    ): ReadWindow {
      const params = {
        states,
        ...(folder === null ? { place: null, folder } : places.ofFolder(folder)),
        baseUrl: endpoint?.baseUrl ?? null,
        uid: endpoint?.uid ?? null,
        attention,
        ...Object.fromEntries(
          needles.flatMap(({ text, folders, ofHeld }, n) => [
            [`needle${n}`, text],
            [`folders${n}`, folders],
            ...(along === 'sightings' ? [] : [[`held${n}`, ofHeld] as const]),
          ]),
        ),
      };
      return (wanted) =>
        ledger.read(async (sql) => {
          const { order, start, size, end } = wanted;
          const text = WALKS[along][order];
          const { at, id } = start;
          const found = await sql.get<Position>(text.windowEnd, { at, id, size });
          const inside = isInside(found, wanted);
          const last = inside ? found : end;
          const rows = await sql.all<Row & { readonly place: string }>(text.rows(needles.length), {
            at,
            id,
            lastAt: last.at,
            lastId: last.id,
            ...params,
          });
          return {
            rows: rows.map((row) => toListed({ ...row, folder: places.toFolder(row.place, row.folder) })),
            looked: inside ? { at: found.at, id: found.id } : null,
          };
        });
    },
  };
}

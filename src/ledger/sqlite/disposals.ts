import { firstOf, inOrder, toDisposal, type DisposalRow } from '../disposalRows.ts';
import type { LedgerDisposals } from '../../core/ports/ledgerDisposals.ts';
import type { OriginalsRule } from '../../core/ports/ledgerReports.ts';
import { identityParams } from '../rows.ts';
import { idFrom } from './numbers.ts';
import { ORIGINALS } from './sql/disposals.ts';
import { IS_AS_SEEN, LAST_SIGHTING_ID } from './sql/sightings.ts';
import type { Store } from './store.ts';

const FIRST_OF = [ORIGINALS.FIRST_SEEN, ORIGINALS.FIRST_SPLIT_SEEN];
const DISPOSABLE = [ORIGINALS.DISPOSABLE, ORIGINALS.DISPOSABLE_SPLIT];
const DISPOSABLE_ON = [ORIGINALS.DISPOSABLE_ON, ORIGINALS.DISPOSABLE_SPLIT_ON];

export function createDisposals(store: Store): LedgerDisposals {
  return {
    setOriginalsRule: (folder, rule, existing, at) =>
      store.write((sql) => {
        const current = sql.get<OriginalsRule>(ORIGINALS.ORIGINALS_RULE, { folder });
        if (current?.rule === rule) return current;
        const first =
          existing === 'new'
            ? firstOf(FIRST_OF.map((text) => sql.get<{ id: number }>(text, { folder })))
            : undefined;
        const seen = first !== undefined ? first - 1 : idFrom(sql, LAST_SIGHTING_ID);
        const stays = existing === 'include' ? 0 : seen;
        sql.emit({ kind: 'originals', folder, rule, stays }, at);
        return { rule, stays };
      }),

    toDispose: (folder, { afterSightingId: after, limit, stays, statuses }) =>
      store.read((sql) => {
        const params = { folder, after, limit, stays };
        const rows =
          statuses === null
            ? DISPOSABLE.map((text) => sql.all<DisposalRow>(text, params))
            : DISPOSABLE_ON.map((text) =>
                sql.all<DisposalRow>(text, { ...params, statuses: JSON.stringify(statuses) }),
              );
        return inOrder(rows, limit).map((row) => toDisposal(folder, row));
      }),

    disposing: (sighting, how, at) =>
      store.write((sql) => sql.emit({ kind: 'disposing', sighting, how }, at)),

    begunDisposals: (folder) =>
      store.read((sql) =>
        sql
          .all<DisposalRow & { how: 'archived' | 'deleted' }>(ORIGINALS.BEGUN_DISPOSALS, { folder })
          .map((row) => ({
            ...toDisposal(folder, row),
            how: row.how,
          })),
      ),

    disposed: (sighting, how, archivedTo, at) =>
      store.write((sql) => sql.emit({ kind: 'disposed', sighting, how, archivedTo }, at)),

    keepOriginal: ({ sightingId: sighting, file }, at) =>
      store.write((sql) => {
        const seen = { id: sighting, ...identityParams(file.identity) };
        if (sql.get(IS_AS_SEEN, seen))
          sql.emit({ kind: 'disposed', sighting, how: 'kept', archivedTo: null }, at);
      }),
  };
}

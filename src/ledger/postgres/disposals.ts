import { firstOf, inOrder, toDisposal, type DisposalRow } from '../disposalRows.ts';
import type { LedgerDisposals } from '../../core/ports/ledgerDisposals.ts';
import type { OriginalsRule } from '../../core/ports/ledgerReports.ts';
import { identityParams } from '../rows.ts';
import { ORIGINALS } from './sql/disposals.ts';
import { IS_AS_SEEN, LAST_SIGHTING_ID } from './sql/sightings.ts';
import type { Store } from './store.ts';

const FIRST_OF = [ORIGINALS.FIRST_SEEN, ORIGINALS.FIRST_SPLIT_SEEN];
const DISPOSABLE = [ORIGINALS.DISPOSABLE, ORIGINALS.DISPOSABLE_SPLIT];
const DISPOSABLE_ON = [ORIGINALS.DISPOSABLE_ON, ORIGINALS.DISPOSABLE_SPLIT_ON];

export function createDisposals(store: Store): LedgerDisposals {
  const { places } = store;
  return {
    setOriginalsRule: (folder, rule, existing, at) =>
      store.write(async (sql) => {
        await store.rows.ensureFolder(folder);
        const current = await sql.get<OriginalsRule>(ORIGINALS.ORIGINALS_RULE, places.ofFolder(folder));
        if (current?.rule === rule) return current;
        const first =
          existing === 'new'
            ? firstOf(
                await Promise.all(
                  FIRST_OF.map((text) => sql.get<{ id: number }>(text, places.ofFolder(folder))),
                ),
              )
            : undefined;
        const seen =
          first !== undefined ? first - 1 : ((await sql.get<{ id: number }>(LAST_SIGHTING_ID))?.id ?? 0);
        const stays = existing === 'include' ? 0 : seen;
        sql.emit({ kind: 'originals', folder, rule, stays }, at);
        return { rule, stays };
      }),

    toDispose: (folder, { afterSightingId: after, limit, stays, statuses }) =>
      store.read(async (sql) => {
        const params = { ...places.ofFolder(folder), after, limit, stays };
        const rows =
          statuses === null
            ? DISPOSABLE.map((text) => sql.all<DisposalRow>(text, params))
            : DISPOSABLE_ON.map((text) => sql.all<DisposalRow>(text, { ...params, statuses }));
        return inOrder(await Promise.all(rows), limit).map((row) => toDisposal(folder, row));
      }),

    disposing: (sighting, how, at) =>
      store.write(async (sql) => sql.emit({ kind: 'disposing', sighting, how }, at)),

    begunDisposals: (folder) =>
      store.read(async (sql) => {
        const rows = await sql.all<DisposalRow & { readonly how: 'archived' | 'deleted' }>(
          ORIGINALS.BEGUN_DISPOSALS,
          places.ofFolder(folder),
        );
        return rows.map((row) => ({ ...toDisposal(folder, row), how: row.how }));
      }),

    disposed: (sighting, how, archivedTo, at) =>
      store.write(async (sql) => sql.emit({ kind: 'disposed', sighting, how, archivedTo }, at)),

    keepOriginal: ({ sightingId: sighting, file }, at) =>
      store.write(async (sql) => {
        const seen = { id: sighting, ...identityParams(file.identity) };
        if (await sql.get(IS_AS_SEEN, seen))
          sql.emit({ kind: 'disposed', sighting, how: 'kept', archivedTo: null }, at);
      }),
  };
}

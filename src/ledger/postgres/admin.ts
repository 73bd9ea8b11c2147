import type { DocumentState } from '../../core/domain/document.ts';
import type { LedgerAdmin } from '../../core/ports/ledger.ts';
import { admitElsewhere } from './admit.ts';
import { documentUnknown, wrongState } from '../documentErrors.ts';
import { movedTo } from '../moves.ts';
import { erase } from './erase.ts';
import * as SQL from './sql/documents.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Params, Sql } from './statements.ts';
import type { Store } from './store.ts';

export function createAdmin(store: Store): LedgerAdmin {
  return {
    recordAct: ({ at, kind, by, detail }) =>
      store.write(async (sql) => sql.emit({ kind: 'act', act: kind, by, detail }, at)),

    retry: (documentIds, at) =>
      store.write(async (sql) => {
        const rows = await sql.all<{ id: number }>(SQL.RETRIABLE_AMONG, { ids: documentIds, at });
        if (rows.length === 0) return 0;
        const documents = rows.map(({ id }) => id);
        sql.emit({ kind: 'moved', documents, state: 'queued', how: 'again' }, at);
        sql.notify('queue');
        return rows.length;
      }),

    dismiss: (cases, by, at) =>
      store.write(async (sql) => {
        const documents = await among(sql, SQL.DISMISSIBLE, cases.documents, { undo: false });
        const sightings = await among(sql, SIGHTINGS.DISMISSIBLE, cases.sightings);
        if (documents.length + sightings.length > 0)
          sql.emit({ kind: 'dismissed', documents, sightings, by }, at);
        return documents.length + sightings.length;
      }),

    undismiss: (cases, by, at) =>
      store.write(async (sql) => {
        const documents = await among(sql, SQL.DISMISSIBLE, cases.documents, { undo: true });
        const sightings = await among(sql, SIGHTINGS.DISMISSED, cases.sightings);
        if (documents.length + sightings.length > 0)
          sql.emit({ kind: 'undismissed', documents, sightings, by }, at);
        return documents.length + sightings.length;
      }),

    resend: (id, at) =>
      store.write(async (sql) => {
        const found = await sql.get<{ name: string; state: DocumentState }>(SQL.STATE_FOR_UPDATE, { id });
        if (!found) throw documentUnknown(id);
        const { name, state } = found;
        if (state !== 'accepted') throw wrongState(name, state, 'resend');
        sql.emit({ kind: 'moved', documents: [id], state: 'queued', how: 'again' }, at);
        sql.notify('queue');
      }),

    erase: (documentIds, at) => erase(store, documentIds, at),

    async moveTo(documentIds, endpoint, by, at) {
      await store.rows.ensureEndpoint(endpoint);
      return store.write(async (sql) => {
        const movable = await among(sql, SQL.MOVABLE, documentIds);
        for (const id of movable) {
          const { document } = await admitElsewhere(sql, id, endpoint, at);
          for (const event of movedTo(id, document, by)) sql.emit(event, at);
        }
        if (movable.length > 0) sql.notify('queue');
        return movable.length;
      }, endpoint);
    },

    async admitElsewhere(documentId, endpoint, at) {
      await store.rows.ensureEndpoint(endpoint);
      return store.write(async (sql) => {
        const admitted = await admitElsewhere(sql, documentId, endpoint, at);
        sql.notify('queue');
        return admitted;
      }, endpoint);
    },

    async recordEndpoint({ baseUrl, uid }, name, verbatim, at) {
      const endpoint = { baseUrl, uid };
      await store.rows.ensureEndpoint(endpoint);
      const event = { kind: 'endpoint', endpoint, name, record: verbatim } as const;
      await store.write(async (sql) => sql.emit(event, at), endpoint);
    },
  };
}

/** Those of the ids that the query selects. */
async function among(sql: Sql, text: string, ids: readonly number[], more: Params = {}): Promise<number[]> {
  if (ids.length === 0) return [];
  return (await sql.all<{ id: number }>(text, { ids, ...more })).map(({ id }) => id);
}

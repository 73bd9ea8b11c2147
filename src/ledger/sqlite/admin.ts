import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerAdmin } from '../../core/ports/ledger.ts';
import { admitElsewhere } from './admit.ts';
import { wrongState } from '../documentErrors.ts';
import { movedTo } from '../moves.ts';
import { requireDocument } from './documents.ts';
import { erase } from './erase.ts';
import * as SQL from './sql/documents.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Params, Sql } from './statements.ts';
import type { Store } from './store.ts';

export function createAdmin(store: Store, clock: Clock): LedgerAdmin {
  return {
    recordAct: ({ at, kind, by, detail }) =>
      store.write((sql) => sql.emit({ kind: 'act', act: kind, by, detail }, at)),

    retry: (documentIds, at) =>
      store.write((sql) => {
        const documents = [...new Set(documentIds)].filter(
          (id) => sql.get(SQL.RETRIABLE_ONE, { id, at }) !== undefined,
        );
        if (documents.length > 0) sql.emit({ kind: 'moved', documents, state: 'queued', how: 'again' }, at);
        return documents.length;
      }),

    dismiss: (cases, by, at) =>
      store.write((sql) => {
        const documents = among(sql, SQL.DISMISSIBLE, cases.documents, { undo: 0 });
        const sightings = among(sql, SIGHTINGS.DISMISSIBLE, cases.sightings);
        if (documents.length + sightings.length > 0)
          sql.emit({ kind: 'dismissed', documents, sightings, by }, at);
        return documents.length + sightings.length;
      }),

    undismiss: (cases, by, at) =>
      store.write((sql) => {
        const documents = among(sql, SQL.DISMISSIBLE, cases.documents, { undo: 1 });
        const sightings = among(sql, SIGHTINGS.DISMISSED, cases.sightings);
        if (documents.length + sightings.length > 0)
          sql.emit({ kind: 'undismissed', documents, sightings, by }, at);
        return documents.length + sightings.length;
      }),

    resend: (id, at) =>
      store.write((sql) => {
        const { name, state } = requireDocument(sql, id);
        if (state !== 'accepted') throw wrongState(name, state, 'resend');
        sql.emit({ kind: 'moved', documents: [id], state: 'queued', how: 'again' }, at);
      }),

    erase: (documentIds, at) => erase(store, clock, documentIds, at),

    moveTo: (documentIds, endpoint, by, at) =>
      store.write((sql) => {
        const movable = among(sql, SQL.MOVABLE, documentIds);
        for (const id of movable) {
          const { document } = admitElsewhere(sql, id, endpoint, at);
          for (const event of movedTo(id, document, by)) sql.emit(event, at);
        }
        return movable.length;
      }),

    admitElsewhere: (documentId, endpoint, at) =>
      store.write((sql) => admitElsewhere(sql, documentId, endpoint, at)),

    recordEndpoint: ({ baseUrl, uid }, name, verbatim, at) =>
      store.write((sql) =>
        sql.emit({ kind: 'endpoint', endpoint: { baseUrl, uid }, name, record: verbatim }, at),
      ),
  };
}

/** Those of the ids that the query selects. */
function among(sql: Sql, text: string, ids: readonly number[], more: Params = {}): number[] {
  return sql.all<{ id: number }>(text, { ids: JSON.stringify(ids), ...more }).map(({ id }) => id);
}

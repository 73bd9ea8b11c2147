import type { LedgerAdmin } from '../../ports/ledger.ts';
import { admitElsewhere } from './admit.ts';
import { requireDocument, wrongState } from './documents.ts';
import * as SQL from './sql/documents.ts';
import { INSERT_ACT, RECORD_ENDPOINT } from './sql/endpoints.ts';
import type { Store } from './store.ts';

export function createAdmin(store: Store): LedgerAdmin {
  return {
    recordAct: ({ at, kind, by, detail }) =>
      store.write((sql) => void sql.run(INSERT_ACT, { at, kind, by, detail })),

    retry: (documentIds, at) =>
      store.write((sql) => {
        if (documentIds === 'all') return sql.run(SQL.RETRY_ALL, { at });
        const ids = documentIds.filter((id) => sql.get(SQL.RETRIABLE_ONE, { id, at }) !== undefined);
        for (const id of ids) sql.run(SQL.QUEUE_AGAIN, { id, at });
        return ids.length;
      }),

    resend: (id, at) =>
      store.write((sql) => {
        const { name, state } = requireDocument(sql, id);
        if (state !== 'accepted') throw wrongState(name, state, 'be resent, only an accepted document can');
        sql.run(SQL.QUEUE_AGAIN, { id, at });
      }),

    admitElsewhere: (documentId, endpoint, at) =>
      store.write((sql) => admitElsewhere(sql, documentId, endpoint, at)),

    recordEndpoint: ({ baseUrl, uid }, name, verbatim, at) =>
      store.write((sql) => void sql.run(RECORD_ENDPOINT, { baseUrl, uid, name, record: verbatim, at })),
  };
}

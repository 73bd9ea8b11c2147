import { timestamp } from './clock.ts';
import { COMPANY } from './endpoints.ts';
import type { DocumentEntry } from './store.ts';

/**
 * The answer to an upload: the three documented fields of interface 2.2, and invented ones for those "not shown". The last two are
 * formatted by hand, to reveal a client that reserializes the record instead of keeping it verbatim.
 */
export function documentRecord(document: DocumentEntry): string {
  const receivedAt = timestamp(Date.parse(document.receivedAt));
  const fields = JSON.stringify({
    name: document.name,
    endpointUid: document.endpointUid,
    status: 'PROCESSING',
    uid: document.uid,
    companyUid: COMPANY.uid,
    createdAt: receivedAt,
    updatedAt: receivedAt,
    pages: null,
    analysis: {
      requested: ['merchant', 'total', 'vat'],
      priority: { class: 'standard', weight: 1 },
      note: 'Beleg wird geprüft – 領収書 🧾',
    },
    links: [],
  });
  return `${fields.slice(0, -1)},"sequence":9007199254740993,"cost":0.10}`;
}

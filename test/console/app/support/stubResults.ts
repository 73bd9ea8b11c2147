import type { ResultDetailJson } from '../../../../src/control/protocol/results.ts';
import { BASE_URL, UIDS } from './stubData.ts';

const COUNT = 60;

/** Newest first; every twentieth is about an unknown document. */
export function makeResults(
  rows: readonly { readonly documentId: number | null; readonly name: string | null }[],
) {
  const known = rows.filter(({ documentId, name }) => documentId !== null && name !== null);
  return Array.from({ length: COUNT }, (_, index): ResultDetailJson => {
    const id = COUNT - index;
    const row = id % 20 === 0 ? undefined : known[index];
    const name = row?.name ?? null;
    const endpoint = { baseUrl: BASE_URL, uid: UIDS.office };
    const payload = `{"name":${JSON.stringify(name)},"status":"DONE","total":"12.50","number":12345678901234567890}`;
    return {
      id,
      receivedAt: new Date(Date.now() - index * 90_000).toISOString(),
      document: name === null ? null : { id: row?.documentId ?? 0, name, endpoint },
      status: 'DONE',
      sha256: id.toString(16).padStart(64, '0'),
      size: payload.length,
      encoding: 'utf8',
      givenName: name === null ? `elsewhere-${id}` : null,
      givenUid: UIDS.office,
      payload,
    };
  });
}

import type { ResultAnswer, ResultItem } from '../../core/messages.ts';
import { columnsOf, type DocumentRow } from '../schema.ts';
import type { Work } from '../work.ts';
import { endpointIdOf } from '../entries.ts';

const REPEATED = `SELECT ${columnsOf('results', 's')} FROM {rows document:int sha256:text} results s
  WHERE coalesce(s.document_id, 0) = r.document AND s.sha256 = r.sha256`;
const BY_NAME = `SELECT ${columnsOf('documents', 'd')} FROM {rows base:text name:text} endpoints e JOIN documents d ON d.endpoint_id = e.id AND d.name = r.name
  WHERE e.base_url = r.base {lock d}`;

/** Results that the service posted, each once for a document (or none) and a payload. */
export async function result(work: Work, items: readonly ResultItem[]): Promise<readonly ResultAnswer[]> {
  const documents = await work.find(
    'documents',
    BY_NAME,
    items.flatMap(({ baseUrl, name }) => (name === null ? [] : [{ base: baseUrl, name }])),
  );
  const ids = [...new Set(documents.map(({ endpoint_id }) => endpoint_id))];
  const endpoints = await work.load('endpoints', ids);
  const matches = items.map(({ baseUrl, uid, name }) => {
    const isOf = ({ endpoint_id }: DocumentRow): boolean =>
      uid === null
        ? endpoints.some((row) => row?.id === endpoint_id && row.base_url === baseUrl)
        : endpoint_id === endpointIdOf({ baseUrl, uid });
    const found = [...new Set(documents)].filter((row) => row.name === name && isOf(row));
    // A name that several endpoints have is ambiguous.
    return found.length === 1 ? found[0] : undefined;
  });
  const keyOf = (document: number | null | undefined, sha256: string): string => `${document ?? 0} ${sha256}`;
  const repeated = await work.find(
    'results',
    REPEATED,
    items.map(({ sha256 }, i) => ({ document: matches[i]?.id ?? 0, sha256 })),
  );
  const stored = new Map(repeated.map((row) => [keyOf(row.document_id, row.sha256), row.id]));

  return items.map(({ status, sha256, size, encoding, payload, name, uid, at }, i) => {
    const document = matches[i];
    const of = document?.id ?? null;
    const before = stored.get(keyOf(of, sha256));
    if (before !== undefined) return { result: before, document: of, isNew: false, isProof: false };
    const isProof = document !== undefined && wasMissing(document);
    const ref = document === undefined ? undefined : work.ref(document.id);
    const given = { givenName: document === undefined ? name : undefined, givenUid: uid };
    const id = work.add(
      { kind: 'result', document: ref, status, sha256, size, encoding, payload, ...given },
      at,
    );
    stored.set(keyOf(of, sha256), id);
    if (isProof && ref !== undefined)
      work.add({ kind: 'moved', documents: [ref], state: 'accepted', status: status ?? undefined }, at);
    return { result: id, document: of, isNew: true, isProof };
  });
}

/**
 * Whether a result proves an acceptance that no answer reported. Not for a queued document that the service was known to have (a person queued it to
 * be sent again), and not for a `failed` one: a person judges the service's verdict on it.
 */
function wasMissing({ state, answer_lost, known_at }: DocumentRow): boolean {
  if (state === 'unconfirmed') return true;
  if (state === 'lost') return answer_lost === 1;
  return state === 'queued' && answer_lost === 1 && known_at === null;
}

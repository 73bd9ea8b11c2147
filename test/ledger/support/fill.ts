import type { EndpointKey } from '../../../src/core/domain/document.ts';
import { foldedUnlessAscii } from '../../../src/core/domain/search.ts';
import type { Engine } from '../../../src/ledger/engine.ts';
import { COUNTS, REQUESTS, SPAN_MS, TABLES, type Cells, type Row } from '../../../src/ledger/schema.ts';
import { hashOf, OFFICE, SHOP } from '../../contract/ledger/support.ts';
import { endpointIdOf, folderIdOf } from '../../../src/ledger/entries.ts';

const ENDPOINTS: readonly EndpointKey[] = [OFFICE, SHOP, { ...OFFICE, uid: 'depot' }];
const FOLDERS = 20;
export const FIRST_AT = 1_700_000_000_000;
export const EVERY_MS = 1_000;

export const folderOf = (n: number): string => `/scans${n % FOLDERS}`;

/** Most were accepted; of the others, some failed and the latest wait. */
function stateOf(n: number, to: number): 'accepted' | 'failed' | 'queued' {
  if (n % 200 === 0) return 'failed';
  return n < to * 0.95 ? 'accepted' : 'queued';
}

/** Writes documents `from` to `to` with their files, requests and results: rows as they are, without entries. */
export async function fill(
  engine: Engine,
  base: number,
  owner: string,
  from: number,
  to: number,
): Promise<void> {
  const rows = {
    documents: [] as Row<'documents'>[],
    files: [] as Row<'files'>[],
    attempts: [] as Row<'attempts'>[],
    results: [] as Row<'results'>[],
  };
  const counts = new Map<string, Cells>();
  const count = (endpoint_id: number, folder_id: number, state: string): void => {
    const key = `${endpoint_id} ${folder_id} ${state}`;
    const n = Number(counts.get(key)?.['n'] ?? 0) + 1;
    counts.set(key, { endpoint_id, folder_id, state, agent: 0, n });
  };
  const endpoints = ENDPOINTS.map((key) => endpointIdOf(key));
  const folders = Array.from({ length: FOLDERS }, (_, n) => folderIdOf({ owner, path: folderOf(n) }));
  for (let n = from; n < to; n += 1) {
    const id = base + 10 * n + 1;
    const at = FIRST_AT + n * EVERY_MS;
    const endpoint_id = endpoints[n % endpoints.length] as number;
    const folder_id = folders[n % FOLDERS] as number;
    const sha256 = hashOf(`${n}`);
    const state = stateOf(n, to);
    const word = n % 99 === 0 ? 'adler' : 'taxi';
    const stem = n % 7 === 0 ? `Größe${n}` : `scan${n}`;
    const path = `${stem}.jpg`;
    const name = `doc-${stem}`;
    const of = {
      folder_id,
      endpoint_id,
      size: 200_000,
      sha256,
      updated_at: at,
      dismissed_at: n % 600 === 0 ? at : null,
      dismissed_by: n % 600 === 0 ? 'admin' : null,
    };
    count(endpoint_id, folder_id, state);
    rows.documents.push({
      ...of,
      id,
      name,
      path,
      folded: foldedUnlessAscii(`${name}\n${path}`),
      type: 'jpeg',
      priority: n % 2,
      state,
      due: at,
      reason: null,
      message: n % 11 === 0 ? `Später, ${n}.` : null,
      attempts: 1,
      attempt: null,
      replays: 0,
      result_at: null,
      status_at: null,
      known_at: null,
      answered: 1,
      answer_lost: 0,
      odd_answers: 0,
      status: 'PROCESSING',
      response: '{}',
      created_at: at,
      erased_at: null,
      twin: 0,
    });
    const file = (
      more: Pick<Row<'files'>, 'id' | 'dir' | 'verdict' | 'document_id'> & Partial<Row<'files'>>,
    ): void => {
      if (more.verdict !== 'document') count(endpoint_id, folder_id, more.verdict);
      rows.files.push({
        ...of,
        name: path,
        folded: foldedUnlessAscii(path),
        identity: `${at} ${at} ${n}`,
        policy: null,
        reason: null,
        message: null,
        seen_at: at,
        gone_at: null,
        disposing: null,
        disposed: null,
        archived_to: null,
        file_id: null,
        pages: null,
        split_into: null,
        ...more,
      });
    };
    file({ id, dir: '', verdict: 'document', document_id: id });
    if (n % 10 === 0) file({ id: id + 1, dir: 'copies', verdict: 'duplicate', document_id: id });
    if (n % 20 === 0)
      file({ id: id + 2, dir: 'bad', verdict: 'rejected', document_id: null, reason: 'TOO_LARGE' });
    if (n % 50 === 0) {
      file({ id: id + 3, dir: 'pdf', name: `${stem}.pdf`, verdict: 'split', document_id: null, pages: 1 });
      file({
        id: id + 4,
        dir: `pdf/${stem}.pdf/`,
        name: 'page 1',
        verdict: 'document',
        document_id: id,
        gone_at: at,
        file_id: id + 3,
      });
    }
    if (state !== 'queued')
      rows.attempts.push({
        id: id + 5,
        document_id: id,
        endpoint_id,
        began_at: at,
        ended_at: at + 300,
        outcome: 'accepted',
        http: 200,
        bytes: 200_000,
        message: null,
      });
    if (n % 3 === 0)
      rows.results.push({
        id: id + 6,
        document_id: n % 30 === 0 ? null : id,
        received_at: at,
        attempts: 1,
        status: 'DONE',
        sha256,
        size: 300,
        encoding: 'utf8',
        given_name: null,
        given_uid: null,
        words: word,
        fields: `{"/merchant":"${word}","/total":7.5}`,
        payload: '{}',
        turn: null,
      });
  }
  await engine.begin();
  if (from === 0) {
    const named = ENDPOINTS.map(({ baseUrl, uid }, n) => ({
      id: endpoints[n] as number,
      base_url: baseUrl,
      uid,
      seq: 0,
    }));
    await engine.insert('endpoints', TABLES.endpoints, named, undefined);
    const watched = folders.map((id, n) => ({
      id,
      owner,
      path: folderOf(n),
      watched_at: FIRST_AT,
      rule: 'delete',
      stays: '[[1,100]]',
    }));
    await engine.insert('folders', TABLES.folders, watched, undefined);
  }
  for (const table of ['documents', 'files', 'attempts', 'results'] as const)
    await engine.insert(table, TABLES[table], rows[table], undefined);
  await engine.insert(
    'counts',
    COUNTS,
    [...counts.values()],
    'ON CONFLICT (endpoint_id, folder_id, state, agent) DO UPDATE SET n = counts.n + excluded.n',
  );
  const requests = new Map<string, { endpoint_id: number; span: number; n: number }>();
  for (const { endpoint_id, began_at } of rows.attempts) {
    const span = began_at - (began_at % SPAN_MS);
    const known = requests.get(`${endpoint_id} ${span}`);
    if (known) known.n += 1;
    else requests.set(`${endpoint_id} ${span}`, { endpoint_id, span, n: 1 });
  }
  await engine.insert(
    'requests',
    REQUESTS,
    [...requests.values()],
    'ON CONFLICT (endpoint_id, span) DO UPDATE SET n = requests.n + excluded.n',
  );
  await engine.commit();
}

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_ACCOUNT } from '../../../src/domain/account.ts';
import { createAdmin } from '../../../src/ledger/postgres/admin.ts';
import { createReports } from '../../../src/ledger/postgres/reports.ts';
import { createResults } from '../../../src/ledger/postgres/results.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { hashOf, OFFICE } from '../../contract/ledger.ts';
import { ask, openStore, type OpenStore } from './place.ts';

const DOCUMENTS = 100_000;
const FIRST_AT = 1_700_000_000_000;
const EVERY_MS = 1_000;
const LAST_AT = FIRST_AT + DOCUMENTS * EVERY_MS;

/** Four fifths accepted long ago; of the rest some failed, and some wait. One file in ten is a duplicate's. */
const FILL = `
SET session_replication_role = replica;
INSERT INTO endpoints (base_url, uid) SELECT '${OFFICE.baseUrl}', uid FROM unnest(ARRAY['office', 'shop', 'depot']) uid;
INSERT INTO folders (place, path, watched_at)
SELECT 'agent:one', '/scans' || n, 1 FROM generate_series(1, 20) n;
INSERT INTO documents (id, endpoint_id, folder_id, agent_id, path, name, sha256, type, size, lane, state, line, created_at,
                       updated_at, attempts)
SELECT n, 1 + n % 3, 1 + n % 20, 1, 'scan' || n || '.jpg', 'doc-' || n, md5('' || n) || md5('x' || n), 'jpeg', 200000, 'backlog',
       CASE WHEN n % 1000 = 0 THEN 'failed' WHEN n <= ${DOCUMENTS} * 0.97 THEN 'accepted' ELSE 'queued' END, n,
       ${FIRST_AT} + n::bigint * ${EVERY_MS}, ${FIRST_AT} + n::bigint * ${EVERY_MS}, 1
  FROM generate_series(1, ${DOCUMENTS}) n;
INSERT INTO attempts (document_id, endpoint_id, agent_id, epoch, started_at, finished_at, outcome, http_status, bytes)
SELECT id, endpoint_id, 1, 1, created_at, created_at + 300, 'accepted', 200, size FROM documents WHERE state <> 'queued' ORDER BY id;
INSERT INTO sightings (folder_id, dir, name, size, mtime_ns, ctime_ns, inode, verdict, document_id, sha256, seen_at, updated_at)
SELECT folder_id, '', path, size, id, id, id, 'document', id, sha256, created_at, created_at FROM documents
UNION ALL
SELECT folder_id, 'copies', path, size, id, id, id, 'duplicate', id, sha256, created_at, created_at FROM documents WHERE id % 10 = 0;
INSERT INTO history (agent_id, seq, document_id, sighting_id, entry, hash, personal)
SELECT 1, id, id, NULL, '{"seq":' || id || '}', sha256, '{"path":"scan"}' FROM documents;
INSERT INTO document_counts
SELECT endpoint_id, folder_id, state, 1, count(*) FROM documents GROUP BY endpoint_id, folder_id, state;
INSERT INTO file_counts
SELECT d.endpoint_id, s.folder_id, s.verdict, 1, count(*) FROM sightings s JOIN documents d ON d.id = s.document_id
 WHERE s.verdict <> 'document' GROUP BY d.endpoint_id, s.folder_id, s.verdict;
SET session_replication_role = DEFAULT;
SELECT setval(pg_get_serial_sequence('documents', 'id'), ${DOCUMENTS});
ANALYZE`;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

function isAsked(query: unknown): query is Asked {
  return typeof query === 'object' && query !== null && 'text' in query && 'values' in query;
}

/** Partitions of months that are yet to come are empty. */
const LARGE = `
SELECT relname AS name FROM pg_class WHERE relnamespace = 'receiptd'::regnamespace AND reltuples >= ${DOCUMENTS / 2}`;

describe.skipIf(!needsPostgres())('on a ledger with 100,000 documents', () => {
  let database: FreshDatabase;
  let open: OpenStore;
  let large: ReadonlySet<string>;
  beforeAll(async () => {
    database = await freshDatabase();
    open = await openStore(database.url);
    await ask(database.url, FILL);
    large = new Set((await ask<{ name: string }>(database.url, LARGE)).map(({ name }) => name));
  }, 120_000);
  afterAll(async () => {
    await open.close();
    await database.remove();
  });

  /** The statements of `work`, each with the values that it was asked with. */
  async function statementsOf(work: () => Promise<unknown>): Promise<Asked[]> {
    const asked = new Map<string, Asked>();
    const query: unknown = Reflect.get(Client.prototype, 'query');
    const record = function (this: Client, ...all: unknown[]): unknown {
      const [first] = all;
      if (isAsked(first)) asked.set(first.text, first);
      return typeof query === 'function' ? (Reflect.apply(query, this, all) as unknown) : undefined;
    };
    Reflect.set(Client.prototype, 'query', record);
    try {
      await work();
    } finally {
      Reflect.set(Client.prototype, 'query', query);
    }
    return [...asked.values()];
  }

  async function scansOf({ text, values }: Asked): Promise<string[]> {
    const rows = await ask<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      database.url,
      `EXPLAIN (FORMAT JSON) ${text}`,
      [...values],
    );
    const found: string[] = [];
    const look = (plan: Plan): void => {
      const table = plan['Relation Name'];
      if (plan['Node Type'] === 'Seq Scan' && table !== undefined && large.has(table)) found.push(table);
      for (const each of plan.Plans ?? []) look(each);
    };
    for (const row of rows) for (const { Plan } of row['QUERY PLAN']) look(Plan);
    return found;
  }

  /** Statements of `work` that read all of a large table; there is at least one statement. */
  async function scanning(work: () => Promise<unknown>): Promise<{ text: string; scans: string[] }[]> {
    const asked = (await statementsOf(work)).filter(({ text }) => /\bFROM\b|\bUPDATE\b/.test(text));
    expect(asked).not.toEqual([]);
    expect(large).toContain('documents');
    const looked = [];
    for (const each of asked) looked.push({ text: each.text, scans: await scansOf(each) });
    return looked.filter(({ scans }) => scans.length > 0);
  }

  const reports = () => createReports(open.store, DEFAULT_ACCOUNT);
  const page = { limit: 50, withinMs: 10_000 } as const;

  it.each<[string, () => Promise<unknown>]>([
    ['counts of documents', () => reports().documentCounts()],
    ['all counts', () => reports().counts()],
    ['the holds', () => reports().holds()],
    ['the first page', () => reports().page({}, { order: 'newest', ...page })],
    ['the oldest', () => reports().page({}, { order: 'oldest', ...page })],
    ['a page of one folder', () => reports().page({ folder: '/scans7' }, { order: 'newest', ...page })],
    ['a page of one endpoint', () => reports().page({ endpoint: OFFICE }, { order: 'newest', ...page })],
    ['what failed', () => reports().page({ states: ['failed'] }, { order: 'newest', ...page })],
    ['duplicates', () => reports().page({ states: ['duplicate'] }, { order: 'oldest', ...page })],
    ['what is called so', () => reports().page({ match: 'doc-1999' }, { order: 'newest', ...page })],
    [
      'what came in an hour',
      () => reports().page({ since: LAST_AT - 3_600_000 }, { order: 'oldest', ...page }),
    ],
    ['a name', () => reports().find('doc-77')],
    ['one document', () => reports().detail(77)],
    ['its bytes', () => reports().bySha256(OFFICE, hashOf('x'))],
    ['whether a name is taken', () => reports().isNameTaken(OFFICE, 'doc-77')],
    ['the requests of an hour', () => reports().uploads(LAST_AT - 3_600_000, LAST_AT)],
    ['how many were accepted in an hour', () => reports().countAccepted(LAST_AT - 3_600_000, LAST_AT)],
    ['what came in an hour, counted', () => reports().arrivals(LAST_AT - 3_600_000, LAST_AT, 600_000)],
    ['what can be erased', () => reports().erasable(FIRST_AT + 100 * EVERY_MS)],
    ['one file', () => reports().standing({ folder: '/scans7', path: 'scan6.jpg' })],
    ['results', () => reports().results({ of: 'all', order: 'newest', after: null, limit: 50 })],
    [
      'results received here',
      () => reports().results({ of: 'received', order: 'oldest', after: 7, limit: 50 }),
    ],
    ['results of a document', () => reports().results({ of: 77, order: 'newest', after: null, limit: 50 })],
    ['unmatched results', () => reports().countUnmatchedResults()],
    ['the head', () => reports().head()],
    ['endpoints', () => reports().endpoints()],
  ])('finds by an index: %s', async (_what, work) => {
    expect(await scanning(work)).toEqual([]);
  });

  it('walks the files of a folder along an index', async () => {
    const walk = async () => {
      for await (const batch of reports().standings('/scans7')) expect(batch.size).toBeGreaterThan(0);
    };
    expect(await scanning(walk)).toEqual([]);
  });

  it('writes by an index: results, retries, erasures', async () => {
    const admin = createAdmin(open.store);
    const results = createResults(open.store);
    const payload = Buffer.from('{}');
    const result = { at: LAST_AT, baseUrl: OFFICE.baseUrl, status: 'DONE', payload };
    const work = async () => {
      await results.recordResult({ ...result, uid: OFFICE.uid, name: 'doc-99' });
      await results.recordResult({ ...result, uid: null, name: 'doc-77' });
      expect(await admin.retry([77, 1_000], LAST_AT)).toBe(1);
      expect(await admin.retry('all', LAST_AT)).toBeGreaterThan(50);
      await admin.resend(78, LAST_AT);
      expect(await admin.erase([79, 80], LAST_AT)).toBe(2);
    };
    expect(await scanning(work)).toEqual([]);
  });
});

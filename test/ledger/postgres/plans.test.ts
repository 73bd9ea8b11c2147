import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresLedger } from '../../../src/ledger/postgres/open.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { admission, hashOf, OFFICE, seen, send } from '../../contract/ledger/support.ts';
import { agentOptions, ask } from './place.ts';
import { statementsOf, type Statement } from './statements.ts';

const DOCUMENTS = 100_000;
const FIRST_AT = 1_700_000_000_000;
const EVERY_MS = 1_000;
const LAST_AT = FIRST_AT + DOCUMENTS * EVERY_MS;
/** The number of a document from a ledger that was moved here later, far from other documents of its time. */
const LATE = 90_000_000;

/** Four fifths were accepted long ago; of the others, some failed and some wait. One file in ten is a duplicate. */
const FILL = `
SET session_replication_role = replica;
INSERT INTO endpoints (base_url, uid)
SELECT '${OFFICE.baseUrl}', uid FROM unnest(ARRAY['office', 'shop', 'depot']) uid
UNION ALL SELECT '${OFFICE.baseUrl}', 'other' || n FROM generate_series(1, 100) n;
INSERT INTO folders (place, path, watched_at)
SELECT 'agent:one', '/scans' || n, 1 FROM generate_series(1, 20) n;
INSERT INTO documents (id, endpoint_id, folder_id, agent_id, path, name, sha256, type, size, lane, state, line, created_at,
                       updated_at, attempts)
SELECT CASE n WHEN 6 THEN ${LATE} ELSE n END, 1 + n % 3, 1 + n % 20, 1, 'scan' || n || '.jpg', 'doc-' || n,
       md5('' || n) || md5('x' || n), 'jpeg', 200000, 'backlog', CASE WHEN n % 1000 = 0 THEN 'failed' WHEN n <= ${DOCUMENTS} * 0.97 THEN 'accepted' ELSE 'queued' END, n,
       ${FIRST_AT} + n::bigint * ${EVERY_MS}, ${FIRST_AT} + n::bigint * ${EVERY_MS}, 1
  FROM generate_series(1, ${DOCUMENTS}) n;
INSERT INTO attempts (document_id, endpoint_id, agent_id, epoch, started_at, finished_at, outcome, http_status, bytes)
SELECT id, endpoint_id, 1, 1, created_at, created_at + 300, 'accepted', 200, size FROM documents WHERE state <> 'queued' ORDER BY id;
INSERT INTO sightings (folder_id, dir, name, size, mtime_ns, ctime_ns, inode, verdict, document_id, sha256, seen_at, updated_at)
SELECT folder_id, '', path, size, id, id, id, 'document', id, sha256, created_at, created_at FROM documents
UNION ALL
SELECT folder_id, 'copies', path, size, id, id, id, 'duplicate', id, sha256, created_at, created_at FROM documents WHERE id % 10 = 0;
INSERT INTO results (agent_id, received_at, document_id, sha256, size, encoding, words, fields)
SELECT 1, created_at, id, sha256, 300, 'utf8', merchant, '{"/merchant":"' || merchant || '","/total":7.5}'
  FROM (SELECT *, CASE WHEN id IN (3, ${LATE}) THEN 'hotel adler' ELSE 'taxi' END AS merchant FROM documents) d WHERE id % 3 = 0;
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
  readonly 'Total Cost': number;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Plan[];
}

const LARGE = /^(?:documents|attempts|sightings|results|history)/;

describe.skipIf(!needsPostgres())('on a ledger with 100,000 documents', () => {
  let database: FreshDatabase;
  let ledger: Ledger;
  beforeAll(async () => {
    database = await freshDatabase();
    ledger = await openPostgresLedger(agentOptions(database.url));
    await ask(database.url, FILL);
  });
  afterAll(async () => {
    await ledger.close();
    await database.remove();
  });

  async function nodesOf({ text, values }: Statement, how = ''): Promise<Plan[]> {
    const rows = await ask<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      database.url,
      `EXPLAIN (${how}FORMAT JSON) ${text}`,
      [...values],
    );
    const withParts = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(withParts)];
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => withParts(Plan)));
  }

  async function scansOf(statement: Statement): Promise<string[]> {
    return (await nodesOf(statement)).flatMap((node) => {
      const table = node['Relation Name'];
      // An empty partition is scanned completely.
      const isCostly = node['Total Cost'] > 500;
      return node['Node Type'] === 'Seq Scan' && isCostly && table !== undefined && LARGE.test(table)
        ? [table]
        : [];
    });
  }

  /** Statements of `work` that read a large table completely. */
  async function readingAll(work: () => Promise<unknown>): Promise<string[]> {
    const asked = new Map((await statementsOf(work)).map((each) => [each.text, each]));
    const found: string[] = asked.size === 0 ? ['nothing was asked'] : [];
    for (const each of asked.values()) {
      if (!/\bFROM\b|\bUPDATE\b/.test(each.text)) continue;
      for (const table of await scansOf(each)) found.push(`${table}: ${each.text}`);
    }
    return found;
  }

  const page = { limit: 50, withinMs: 10_000 } as const;

  it.each<[string, () => Promise<unknown>]>([
    ['counts of documents', () => ledger.documentCounts()],
    ['all counts', () => ledger.counts()],
    ['the holds', () => ledger.holds()],
    ['the first page', () => ledger.page({}, { order: 'newest', ...page })],
    ['the oldest', () => ledger.page({}, { order: 'oldest', ...page })],
    ['a page of one folder', () => ledger.page({ folder: '/scans7' }, { order: 'newest', ...page })],
    ['a page of one endpoint', () => ledger.page({ endpoint: OFFICE }, { order: 'newest', ...page })],
    ['failed documents', () => ledger.page({ states: ['failed'] }, { order: 'newest', ...page })],
    ['duplicates', () => ledger.page({ states: ['duplicate'] }, { order: 'oldest', ...page })],
    [
      'documents by a part of their name',
      () => ledger.page({ search: 'doc-1999' }, { order: 'newest', ...page }),
    ],
    [
      'duplicates with a posted result',
      () => ledger.page({ states: ['duplicate'], search: 'adler' }, { order: 'oldest', ...page }),
    ],
    [
      'duplicates with a value',
      () =>
        ledger.page(
          { states: ['duplicate'], values: [{ pointer: '/total', from: '9' }] },
          { order: 'oldest', ...page },
        ),
    ],
    ['a status that none has', () => ledger.page({ statuses: ['NEVER'] }, { order: 'newest', ...page })],
    [
      'a value that none has',
      () => ledger.page({ values: [{ pointer: '/total', from: '9' }] }, { order: 'oldest', ...page }),
    ],
    ['the counts of everything', () => ledger.tally({}, { withinMs: page.withinMs })],
    [
      'the documents of an hour',
      () => ledger.page({ since: LAST_AT - 3_600_000 }, { order: 'oldest', ...page }),
    ],
    ['a name', () => ledger.find('doc-77')],
    ['one document', () => ledger.detail(77)],
    ['its bytes', () => ledger.bySha256(OFFICE, hashOf('x'))],
    ['whether a name is taken', () => ledger.isNameTaken(OFFICE, 'doc-77')],
    ['the requests of an hour', () => ledger.uploads(LAST_AT - 3_600_000, LAST_AT)],
    ['how many were accepted in an hour', () => ledger.countAccepted(LAST_AT - 3_600_000, LAST_AT)],
    ['the counts of an hour', () => ledger.arrivals(LAST_AT - 3_600_000, LAST_AT, 600_000)],
    ['erasable documents', () => ledger.erasable(FIRST_AT + 100 * EVERY_MS)],
    ['one file', () => ledger.standing({ folder: '/scans7', path: 'scan6.jpg' })],
    ['results', () => ledger.results({ of: 'all', order: 'newest', after: null, limit: 50 })],
    ['results received here', () => ledger.results({ of: 'received', order: 'oldest', after: 7, limit: 50 })],
    ['results of a document', () => ledger.results({ of: 77, order: 'newest', after: null, limit: 50 })],
    ['unmatched results', () => ledger.countResults('unmatched')],
    ['the head', () => ledger.head()],
    ['endpoints', () => ledger.endpoints()],
  ])('uses an index to find %s', async (_what, work) => expect(await readingAll(work)).toEqual([]));

  it('finds posted results, however far apart the numbers of a window are', async () => {
    const { rows } = await ledger.page({ search: 'adler' }, { order: 'oldest', ...page });
    expect(new Set(rows.map(({ documentId }) => documentId))).toEqual(new Set([3, LATE]));
    const recent = await ledger.page(
      { search: 'taxi', since: LAST_AT - 3_600_000 },
      { order: 'oldest', ...page },
    );
    expect(recent.rows).toHaveLength(50);
  });

  it('reads the endpoints once for all files if a search finds none', async () => {
    const asked = await statementsOf(() =>
      ledger.page({ search: 'nothing-like-it' }, { order: 'oldest', ...page }),
    );
    const ofFiles = asked.filter(({ text }) => text.includes('"goneAt"'));
    expect(ofFiles).not.toEqual([]);
    const nodes = (await Promise.all(ofFiles.map((each) => nodesOf(each, 'ANALYZE, ')))).flat();
    const ofEndpoints = nodes.filter((node) => node['Relation Name'] === 'endpoints');
    expect(ofEndpoints.filter(({ 'Actual Loops': loops = 0 }) => loops > 1)).toEqual([]);
  });

  it('stops counting once the caller is gone', async () => {
    const { next, rows } = await ledger.tally({}, { withinMs: 60_000, signal: AbortSignal.abort() });
    expect(next).not.toBeNull();
    const counted = rows.reduce((sum, { count }) => sum + count, 0);
    expect(counted).toBeGreaterThan(0);
    expect(counted).toBeLessThan(DOCUMENTS / 2);
  });

  it('uses an index to walk the files of a folder', async () => {
    const found = await readingAll(async () => {
      for await (const batch of ledger.standings('/scans7')) expect(batch.size).toBeGreaterThan(0);
    });
    expect(found).toEqual([]);
  });

  it('uses an index to write results, retries and erasures', async () => {
    const payload = Buffer.from('{}');
    const result = { at: LAST_AT, baseUrl: OFFICE.baseUrl, status: 'DONE', payload };
    const found = await readingAll(async () => {
      await ledger.recordResult({ ...result, uid: OFFICE.uid, name: 'doc-99' });
      await ledger.recordResult({ ...result, uid: null, name: 'doc-77' });
      expect(await ledger.retry([77, 1_000], LAST_AT)).toBe(1);
      expect((await ledger.retriable(0, 500, LAST_AT)).length).toBeGreaterThan(50);
      await ledger.resend(78, LAST_AT);
      expect(await ledger.erase([79, 80], LAST_AT)).toBe(2);
    });
    expect(found).toEqual([]);
  });

  it('uses an index to admit, claim, begin and finish documents', async () => {
    const query = { endpoint: OFFICE, limit: 10, now: LAST_AT, exceptFolders: [], freshSince: 0 };
    const found = await readingAll(async () => {
      const { document } = await ledger.admit(admission('', 'new', { file: seen('new.jpg', 1, '/scans7') }));
      expect(await ledger.known({ folder: '/scans7', path: 'new.jpg' })).not.toBeNull();
      await ledger.admit(admission('', 'new', { file: seen('copy.jpg', 1, '/scans8') }));
      for (const lane of ['fresh', 'backlog'] as const) {
        const claimed = await ledger.claim({ ...query, lane, longestWaitMs: 3_600_000 });
        expect(claimed.length).toBeGreaterThan(0);
        await ledger.release(claimed.map(({ id }) => id));
      }
      await send(ledger, document.id, { from: LAST_AT, at: LAST_AT });
      await ledger.nextDue(OFFICE, LAST_AT);
      await ledger.sources(document.sha256);
      await ledger.wanted([document.sha256], 0);
      await ledger.waiting(0, 100);
      await ledger.gone('/scans7', ['new.jpg'], LAST_AT);
    });
    expect(found).toEqual([]);
  });
});

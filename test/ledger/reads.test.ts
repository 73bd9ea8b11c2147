import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { expect, it, vi } from 'vitest';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { openPostgresLedger } from '../../src/ledger/openPostgres.ts';
import { sharedLimits } from '../../src/flow/limits/pacer.ts';
import { postgresReader } from '../../src/ledger/postgres/engine.ts';
import { BY_INDEX } from '../../src/ledger/postgres/connection.ts';
import { Statements } from '../../src/ledger/sqlite/statements.ts';
import { openTables } from '../../src/ledger/sqlite/tables.ts';
import { CHAIN, endpointIdOf, folderIdOf } from '../../src/ledger/entries.ts';
import { holdKey, holdsOf } from '../../src/ledger/reads/holds.ts';
import { intakeReads } from '../../src/ledger/reads/intake.ts';
import { originalReads } from '../../src/ledger/reads/originals.ts';
import { pageReads } from '../../src/ledger/reads/pages.ts';
import { heads, queueReads } from '../../src/ledger/reads/queue.ts';
import { createReports } from '../../src/ledger/reads/reports.ts';
import { ONE_AGENT, View } from '../../src/ledger/reads/view.ts';
import { Connector } from '../../src/ledger/postgres/connection.ts';
import { ACCEPTANCE, admission, hashOf, OFFICE, seen } from '../contract/ledger/support.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { freshDatabase, needsPostgres } from '../support/postgres.ts';
import { begin, finish, nextOf } from '../support/uploads.ts';
import { agentOptions, ask, openPostgres, openSqlite } from './support/agents.ts';
import { IN_BUDGET, IN_WINDOW } from '../../src/ledger/steps/send.ts';
import { EVERY_MS, fill, FIRST_AT, folderOf } from './support/fill.ts';

/** No heartbeat falls into what is recorded, and on a busy machine none is late while the tables are filled. */
const UNHURRIED = { leaseMs: 600_000 };

/** The second is planned with what the server knows of the first. */
const SIZES = [
  [0, 300],
  [300, 3_000],
] as const;

/** Every statement that only reads, by what it is asked for. */
function readsOf(view: View, base: number, count: number): Readonly<Record<string, () => Promise<unknown>>> {
  const now = FIRST_AT + count * EVERY_MS;
  const lately = now - 100 * EVERY_MS;
  const intake = intakeReads(view);
  const queue = queueReads(view);
  const originals = originalReads(view);
  const pages = pageReads(view);
  const reports = createReports(view);
  const folder = folderOf(7);
  const id = base + 271;
  const page = (filter: Parameters<typeof reports.page>[0], order: 'newest' | 'oldest' = 'newest') =>
    reports.page(filter, { order, limit: 50, withinMs: 60_000 });
  const head = { endpoint: OFFICE, priority: 0, now, latest: now + 1_000, limit: 64 };
  return {
    known: () => intake.known({ folder, path: 'scan27.jpg' }),
    folderMark: () => intake.folderMark(folder),
    knownIn: () => intake.knownIn(folder, '', ['scan27.jpg', 'scan47.jpg']),
    knownFrom: () => intake.knownFrom(folder, '', { after: 'scan1', upTo: null }, 100),
    'knownFrom to an end': () => intake.knownFrom(folder, '', { after: 'scan1', upTo: 'scan2' }, 100),
    namesIn: () => all(intake.namesIn(folder, '')),
    dirs: () => intake.dirs(folder, ''),
    'dirs of one': () => intake.dirs(folderOf(150), 'pdf'),
    heads: () => heads(view, head),
    'fresh heads': () => heads(view, { ...head, createdSince: now - 20 * EVERY_MS }),
    'stale heads': () => heads(view, { ...head, createdBefore: now - 20 * EVERY_MS }),
    waiting: () => queue.waiting(0, 100),
    retriable: () => queue.retriable(0, 100, now),
    wanted: () => queue.wanted([hashOf(`${count - 1}`), hashOf('none')], now),
    nextDue: () => queue.nextDue(OFFICE, now),
    sources: () => queue.sources(hashOf('27')),
    filesWith: () => queue.filesWith(hashOf('27')),
    attemptTimes: () => queue.attemptTimes(OFFICE, lately, 100),
    'attemptTimes of all': () => queue.attemptTimes(null, lately, 100),
    countAttempts: () => queue.countAttempts(OFFICE, lately, now),
    'countAttempts of all': () => queue.countAttempts(null, lately, now),
    toDispose: () => originals.toDispose(folder, { afterFileId: 0, limit: 50, stays: 0, statuses: null }),
    'toDispose by status': () =>
      originals.toDispose(folder, { afterFileId: 0, limit: 50, stays: 100, statuses: ['DONE', 'X'] }),
    begunDisposals: () => originals.begunDisposals(folder),
    originalsRule: () => reports.originalsRule(folder),
    acceptedOriginals: () => reports.acceptedOriginals(folder, null),
    'acceptedOriginals that stay': () => reports.acceptedOriginals(folder, 100),
    openSplits: () => pages.openSplits(0, 100),
    splitPages: () => pages.splitPages(base + 1504),
    pagesOfBytes: () => pages.pagesOfBytes(OFFICE, hashOf('150')),
    'newest page': () => page({}),
    'oldest page': () => page({}, 'oldest'),
    'page of a folder': () => page({ folder }),
    'page of an endpoint': () => page({ endpoint: OFFICE }),
    'page of failed documents': () => page({ states: ['failed'] }),
    'page of duplicates': () => page({ states: ['duplicate'] }, 'oldest'),
    'page of a status': () => page({ statuses: ['PROCESSING'] }),
    'page of what needs attention': () => page({ attention: 'needed' }),
    'page of what was dismissed': () => page({ attention: 'dismissed' }),
    'page of a search': () => page({ search: 'adler scan' }),
    'page of a folded search': () => page({ search: 'GROSSE jpg' }),
    'page of a message': () => page({ search: 'später' }),
    'page of a hash': () => page({ search: hashOf('27').slice(0, 9) }),
    'page of an amount': () => page({ values: [{ pointer: '/total', from: '7', to: '8' }] }),
    'page of no amount': () => page({ values: [{ pointer: '/total', from: '9' }] }),
    'page of a value': () => page({ values: [{ pointer: '/merchant', contains: 'adler' }] }),
    tally: () => reports.tally({}, { withinMs: 60_000 }),
    'tally of a search': () => reports.tally({ search: 'scan7' }, { withinMs: 60_000 }),
    uploads: () => reports.uploads(lately, now),
    countAccepted: () => reports.countAccepted(lately, now),
    find: () => reports.find('doc-scan27'),
    document: () => reports.document(id),
    detail: () => reports.detail(id),
    isFirstWatch: () => reports.isFirstWatch(folder),
    bySha256: () => reports.bySha256(OFFICE, hashOf('27')),
    isNameTaken: () => reports.isNameTaken(OFFICE, 'doc-scan27'),
    nextSeq: () => reports.nextSeq(OFFICE),
    counts: () => reports.counts(),
    holds: () => reports.holds(),
    endpoints: () => reports.endpoints(),
    seenCounts: () => reports.seenCounts(lately, now),
    arrivals: () => reports.arrivals(lately, now, 60_000),
    standings: () => all(reports.standings(folder)),
    standing: () => reports.standing({ folder, path: 'scan27.jpg' }),
    'standing of a page': () => reports.standing({ folder: folderOf(150), path: 'pdf/scan150.pdf//page 1' }),
    erasable: () => reports.erasable(now, 100),
    results: () => reports.results({ of: 'all', order: 'newest', after: null, limit: 50 }),
    'results received': () => reports.results({ of: 'received', order: 'oldest', after: 7, limit: 50 }),
    'results of a document': () => reports.results({ of: id, order: 'newest', after: null, limit: 50 }),
    'results of none': () => reports.results({ of: 'unmatched', order: 'newest', after: null, limit: 50 }),
    result: () => reports.result(base + 307),
    countResults: () => reports.countResults('all'),
    'countResults of none': () => reports.countResults('unmatched'),
    lastResult: () => reports.lastResult(),
    'a budget': () => view.each(IN_BUDGET, [{ endpoint: endpointIdOf(OFFICE), since: FIRST_AT }]),
    'a rate window': () =>
      view.each(IN_WINDOW, [{ endpoint: endpointIdOf(OFFICE), since: lately, count: 100 }]),
  };
}

async function all<Batch>(batches: AsyncIterable<Batch>): Promise<Batch[]> {
  const found: Batch[] = [];
  for await (const batch of batches) found.push(batch);
  return found;
}

/** What each read goes through as a whole, which only small tables and indexes may be. */
type Scans = Record<string, readonly string[]>;

async function scansOf(
  view: View,
  base: number,
  count: number,
  takeScans: () => readonly string[],
): Promise<Scans> {
  const scans: Scans = {};
  for (const [what, read] of Object.entries(readsOf(view, base, count))) {
    await read();
    const found = [...new Set(takeScans())].sort();
    if (found.length > 0) scans[what] = found;
  }
  return scans;
}

/** Few rows, or of no concern: subqueries, results of one document. */
const SMALL = /^SCAN (?:CONSTANT ROW|dirs|n|r|w|h USING INDEX holds_open|endpoints|be|folders|counts)\b/;

it('reads of the SQLite ledger go along an index', async () => {
  const opened = await openSqlite();
  cleanUp(() => opened.close());
  const { core, journal } = opened;
  const db = openTables(join(dirname(journal), 'ledger.db'), { readOnly: true });
  cleanUp(() => db.close());
  const scans: string[] = [];
  const explained = {
    prepare(text: string) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as unknown as { readonly detail: string }[];
      scans.push(
        ...plan.map(({ detail }) => detail).filter((each) => each.startsWith('SCAN') && !SMALL.test(each)),
      );
      return db.prepare(text);
    },
  };
  for (const [from, to] of SIZES) {
    await fill(core.engine, 0, '', from, to);
    const view = new View(new Statements(explained as unknown as typeof db));
    expect(await scansOf(view, 0, to, () => scans.splice(0))).toEqual({
      counts: ['SCAN d USING INDEX documents_dismissed', 'SCAN f USING INDEX files_attention'],
      seenCounts: ['SCAN f'],
      countResults: ['SCAN results USING COVERING INDEX results_repeats'],
      'countResults of none': ['SCAN s USING INDEX results_unmatched'],
    });
  }
}, 120_000);

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  /** If it was run. */
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

const LARGE = /^(?:documents|files|attempts|requests|results|chain)$/;

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Tables that are read as a whole, and indexes. */
function scansIn(plan: Plan): readonly string[] {
  return nodesOf(plan).flatMap((node) => {
    const {
      'Node Type': type,
      'Relation Name': table = '',
      'Index Name': index,
      'Index Cond': condition,
    } = node;
    const isWhole = type === 'Seq Scan' || (index !== undefined && condition === undefined);
    return isWhole && LARGE.test(table) ? [index ?? table] : [];
  });
}

/** Partial indexes of what is few, or is asked for as a whole. */
const IN_WRITES = new Set(['documents_uploading', 'files_splitting', 'files_disposing', 'holds_open']);

/** Everything that is written often, and what agents decide together. */
function writesOf(ledger: Ledger, base: number, count: number): readonly (() => Promise<void>)[] {
  const now = FIRST_AT + count * EVERY_MS;
  const query = {
    endpoint: OFFICE,
    limit: 10,
    now,
    exceptFolders: [],
    freshSince: 0,
    longestWaitMs: 3_600_000,
  };
  const folder = folderOf(7);
  const result = { at: now, baseUrl: OFFICE.baseUrl, status: 'OTHER', payload: Buffer.from('{}') };
  return [
    async () => {
      const file = seen('new.jpg', 1, folder);
      const { document } = await ledger.admit(admission('', 'new', { file, at: now }));
      await ledger.admit(admission('', 'new', { file: seen('copy.jpg', 1, folderOf(8)), at: now }));
      for (const lane of ['fresh', 'backlog'] as const) await nextOf(ledger, { ...query, lane });
      await finish(ledger, await begin(ledger, document.id, now, 1), { ...ACCEPTANCE, at: now });
      await ledger.recover(now);
      await ledger.gone(folder, ['new.jpg'], now);
    },
    async () => {
      await ledger.recordResult({ ...result, uid: OFFICE.uid, name: 'doc-scan27' });
      await ledger.recordResult({ ...result, uid: null, name: 'doc-scan30' });
      expect(await ledger.retry(await ledger.retriable(0, 10, now), now)).toBeGreaterThan(0);
      expect(await ledger.erase([base + 271, base + 281], now)).toBeGreaterThan(0);
    },
    async () => {
      const rate = { count: 100, intervalMs: 60_000 };
      const limits = { concurrency: 1, rate, perDay: 1_000, perMonth: 9_000 };
      const begins = [{ document: base + 271, bytes: 1, at: now, ...sharedLimits(limits, 'fresh') }];
      await ledger.record(() => ({ ends: [], begins }));
    },
  ];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Statements with parameters that `work` sends from this process. */
async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const query = vi.spyOn(Client.prototype, 'query');
  try {
    await work();
    for (const [first] of query.mock.calls as unknown as [Partial<Statement> | string][])
      if (typeof first === 'object' && first.values !== undefined) sent.push(first as Statement);
  } finally {
    query.mockRestore();
  }
  return sent;
}

it.skipIf(!needsPostgres())(
  'reads answer the same on both engines',
  async () => {
    const opened = await openSqlite();
    cleanUp(() => opened.close());
    const { agent, connection } = await openServer();
    const readers = [opened.core.engine.reader, postgresReader((work) => work(connection))];
    for (const engine of [opened.core.engine, agent.core.engine]) await fill(engine, 0, OWNER, 0, 700);
    const [sqlite = {}, postgres = {}] = readers.map((reader) => readsOf(new View(reader, PLACES), 0, 700));
    const empty: string[] = [];
    for (const [what, read] of Object.entries(sqlite)) {
      const answer = await read();
      const [ours, theirs] = [answer, await postgres[what]?.()].map(what.startsWith('tally') ? sorted : same);
      expect([what, ours]).toEqual([what, theirs]);
      if (isEmpty(answer)) empty.push(what);
    }
    expect(empty).toEqual(EMPTY);
  },
  60_000,
);

/** A tally has no order: its parts are counted side by side, and each engine groups as it likes. */
const sorted = (answer: unknown): unknown => {
  const { rows, ...rest } = answer as Awaited<ReturnType<ReturnType<typeof createReports>['tally']>>;
  return { ...rest, rows: rows.map((row) => JSON.stringify(row)).sort() };
};
const same = (answer: unknown): unknown => answer;

/** What finds nothing in what was filled in. */
const EMPTY = ['folderMark', 'nextDue', 'begunDisposals', 'openSplits', 'page of no amount', 'holds'];

function isEmpty(answer: unknown): boolean {
  if (answer instanceof Set || answer instanceof Map) return answer.size === 0;
  if (Array.isArray(answer)) return answer.length === 0;
  if (typeof answer === 'object' && answer !== null && 'rows' in answer) return isEmpty(answer.rows);
  return answer === null || answer === 0;
}

const OWNER = 'agent:one';
const PLACES = { ...ONE_AGENT, keyOf: (path: string) => ({ owner: OWNER, path }) };

async function openServer() {
  const database = await freshDatabase();
  cleanUp(() => database.remove());
  const agent = await openPostgres(database.url, 'one', UNHURRIED);
  cleanUp(() => agent.close());
  const connection = await new Connector(agentOptions(database.url).target).connect('plans');
  cleanUp(() => connection.close());
  await connection.exec(BY_INDEX);
  return { agent, connection, url: database.url };
}

it.skipIf(!needsPostgres())(
  'what the PostgreSQL ledger reads and writes goes along an index, whatever the server knows of its size',
  async () => {
    const { agent, connection, url } = await openServer();
    const scans: string[] = [];
    const reader = postgresReader((work) =>
      work({
        ...connection,
        async all(text, params) {
          const rows = await connection.all<{ readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
            `EXPLAIN (FORMAT JSON) ${text}`,
            params,
          );
          for (const row of rows)
            for (const { Plan: plan } of row['QUERY PLAN']) scans.push(...scansIn(plan));
          return connection.all(text, params);
        },
      }),
    );
    const number = agent.session.agent;
    const base = number * CHAIN;
    /** Partial indexes, and what is asked about everything. */
    const whole = new Set(['documents_dismissed', 'files_attention', 'files_splitting', 'results_unmatched']);
    const check = async (count: number): Promise<void> => {
      const found = await scansOf(new View(reader, PLACES, () => number), base, count, () => scans.splice(0));
      const { seenCounts, countResults, ...others } = found;
      expect(seenCounts).toEqual(['files']);
      expect(['results_pkey']).toEqual(expect.arrayContaining([...(countResults ?? [])]));
      expect(Object.entries(others).filter(([, names]) => names.some((name) => !whole.has(name)))).toEqual(
        [],
      );
    };
    for (const [from, to] of SIZES) {
      await fill(agent.core.engine, base, OWNER, from, to);
      await check(to);
      await connection.exec('ANALYZE');
    }
    await check(SIZES[1][1]);

    await agent.close();
    // Behind the numbers that were filled in.
    await ask(url, 'UPDATE agents SET seq = 1000000');
    const ledger = await openPostgresLedger(agentOptions(url, 'one', UNHURRIED));
    cleanUp(() => ledger.close());
    for (const work of writesOf(ledger, base, SIZES[1][1])) {
      const asked = new Map((await statementsOf(work)).map((each) => [each.text, each]));
      expect(asked.size).toBeGreaterThan(0);
      for (const { text, values } of asked.values()) {
        if (!/\bFROM\b|\bUPDATE\b/.test(text) || /^\s*(?:SET|LISTEN|EXPLAIN)/.test(text)) continue;
        const params = Object.fromEntries(values.map((value, i) => [`v${i + 1}`, value as string]));
        const rows = await connection.all<{ readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
          `EXPLAIN (FORMAT JSON) ${text.replace(/\$(\d+)/g, ':v$1')}`,
          params,
        );
        const through = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan: plan }) => scansIn(plan)));
        expect(
          through.filter((name) => !IN_WRITES.has(name)),
          text,
        ).toEqual([]);
      }
    }
  },
  120_000,
);

/** Everything waits in one folder; most of it is about to be sent. */
const LONG_QUEUE = `INSERT INTO documents (id, endpoint_id, folder_id, name, path, sha256, type, size, priority, state, due, attempts, replays, answered,
    answer_lost, odd_answers, twin, created_at, updated_at)
  SELECT n, :endpoint::bigint, :folder::bigint, n::text, n::text, n::text, 'jpeg', 1, 0, CASE WHEN n % 3 = 0 THEN 'queued' ELSE 'accepted' END, n, 0, 0, 0, 0, 0, 0, n, n
    FROM generate_series(1, :last::bigint) n`;

it.skipIf(!needsPostgres())('the head of a long queue in PostgreSQL is read without the queue', async () => {
  const { agent, connection } = await openServer();
  const last = 5_000;
  const [endpoint, folder] = [endpointIdOf(OFFICE), folderIdOf(PLACES.keyOf('/scans'))];
  await connection.run(LONG_QUEUE, { endpoint, folder, last });
  await connection.run(`INSERT INTO folders (id, owner, path) VALUES (:folder, :owner, '/scans')`, {
    folder,
    owner: OWNER,
  });
  await connection.run(`INSERT INTO counts VALUES (:endpoint, :folder, 'queued', 0, 1)`, {
    endpoint,
    folder,
  });
  await connection.exec('ANALYZE');
  let read = 0;
  const reader = postgresReader((work) =>
    work({
      ...connection,
      async all(text, params) {
        const rows = await connection.all<{ readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
          params,
        );
        for (const row of rows)
          for (const { Plan: plan } of row['QUERY PLAN'])
            for (const node of nodesOf(plan))
              if (node['Index Name'] !== undefined) read += node['Actual Rows'] * node['Actual Loops'];
        return connection.all(text, params);
      },
    }),
  );
  const view = new View(reader, PLACES, () => agent.session.agent);
  const head = { endpoint: OFFICE, priority: 0, now: last, latest: last, limit: 10 };
  for (const part of [{}, { createdBefore: last - 30 }, { createdSince: 30 }]) {
    read = 0;
    expect((await heads(view, { ...head, ...part }))[0]?.documents).toHaveLength(10);
    expect(read).toBeLessThan(100);
  }
});

it('shows holds of this agent, pauses, and the longest of those that others share, by the paths of this machine', async () => {
  const row = {
    scope: 'folder',
    key: `${OWNER}\n/scans`,
    agent: 1,
    paused: 0,
    shared_until: null,
    reason: 'R',
    message: null,
  };
  const times = { since: 1, until: null, demanded_until: null };
  const service = { ...row, ...times, scope: 'service', key: 'http://s', agent: 2 };
  const rows = [
    { ...row, ...times },
    { ...row, ...times, agent: 3, paused: 1 },
    { ...row, ...times, agent: 2 },
    { ...service, shared_until: 500 },
    { ...service, agent: 3, shared_until: 900 },
    { ...service, key: 'http://long-over', shared_until: -60_000 },
  ];
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as a reader has it
  const reader = { each: <Columns>() => rows as unknown as readonly Columns[] };
  const view = new View(reader, PLACES, () => 1);
  const others = async () => ({ now: 400, names: new Map([[3, 'agent-3']]) });
  expect(await holdsOf(view, others)).toMatchObject([
    { scope: 'folder', key: '/scans', until: null },
    { scope: 'folder', key: '/scans', until: null },
    { scope: 'service', key: 'http://s', until: 900, agent: 'agent-3', leftMs: 500 },
  ]);
  expect(await holdsOf(view, null)).toHaveLength(2);
  expect(holdKey(view, 'folder', '/scans')).toBe(row.key);
});

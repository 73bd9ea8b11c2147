import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { callControl } from '../../src/control/client.ts';
import type { Request } from '../../src/control/protocol/protocol.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { startCluster } from '../../test/support/postgresCluster.ts';
import { postgresBinaries } from '../../test/support/postgresRun.ts';
import type { Bench, Figure, Findings, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { startDaemon } from '../world/daemon.ts';
import { freshDatabase } from '../world/fleetDatabase.ts';
import { openLedgerAgent } from '../world/ledgerAgent.ts';
import { FIRST_PAGE_MS, firstViews, PAGE, SEARCH_MS } from '../world/consoleViews.ts';
import { longOffice, type LongOffice } from '../world/longOffice.ts';
import { median, quantile, times } from '../world/measure.ts';
import { startSink } from '../world/sinkProcess.ts';

const RUNS = 15;
const ASK_EVERY_MS = 20;
const AGENT = 'front';

type Search = Omit<Request<'documents'>, 'cursor' | 'limit'>;

/** Waiting times of an admin for views of a very long ledger, served by a running agent. */
export const console: Scenario = {
  name: 'console',
  title: 'Views of a very long ledger',
  async run(bench) {
    const figures = await onLedger('SQLite', null, bench);
    if (postgresBinaries() === null)
      return { ...figures, skipped: [...figures.skipped, 'This machine has no PostgreSQL.'] };
    const cluster = await startCluster({ durable: true, settings: { shared_buffers: '512MB' } });
    try {
      const database = await freshDatabase(cluster, 'console');
      const shared = await onLedger('PostgreSQL', database.url, bench);
      return {
        figures: [...figures.figures, ...shared.figures],
        skipped: [...figures.skipped, ...shared.skipped],
      };
    } finally {
      await cluster.remove();
    }
  },
};

/** `url`: null for a ledger in SQLite. */
async function onLedger(name: string, url: string | null, { quick, scratch, say }: Bench): Promise<Findings> {
  const count = quick ? 30_000 : 400_000;
  const dir = join(scratch, `console-${name}`);
  const path = join(dir, 'state', 'ledger.db');
  const sink = await startSink();
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const settings = url === null ? {} : { ledger: { kind: 'postgres', url, agent: AGENT } };
    const receiptd = await furnish({ dir, baseUrl: sink.url, settings });
    const ledger =
      url === null ? await openSqliteLedger({ path, clock: systemClock }) : await openLedgerAgent(url, AGENT);
    const office = await longOffice(ledger, sink.url, count);
    say(`${name} contains ${count} files of a messy office`);
    const daemon = await startDaemon(dir, receiptd('run'));
    try {
      await daemon.reconciled();
      const figures = await look(join(dir, 'state'), url === null ? path : null, count, office);
      const views = await firstViews(join(dir, 'state'), office);
      return {
        figures: [...figures, ...(views ?? [])].map((figure) => ({
          ...figure,
          name: `${name}: ${figure.name}`,
        })),
        skipped: views === null ? ['First view: this machine has no Chromium.'] : [],
      };
    } finally {
      await daemon.stop();
    }
  } finally {
    await sink.close();
    await rm(dir, { recursive: true, force: true });
  }
}

/** `path`: null if the ledger is not in SQLite. */
async function look(
  stateDir: string,
  path: string | null,
  count: number,
  office: LongOffice,
): Promise<Figure[]> {
  const page = { order: 'newest' } as const;
  const oldest = new Date(Date.now() - 100 * 24 * 3_600_000).toISOString();
  const total = '/total';
  const searches: Record<string, Search> = {
    'search for one of the newest': { ...page, search: office.newest },
    'search for the oldest': { ...page, search: office.oldest },
    'search without a match': { ...page, search: 'nothing-like-it' },
    'search for three words without a match': { ...page, search: 'hotel nothing-like-it 2026' },
    'search for a posted text': { ...page, search: 'hotel arger' },
    'search for a posted amount': { ...page, search: '411,50' },
    'search by a rare value': { ...page, values: [{ pointer: total, from: '411' }] },
    'search by an unused value': { ...page, values: [{ pointer: total, from: '9999' }] },
    'search by an unused status': { ...page, statuses: ['NEVER'] },
    'search by a rare state': { ...page, states: ['failed'] },
    'search by a common state': { ...page, states: ['accepted'] },
    'search by a folder': { ...page, folder: office.folder },
    'search by a day without documents': { ...page, until: oldest },
  };
  const figures: Figure[] = [{ name: 'files', value: count, unit: 'count', better: null }];
  let rare: readonly number[] = [];
  const slowest = async (what: string, target: number, work: () => Promise<unknown>): Promise<number[]> => {
    const all = await times(work, RUNS);
    figures.push({
      name: `${what}, slowest`,
      value: Math.max(...all),
      unit: 'ms',
      better: 'less',
      target,
      note: `Of ${all.length}; the median is ${median(all).toFixed(median(all) < 10 ? 1 : 0)} ms.`,
    });
    return all;
  };
  await slowest('first page', FIRST_PAGE_MS, () => untilFound(stateDir, page));
  for (const [what, search] of Object.entries(searches)) {
    const all = await slowest(what, SEARCH_MS, () => untilFound(stateDir, search));
    if (what === 'search without a match') rare = all;
  }
  await slowest('counts of the whole list', SEARCH_MS, () => untilCounted(stateDir, {}));
  await slowest('counts of a search', SEARCH_MS, () => untilCounted(stateDir, { search: 'hotel arger' }));
  const overviews = await times(() => callControl(stateDir, 'overview', {}), RUNS);
  figures.push({ name: 'overview', value: median(overviews), unit: 'ms', better: 'less' });
  const [first = NaN] = await times(() => callControl(stateDir, 'history', { minutes: 1440 }), 1);
  const again = await times(() => callControl(stateDir, 'history', { minutes: 1440 }), RUNS);
  figures.push(
    {
      name: 'a day of history',
      value: first,
      unit: 'ms',
      better: 'less',
      note: 'Asked for the first time.',
    },
    { name: 'a day of history, again', value: median(again), unit: 'ms', better: 'less' },
    {
      name: 'status during searches, p99',
      value: quantile(await meanwhile(stateDir), 0.99),
      unit: 'ms',
      better: 'less',
      note: 'Asked repeatedly while searches go through the whole ledger; other requests wait as long.',
    },
  );
  if (path !== null) {
    const bare = await times(async () => scan(path), RUNS);
    figures.push(
      {
        name: 'search without a match vs. a bare scan',
        value: median(rare) / median(bare),
        unit: 'ratio',
        better: 'less',
        note: 'Compared with plain SQLite that reads every name.',
      },
      { name: 'a bare scan', value: median(bare), unit: 'ms', better: null },
    );
  }
  return figures;
}

/** Searches like the console: page by page, until a screen is full or nothing is left. */
async function untilFound(stateDir: string, search: Search): Promise<void> {
  let found = 0;
  let cursor: string | null | undefined;
  while (found < PAGE && cursor !== null) {
    const request = { ...search, limit: PAGE - found, ...(cursor !== undefined && { cursor }) };
    const { rows, next } = await callControl(stateDir, 'documents', request);
    found += rows.length;
    cursor = next;
  }
}

/** Counts like the console: part by part, until everything is counted. */
async function untilCounted(stateDir: string, search: Omit<Search, 'order'>): Promise<void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const more = cursor !== undefined && { cursor };
    ({ next: cursor } = await callControl(stateDir, 'facets', {
      ...search,
      zone: 'Europe/Berlin',
      by: 'month',
      ...more,
    }));
  }
}

/** Milliseconds that `status` takes while another client searches the whole ledger. */
async function meanwhile(stateDir: string): Promise<number[]> {
  const took: number[] = [];
  const over = new AbortController();
  const searching = (async () => {
    for (let n = 0; n < 3; n += 1) await untilFound(stateDir, { order: 'newest', search: 'nothing-like-it' });
  })().finally(() => over.abort());
  while (!over.signal.aborted) {
    took.push(...(await times(() => callControl(stateDir, 'status', {}), 1)));
    await sleep(ASK_EVERY_MS);
  }
  await searching;
  return took;
}

function scan(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.prepare(`SELECT count(*) FROM documents WHERE instr(name, 'nothing-like-it') > 0`).get();
  } finally {
    db.close();
  }
}

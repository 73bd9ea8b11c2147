/**
 * Measures how long people wait when a shared ledger is very large: for commands, the console, and the admission of one image.
 * docs/fleet.md quotes these figures. Starts its own server and fills it:
 *
 *   npm run trials:build && npm run build && node build/bench/fleetSize.js [--documents N] [--runs N] [--wait]
 *
 * With `--wait` it measures nothing, but prints the address of the database and keeps it until Ctrl-C.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callControl } from '../src/control/client.ts';
import type { Request } from '../src/control/protocol/protocol.ts';
import type { Ledger } from '../src/core/ports/ledger.ts';
import { startCluster } from '../test/support/postgresCluster.ts';
import { ENDPOINT, furnish } from './world/agent.ts';
import { startDaemon } from './world/daemon.ts';
import { fillFleet } from './world/fillFleet.ts';
import { asAdmin, databaseProcessorSeconds, freshDatabase } from './world/fleetDatabase.ts';
import { openLedgerAgent } from './world/ledgerAgent.ts';
import { measure, median } from './world/measure.ts';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '5' },
    wait: { type: 'boolean', default: false },
  },
});
const [DOCUMENTS, RUNS] = [Number(values.documents), Number(values.runs)];
const QUEUED = 1_000;
const BASE_URL = 'http://127.0.0.1:9';
const DATABASE = 'size';
const PAGE = 50;
const AGENT = 'front';

const scratch = await mkdtemp(join(tmpdir(), 'receiptd-bench-size-'));
const cluster = await startCluster({ durable: true, settings: { shared_buffers: '512MB' } });
try {
  const { url } = await freshDatabase(cluster, DATABASE);
  await (await openLedgerAgent(url, 'filler')).close();
  const startedAt = performance.now();
  await asAdmin(cluster, DATABASE, (client) =>
    fillFleet(client, {
      baseUrl: BASE_URL,
      accepted: DOCUMENTS - QUEUED,
      queued: QUEUED,
      folders: 1_000,
      endpoints: 100,
      isWhole: true,
    }),
  );
  const [size] = await asAdmin(cluster, DATABASE, async (client) => {
    const { rows } = await client.query<{ size: string }>(
      'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
    );
    return rows;
  });
  console.log(`${DOCUMENTS} documents`, { filledSeconds: seconds(startedAt), database: size?.size });
  if (values.wait) {
    console.log(url);
    // The open connection keeps this process running.
    await asAdmin(cluster, DATABASE, () => once(process, 'SIGINT'));
  } else {
    await measureCommands(url);
    await measureAgent(url);
    await measureAdmission(url);
  }
} finally {
  await cluster.remove();
  await rm(scratch, { recursive: true, force: true });
}

function nameOf(number: number): string {
  const hash = createHash('sha256').update(String(number)).digest('hex');
  return `SCAN${String(number).padStart(8, '0')}-${hash.slice(0, 12)}`;
}

async function office(name: string, url: string) {
  const dir = join(scratch, name);
  await mkdir(join(dir, 'state'), { recursive: true, mode: 0o700 });
  const ledger = { kind: 'postgres', url, agent: name };
  return { dir, receiptd: await furnish({ dir, baseUrl: BASE_URL, settings: { ledger } }) };
}

/** Commands, with no agent running on their machine. */
async function measureCommands(url: string): Promise<void> {
  const { receiptd } = await office('reader', url);
  const commands: Readonly<Record<string, readonly string[]>> = {
    'an empty `list` (only the start)': ['list', '--since', '2999-01-01'],
    'list --limit 50': ['list', '--limit', String(PAGE)],
    'list --state failed': ['list', '--state', 'failed'],
    'list --search, the newest': ['list', '--search', nameOf(DOCUMENTS)],
    'list --search, the oldest': ['list', '--search', nameOf(1)],
    'list --search, absent': ['list', '--search', 'nothing-like-it'],
    'list --search, three words, absent': ['list', '--search', 'hotel nothing-like-it 2026'],
    'show, by name': ['show', nameOf(1)],
    'show, by the beginning of the name': ['show', nameOf(1).slice(0, -6)],
    'show, by file': ['show', 'SCAN00000001.jpg'],
    status: ['status'],
    'fleet status': ['fleet', 'status'],
  };
  for (const [what, args] of Object.entries(commands)) {
    const runs: { readonly wall: number; readonly own: number; readonly server: number }[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const before = await databaseProcessorSeconds(cluster);
      const { wallSeconds, cpuSeconds } = await measure(receiptd(...args));
      runs.push({
        wall: wallSeconds,
        own: cpuSeconds,
        server: (await databaseProcessorSeconds(cluster)) - before,
      });
    }
    const of = (which: 'wall' | 'own' | 'server') => Number(median(runs.map((run) => run[which])).toFixed(2));
    console.log(what.padEnd(42), {
      seconds: of('wall'),
      ownProcessor: of('own'),
      serverProcessor: of('server'),
    });
  }
}

/** Requests of the console to a running agent. */
async function measureAgent(url: string): Promise<void> {
  const { dir, receiptd } = await office(AGENT, url);
  const state = join(dir, 'state');
  const daemon = await startDaemon(dir, receiptd('run'));
  try {
    await daemon.reconciled();
    await timed('console: overview', () => callControl(state, 'overview', {}));
    await timed('console: first page', () => untilFound(state, { order: 'newest' }));
    await timed('console: search, the newest', () =>
      untilFound(state, { order: 'newest', search: nameOf(DOCUMENTS) }),
    );
    await timed('console: search, absent', () =>
      untilFound(state, { order: 'newest', search: 'nothing-like-it' }),
    );
    await timed('console: counts of the whole list', () => untilCounted(state, {}));
    await timed('console: counts of a search', () => untilCounted(state, { search: 'nothing-like-it' }));
  } finally {
    await daemon.stop();
  }
}

async function measureAdmission(url: string): Promise<void> {
  const ledger = await openLedgerAgent(url, 'admitting');
  try {
    let n = 0;
    await timed('one image named', () => admit(ledger, (n += 1)));
  } finally {
    await ledger.close();
  }
}

async function admit(ledger: Ledger, n: number): Promise<void> {
  const sha256 = createHash('sha256').update(`new ${n}`).digest('hex');
  const now = BigInt(Date.now()) * 1_000_000n;
  await ledger.admit({
    endpoint: { baseUrl: BASE_URL, uid: ENDPOINT },
    file: {
      folder: '/srv/scans',
      path: `new-${n}.jpg`,
      identity: { size: 1_000, mtimeNs: now, ctimeNs: now, inode: BigInt(n) },
    },
    sha256,
    type: 'jpeg',
    lane: 'fresh',
    at: Date.now(),
    naming: [`new-${n}-${sha256.slice(0, 12)}`],
  });
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const [wall, server]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run += 1) {
    const before = await databaseProcessorSeconds(cluster);
    const startedAt = performance.now();
    await work();
    wall.push(performance.now() - startedAt);
    server.push(((await databaseProcessorSeconds(cluster)) - before) * 1_000);
  }
  console.log(what.padEnd(42), {
    ms: Math.round(median(wall)),
    serverProcessorMs: Math.round(median(server)),
  });
}

/** Page by page, until a screen is full or nothing is left. */
async function untilFound(
  state: string,
  search: Omit<Request<'documents'>, 'cursor' | 'limit'>,
): Promise<void> {
  let found = 0;
  let cursor: string | null | undefined;
  while (found < PAGE && cursor !== null) {
    const request = { ...search, limit: PAGE - found, ...(cursor !== undefined && { cursor }) };
    const { rows, next } = await callControl(state, 'documents', request);
    found += rows.length;
    cursor = next;
  }
}

async function untilCounted(state: string, search: { readonly search?: string }): Promise<void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const more = cursor !== undefined && { cursor };
    ({ next: cursor } = await callControl(state, 'facets', {
      ...search,
      zone: 'Europe/Berlin',
      by: 'month',
      ...more,
    }));
  }
}

function seconds(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}

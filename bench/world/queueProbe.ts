/**
 * Works on a ledger full of queued documents, in a separate process, so that its memory is that of the ledger.
 *
 *   node --expose-gc queueProbe.js LEDGER BASE-URL SECONDS
 *
 * Prints as JSON the milliseconds of each operation, and the memory after the first tenth and at the end.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { openSqliteReports } from '../../src/ledger/sqlite/openReports.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import type { LedgerReports, ListFilter } from '../../src/core/ports/ledgerReports.ts';
import { ENDPOINT } from './agent.ts';
import { begin, nextOf, finish, type AttemptResult } from '../../test/support/uploads.ts';

export interface QueueReport {
  readonly opened: number;
  readonly documents: number;
  readonly timings: Readonly<Record<string, readonly number[]>>;
  readonly early: NodeJS.MemoryUsage;
  readonly late: NodeJS.MemoryUsage;
}

/** Documents that the flow reads at once. */
const CLAIM_AHEAD = 64;
/** Roughly the bytes that the journal gets for the start or end of an attempt. */
const BARE_BYTES = 512;
const BARE_EVERY = 4;
const ASK_EVERY = 2;
/** Rows that fill a screen. */
const SCREEN = 40;

const [path = '', baseUrl = '', seconds = ''] = process.argv.slice(2);
const endpoint = { baseUrl, uid: ENDPOINT };
const timings: Record<string, number[]> = {};

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Starts in a new turn of the event loop, as after the answer to a request.
  await nextTurn();
  const startedAt = performance.now();
  const value = await work();
  (timings[name] ??= []).push(performance.now() - startedAt);
  return value;
}

async function next(ledger: Ledger): Promise<readonly { readonly id: number; readonly name: string }[]> {
  const now = Date.now();
  const query = { endpoint, limit: CLAIM_AHEAD, now, exceptFolders: [], longestWaitMs: 3_600_000 };
  // Alternates between the lanes, like the flow.
  for (const lane of ['fresh', 'backlog'] as const) {
    const documents = await timed('claim', () =>
      nextOf(ledger, { ...query, lane, freshSince: now - 60_000 }),
    );
    if (documents.length > 0) return documents;
  }
  return [];
}

async function record(ledger: Ledger, id: number): Promise<void> {
  const attempt = await begin(ledger, id, Date.now(), 1_000_000);
  const result: AttemptResult = {
    at: Date.now(),
    outcome: 'accepted',
    httpStatus: 200,
    message: null,
    transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{"status":"PROCESSING"}' },
  };
  await finish(ledger, attempt, result);
}

async function first(reports: LedgerReports, filter: ListFilter): Promise<void> {
  for await (const row of reports.list(filter))
    if (row.documentId === null) throw new Error('a row without a document');
}

/** The queries of `status`, `list` and `show`, which open the ledger for each call. */
async function ask(name: string): Promise<void> {
  const reports = await timed('open to read', () => openSqliteReports({ path }));
  try {
    await timed('status: counts', () => reports.counts());
    await timed('status: holds', () => reports.holds());
    await timed('status: oldest', () =>
      first(reports, { states: ['queued', 'uploading', 'held'], limit: 1 }),
    );
    await timed('list: a screen', () => first(reports, { limit: SCREEN }));
    const [found] = await timed('show: find', () => reports.find(name));
    await timed('show: detail', () => reports.detail(found?.id ?? 0));
  } finally {
    await reports.close();
  }
}

async function appendTwice(): Promise<void> {
  for (let each = 0; each < 2; each += 1) {
    writeSync(bare, Buffer.alloc(BARE_BYTES, 'x'));
    fdatasyncSync(bare);
  }
}

function memoryNow(): NodeJS.MemoryUsage {
  globalThis.gc?.();
  return process.memoryUsage();
}

const openedAt = performance.now();
const ledger = await openSqliteLedger({ path, clock: systemClock });
const opened = performance.now() - openedAt;
const bare = openSync(`${path}.bare`, 'w');
const total = Number(seconds) * 1_000;
const from = performance.now();
let early: NodeJS.MemoryUsage | null = null;
let documents = 0;
for (let round = 0; performance.now() - from < total; round += 1) {
  const due = await next(ledger);
  const [head] = due;
  if (!head) throw new Error('the queue is empty');
  for (const [index, { id }] of due.entries()) {
    await timed('record', () => record(ledger, id));
    if (index % BARE_EVERY === 0) await timed('two bare appends', appendTwice);
    documents += 1;
  }
  if (round % ASK_EVERY === 0) await ask(head.name);
  if (early === null && performance.now() - from > total / 10) early = memoryNow();
}
closeSync(bare);
const late = memoryNow();
await ledger.close();
const report: QueueReport = { opened, documents, timings, early: early ?? late, late };
process.stdout.write(JSON.stringify(report));

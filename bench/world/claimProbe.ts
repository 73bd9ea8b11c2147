/**
 * A separate process, like an agent: takes documents of a shared ledger's queue and records each as sent and accepted.
 *
 *   node claimProbe.js URL NAME BASE-URL FOLDERS SECONDS
 *
 * Starts when standard input receives data. Prints the milliseconds of each operation as JSON.
 */
import { once } from 'node:events';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { ENDPOINT } from './agent.ts';
import { begin, finish, nextOf } from '../../test/support/uploads.ts';
import { openLedgerAgent } from './ledgerAgent.ts';

/** Documents that the flow reads at once. */
const CLAIM_AHEAD = 64;
const TAKEN: ReadonlySet<string> = new Set(['DOCUMENT_TAKEN', 'DOCUMENT_STATE']);

const [url = '', name = '', baseUrl = '', folders = '', seconds = ''] = process.argv.slice(2);
const endpoint = { baseUrl, uid: ENDPOINT };
const shares = new Map(Array.from({ length: Number(folders) }, (_, n) => [`/srv/s${n}`, `s${n}`]));
const timings: Record<string, number[]> = {};

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const value = await work();
  (timings[what] ??= []).push(performance.now() - startedAt);
  return value;
}

async function send(ledger: Ledger, id: number): Promise<void> {
  const attempt = await timed('begin', () => begin(ledger, id, Date.now(), 1_000_000).catch(unlessTaken));
  if (attempt === null) return;
  await timed('finish', () =>
    finish(ledger, attempt, {
      at: Date.now(),
      outcome: 'accepted',
      httpStatus: 200,
      message: null,
      transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{"status":"PROCESSING"}' },
    }),
  );
}

/** Another agent was faster. */
function unlessTaken(error: unknown): null {
  if (error instanceof ReceiptdError && TAKEN.has(error.code)) return null;
  throw error;
}

const ledger = await openLedgerAgent(url, name, shares);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const until = performance.now() + Number(seconds) * 1_000;
while (performance.now() < until) {
  const now = Date.now();
  const query = { endpoint, limit: CLAIM_AHEAD, now, exceptFolders: [], longestWaitMs: 3_600_000 };
  const documents = await timed('claim', () =>
    nextOf(ledger, { ...query, lane: 'backlog', freshSince: now - 60_000 }),
  );
  if (documents.length === 0) throw new Error('the queue is empty');
  await Promise.all(documents.map(({ id }) => send(ledger, id)));
}
await ledger.close();
// Pipes are asynchronous; exiting earlier would lose output.
process.stdout.write(JSON.stringify(timings), () => process.exit(0));

/**
 * Promises P1, P5 and P6 together: a month without the service, receipts by the hundred waiting whose files are all gone,
 * and the morning when it is back.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sha256 } from '../../src/core/sha256.ts';
import type { Document, Lane } from '../../src/core/domain/document.ts';
import { accept, fault, status } from '../support/scriptedService.ts';
import { OFFICE, sendingPlace, type Place, type Sending } from './sending.ts';

const RECEIPTS = 150;
const DAYS = 30;
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RATE = { count: 120, intervalMs: 60_000 };

// p-queue keeps its window on the global clock, which follows the virtual one here.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function advance(place: Place, ms: number, step: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += step) {
    await place.clock.advance(step);
    vi.advanceTimersByTime(step);
  }
}

/** A scan that is overwritten as soon as it is admitted. */
async function scan(place: Place, sending: Sending, name: string, lane: Lane): Promise<Document> {
  const bytes = Buffer.from(`receipt ${name}`);
  const admitted = await sending.payloads.keep({ endpoint: OFFICE, folder: place.scans, bytes }, () =>
    place.ledger.admit({
      endpoint: OFFICE,
      file: {
        folder: place.scans,
        path: 'SCAN0001.jpg',
        identity: { size: bytes.length, mtimeNs: 0n, ctimeNs: 0n, inode: 0n },
      },
      sha256: sha256(bytes),
      type: 'jpeg',
      lane,
      at: place.clock.now(),
      naming: [name],
    }),
  );
  if (!admitted) throw new Error('the spool is full');
  sending.dispatcher.wake();
  return admitted.document;
}

function mostWithin(starts: readonly number[], intervalMs: number): number {
  let most = 0;
  for (let from = 0, to = 0; to < starts.length; to += 1) {
    while ((starts[to] ?? 0) - (starts[from] ?? 0) >= intervalMs) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

it('a month-long outage with 150 receipts loses and fails none, and ends gradually and in order', async () => {
  const place = await sendingPlace();
  const { clock, service, ledger } = place;
  service.script = () => (clock.monotonic() < DAY ? fault('ECONNREFUSED', false) : status(503, '', 2 * HOUR));
  const sending = await place.start({
    overall: { rate: RATE },
    keeping: { mode: 'auto', spoolLimit: 10_000_000 },
  });
  const arrival = new Map<string, number>();
  const perDay = Math.ceil(RECEIPTS / DAYS);
  for (let day = 0; day < DAYS; day += 1) {
    const today = Math.min(perDay, RECEIPTS - arrival.size);
    for (let i = 0; i < today; i += 1) arrival.set(`r${arrival.size}`, arrival.size);
    await Promise.all([...arrival.keys()].slice(-today).map((name) => scan(place, sending, name, 'fresh')));
    await advance(place, DAY, HOUR);
  }
  expect(sending.spool.hashes()).toHaveLength(RECEIPTS);
  expect(service.asked.length).toBeGreaterThan(DAYS * 10);
  // Every few minutes on the first day, then as the service demands.
  expect(service.asked.length).toBeLessThan(24 * 30 + DAYS * 13);
  const states = async () =>
    Object.fromEntries((await ledger.counts()).map(({ state, count }) => [state, count]));
  const { queued = 0, held = 0, ...others } = await states();
  expect(queued + held).toBe(RECEIPTS);
  expect(others).toEqual({});

  const asked = service.asked.length;
  const tried = new Set(service.asked.map(({ name }) => name));
  service.script = async (request) => {
    await clock.sleep(100);
    return accept(request);
  };
  while (service.asked.length === asked) await advance(place, SECOND, 50);
  const backAt = service.asked[asked]?.at ?? 0;
  await advance(place, 2 * 60_000, 100);
  const fresh = await scan(place, sending, 'fresh', 'fresh');
  const freshAt = clock.monotonic();
  while (service.asked.length <= asked + RECEIPTS && clock.monotonic() < freshAt + HOUR)
    await advance(place, 5 * SECOND, 100);

  expect(await states()).toEqual({ accepted: RECEIPTS + 1 });
  const sent = service.asked.slice(asked);
  expect(sent).toHaveLength(RECEIPTS + 1);
  expect(sent.every(({ name, text }) => text === `receipt ${name}`)).toBe(true);
  expect(sending.spool.hashes()).toEqual([]);

  // Gently: one to see whether it is back, and never more than the limits allow.
  expect(sent.filter(({ at }) => at < backAt + 100)).toHaveLength(1);
  expect(
    mostWithin(
      sent.map(({ at }) => at),
      RATE.intervalMs,
    ),
  ).toBeLessThanOrEqual(RATE.count);
  expect(service.mostInFlight).toBeLessThanOrEqual(4);
  // In order: four are under way at once, so neighbours may change places. Probes had their turn during the outage.
  const untried = sent.map(({ name }) => name).filter((name) => arrival.has(name) && !tried.has(name));
  const order = (name: string): number => arrival.get(name) ?? 0;
  const inLine = new Map(untried.toSorted((a, b) => order(a) - order(b)).map((name, index) => [name, index]));
  const displaced = untried.filter((name, index) => Math.abs((inLine.get(name) ?? 0) - index) >= 8);
  // Sixteen are claimed ahead, as fresh, when the day begins; they keep their turn.
  expect(displaced.length).toBeLessThanOrEqual(16);
  // The fresh scan did not wait for all of them.
  const freshSent = sent.find(({ name }) => name === fresh.name)?.at ?? Infinity;
  expect(freshSent - freshAt).toBeLessThan(5 * SECOND);
});

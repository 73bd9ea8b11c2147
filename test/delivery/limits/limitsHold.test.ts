import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { accept, pending } from '../../support/scriptedService.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { Pacer } from '../../../src/delivery/limits/pacer.ts';
import { eventually } from '../../support/fakeClock.ts';
import { inSlot, OFFICE, sendingPlace, SHOP, UNLIMITED } from '../sending.ts';
import { send } from '../../contract/ledger/support.ts';

function mostInAnyWindow(starts: readonly number[], intervalMs: number): number {
  return Math.max(
    0,
    ...starts.map((from) => starts.filter((at) => at >= from && at < from + intervalMs).length),
  );
}

it('keeps the rates of an endpoint and of all together when requests really start, on the real clock', async () => {
  const place = await sendingPlace();
  const overall = { ...UNLIMITED, concurrency: 5, rate: { count: 12, intervalMs: 500 } };
  const limits = { ...UNLIMITED, concurrency: 3, rate: { count: 8, intervalMs: 500 } };
  const pacer = await Pacer.create({
    clock: systemClock,
    ledger: place.ledger,
    overall,
    endpoints: [OFFICE, SHOP].map((key) => ({ key, alias: key.uid, limits })),
  });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const starts: { uid: string; at: number }[] = [];
  const running = { all: 0, office: 0, shop: 0 };
  const most = { all: 0, office: 0, shop: 0 };
  const send = async (key: typeof OFFICE): Promise<void> => {
    const uid = key.uid as 'office' | 'shop';
    const slot = await pacer.waitForTurn(key, Infinity, never);
    if (!slot) throw new Error('no place');
    await inSlot(
      pacer,
      key,
      slot,
      async () => {
        starts.push({ uid, at: performance.now() });
        for (const which of ['all', uid] as const) {
          running[which] += 1;
          most[which] = Math.max(most[which], running[which]);
        }
        await sleep(10 + (starts.length % 7) * 15);
        running.all -= 1;
        running[uid] -= 1;
      },
      never,
    );
  };
  await Promise.all(Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? OFFICE : SHOP)));
  const at = (uid?: string) =>
    starts.filter((each) => uid === undefined || each.uid === uid).map((s) => s.at);
  expect(starts).toHaveLength(40);
  expect(mostInAnyWindow(at(), 500)).toBeLessThanOrEqual(12);
  expect(mostInAnyWindow(at('office'), 500)).toBeLessThanOrEqual(8);
  expect(mostInAnyWindow(at('shop'), 500)).toBeLessThanOrEqual(8);
  expect(most.all).toBeLessThanOrEqual(5);
  expect(most.office).toBeLessThanOrEqual(3);
  expect(most.shop).toBeLessThanOrEqual(3);
  expect(most.all).toBeGreaterThan(1);
});

it('never exceeds the concurrency of an endpoint or of all together', async () => {
  const place = await sendingPlace();
  for (let i = 0; i < 12; i += 1) {
    await place.admit(`o${i}.jpg`);
    await place.admit(`s${i}.jpg`, { endpoint: SHOP });
  }
  const most: Record<string, number> = {};
  const now: Record<string, number> = {};
  place.service.script = async (request) => {
    const { uid } = request.endpoint;
    now[uid] = (now[uid] ?? 0) + 1;
    most[uid] = Math.max(most[uid] ?? 0, now[uid]);
    await place.clock.sleep(1_000);
    now[uid] -= 1;
    return accept(request);
  };
  const sending = await place.start({
    overall: { concurrency: 3 },
    endpoints: [{ key: OFFICE, limits: { concurrency: 2 } }, { key: SHOP }],
  });
  await place.clock.advance(60_000);
  expect(sending.accepted).toHaveLength(24);
  expect(place.service.mostInFlight).toBe(3);
  expect(most['office']).toBe(2);
});

it('takes no slots of other endpoints for an endpoint at its limit', async () => {
  const place = await sendingPlace();
  // As if a run before had just used up the whole window.
  for (const name of ['x.jpg', 'y.jpg']) {
    const { id } = await place.admit(name);
    const attempt = await place.ledger.begin(id, place.clock.now(), 1);
    const transition = { state: 'failed', reason: 'HTTP_400', message: 'No.' } as const;
    const end = { at: place.clock.now(), outcome: 'refused', httpStatus: 400, message: null } as const;
    await place.ledger.finish(attempt, { ...end, transition });
  }
  for (let i = 0; i < 20; i += 1) await place.admit(`o${i}.jpg`);
  for (let i = 0; i < 5; i += 1) await place.admit(`s${i}.jpg`, { endpoint: SHOP });
  const sending = await place.start({
    overall: { concurrency: 2 },
    endpoints: [{ key: OFFICE, limits: { rate: { count: 2, intervalMs: 60_000 } } }, { key: SHOP }],
  });
  await place.clock.advance(1_000);
  expect(sending.accepted.toSorted()).toEqual([0, 1, 2, 3, 4].map((i) => `doc-s${i}.jpg`));
  await place.clock.advance(61_000);
  expect(sending.accepted).toHaveLength(7);
});

it('sends a fresh scan as soon as the rate allows, even if a backlog has to wait longer', async () => {
  const place = await sendingPlace();
  const { clock, ledger } = place;
  const start = clock.now();
  clock.jump(-50_000);
  for (let i = 0; i < 10; i += 1) {
    if (i === 1) clock.jump(start - 10_000 - clock.now());
    const { id } = await place.admit(`old${i}.jpg`);
    await send(ledger, id, { from: clock.now(), at: clock.now() });
  }
  clock.jump(start - clock.now());
  await place.admit('backlog.jpg', { lane: 'backlog' });
  await place.admit('fresh.jpg');
  const sending = await place.start({ overall: { rate: { count: 10, intervalMs: 60_000 } } });
  await clock.advance(9_000);
  expect(sending.accepted).toEqual([]);
  await clock.advance(2_000);
  expect(sending.accepted).toEqual(['doc-fresh.jpg']);
  await clock.advance(50_000);
  expect(sending.accepted).toEqual(['doc-fresh.jpg', 'doc-backlog.jpg']);
});

it('stops promptly, even if running requests never finish', async () => {
  const place = await sendingPlace(6);
  place.service.script = (_, __, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const sending = await place.start();
  await eventually(() => place.service.inFlight === 4);
  await sending.stop();
  expect(place.service.inFlight).toBe(0);
  expect(place.service.asked).toHaveLength(4);
  // At the next start what was in flight is queued again, under its name, and its answer counts as lost.
  expect(await place.ledger.recover(place.clock.now())).toBe(4);
});

it('waits for running requests on shutdown, and starts no new ones', async () => {
  const place = await sendingPlace(3);
  const held = pending();
  place.service.script = () => held.answer;
  const sending = await place.start({ overall: { concurrency: 1 } });
  await eventually(() => place.service.inFlight === 1);
  sending.stopping.abort();
  let ended = false;
  const running = sending.running.then(() => {
    ended = true;
  });
  onTestFinished(() => running);
  await place.clock.advance(1_000);
  expect(ended).toBe(false);
  held.give(accept({ name: 'doc-0.jpg', endpoint: OFFICE } as Parameters<typeof accept>[0]));
  await running;
  expect(sending.accepted).toEqual(['doc-0.jpg']);
  expect(place.service.asked).toHaveLength(1);
});

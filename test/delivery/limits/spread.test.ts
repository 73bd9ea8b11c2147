/** A rate a minute that is spread: what leaves when, and what is said of it. */
import { expect, it } from 'vitest';
import { pending } from '../../support/scriptedService.ts';
import { OFFICE, sendingPlace } from '../sending.ts';

it('spreads a backlog evenly, reports the rate as the cause, and lets a fresh scan go first', async () => {
  const place = await sendingPlace();
  for (let n = 0; n < 20; n += 1) await place.admit(`${n}.jpg`, { lane: 'backlog' });
  const rate = { count: 60, intervalMs: 60_000 };
  const sending = await place.start({ overall: { rate, spread: true } });
  await place.clock.advanceUntil(() => place.service.asked.length === 10, 100);
  const starts = place.service.asked.map(({ at }) => at);
  const gaps = starts.slice(2).map((at, index) => at - (starts[index + 1] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1_400);
  expect(sending.pacer.limitedBy()).toEqual([
    { endpoint: null, rate: '60/min', perMinute: expect.closeTo(53.9, 1) as number },
  ]);

  const since = place.clock.monotonic();
  await place.admit('fresh.jpg');
  sending.dispatcher.wake();
  await place.clock.advanceUntil(() => sending.accepted.includes('doc-fresh.jpg'), 10);
  expect(place.clock.monotonic() - since).toBeLessThan(200);

  await place.clock.advanceUntil(() => sending.accepted.length === 21, 100);
  await place.clock.advance(70_000);
  expect(sending.pacer.limitedBy()).toEqual([]);
});

it('counts a request as running from its headers to its answer, not while it is prepared', async () => {
  const place = await sendingPlace();
  const { pacer } = await place.start();
  const { answer, give } = pending();
  let leave = (): void => {};
  const running = pacer.run(pacer.reserve(OFFICE), async (onStart) => {
    leave = onStart;
    return answer;
  });
  await Promise.resolve();
  expect(pacer.onTheWire).toBe(0);
  leave();
  leave();
  expect(pacer.onTheWire).toBe(1);
  give({ kind: 'fault', sent: true, code: 'X', message: 'X' });
  await running;
  expect(pacer.onTheWire).toBe(0);
});

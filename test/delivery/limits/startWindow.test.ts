import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pacer } from '../../../src/delivery/limits/pacer.ts';
import { StartWindow } from '../../../src/delivery/limits/startWindow.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { OFFICE, UNLIMITED } from '../sending.ts';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Timers keep their time, as they do when somebody sets a machine's clock. */
function setBackByADay(): void {
  vi.setSystemTime(Date.now() - DAY_MS);
}

it('a start that waits for the window waits one interval longer if the clock is set back', async () => {
  const window = new StartWindow({ count: 2, intervalMs: 60_000 });
  let started = 0;
  for (let n = 0; n < 5; n += 1) void window.start().then(() => (started += 1));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(started).toBe(2);
  setBackByADay();
  window.renew();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(started).toBe(2);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(started).toBe(4);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(started).toBe(5);
  expect(vi.getTimerCount()).toBe(0);
});

it('a window for which nothing waits has room again', async () => {
  const window = new StartWindow({ count: 1, intervalMs: 60_000 });
  await window.start();
  setBackByADay();
  window.renew();
  await window.start();
  expect(vi.getTimerCount()).toBe(0);
});

it('the slots that wait for the window are given although nobody asks for another', async () => {
  const rate = { count: 1, intervalMs: 60_000 };
  const endpoint = { key: OFFICE, alias: 'office', limits: { ...UNLIMITED, rate, concurrency: 1 } };
  const pacer = await Pacer.create({
    clock: systemClock,
    ledger: null,
    overall: UNLIMITED,
    endpoints: [endpoint],
  });
  (await pacer.slot(OFFICE, 'fresh', never))();
  let isGiven = false;
  void pacer.slot(OFFICE, 'fresh', never).then(() => (isGiven = true));
  await vi.advanceTimersByTimeAsync(1_000);
  setBackByADay();
  pacer.heedClockJump();
  await vi.advanceTimersByTimeAsync(60_001);
  expect(isGiven).toBe(true);
});

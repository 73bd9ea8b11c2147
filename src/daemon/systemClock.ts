import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

/** Longer sleeps overflow Node's timers and would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(Math.min(Math.max(0, ms), LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
  },
};

import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../core/ports/clock.ts';

/**
 * Milliseconds that this machine has been asleep since it was started. On Linux the time since the start counts sleep, and the
 * monotonic clock does not; elsewhere that can't be told from these two.
 */
export function asleepMs(): number | null {
  return process.platform === 'linux'
    ? uptime() * 1_000 - Number(process.hrtime.bigint() / 1_000_000n)
    : null;
}

/** Longer sleeps overflow Node's timers and would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not timers/promises: it makes a new error for each sleep that is cut short, and most are.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(Math.max(0, ms), LONGEST_TIMER_MS),
      );
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

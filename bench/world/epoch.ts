import { performance } from 'node:perf_hooks';

/** Fractional milliseconds since the epoch; comparable between processes unless the clock is set. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now();
}

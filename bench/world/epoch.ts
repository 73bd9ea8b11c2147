import { performance } from 'node:perf_hooks';

/** Milliseconds of the epoch with fractions; the same in all processes, as long as nobody sets the clock. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now();
}

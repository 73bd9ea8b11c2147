export interface BackoffRange {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** A service that is in trouble is tried again after a second at first, and every five minutes at the latest. */
export const SERVICE_BACKOFF: BackoffRange = { baseMs: 1_000, maxMs: 5 * 60_000 };
/** An endpoint or credentials on hold wait for a person; design "From answer to outcome": 1 → 60 min. */
export const HOLD_BACKOFF: BackoffRange = { baseMs: 60_000, maxMs: 60 * 60_000 };
/** A limit met without a Retry-After. */
export const SLOW_DOWN_BACKOFF: BackoffRange = { baseMs: 2_000, maxMs: 60 * 60_000 };

/**
 * Milliseconds to wait after the `failures`-th failure in a row (1 is the first). Full jitter over the upper
 * half: fifty machines that lost one service do not come back in the same second, and none comes back at once.
 */
export function backoff(failures: number, range: BackoffRange, random: () => number): number {
  const ceiling = Math.min(range.maxMs, range.baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(ceiling * (0.5 + random() / 2));
}

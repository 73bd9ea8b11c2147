export interface BackoffRange {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** A failing service is retried after one second at first, later every five minutes. */
export const SERVICE_BACKOFF: BackoffRange = { baseMs: 1_000, maxMs: 5 * 60_000 };
/** For an endpoint or credentials on hold, which usually need a person; design "From answer to outcome": 1 → 60 min. */
export const HOLD_BACKOFF: BackoffRange = { baseMs: 60_000, maxMs: 60 * 60_000 };
/** For a rate limit answer without Retry-After. */
export const SLOW_DOWN_BACKOFF: BackoffRange = { baseMs: 2_000, maxMs: 60 * 60_000 };

/**
 * Milliseconds to wait after the `failures`-th failure in a row (1 is the first). Full jitter over the upper
 * half: fifty machines that lost the same service do not retry in the same second, and none retries at once.
 */
export function backoff(failures: number, range: BackoffRange, random: () => number): number {
  const ceiling = Math.min(range.maxMs, range.baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(ceiling * (0.5 + random() / 2));
}

/** Wall-clock and monotonic milliseconds, so that tests can let tokens expire without waiting. */
export interface SandboxClock {
  now(): number;
  monotonic(): number;
}

export const systemClock: SandboxClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** ISO 8601 with milliseconds and a numeric UTC offset (interface 2.1). */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}

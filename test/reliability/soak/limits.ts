import { LIMITS, UIDS, type Alias } from './place.ts';

/** How late things may have been seen in a stretch of time, and by how many requests. Monotonic milliseconds. */
export interface Jolt {
  readonly from: number;
  readonly to: number;
  readonly lateMs: number;
  /** The agent was stopped within it: requests that it had begun arrive when it goes on. */
  readonly frozen: boolean;
}

const KEPT_MS = 300_000;
/** Arrivals are judged once everything about their time is known. */
const SETTLED_MS = 5_000;

/**
 * Watches the rate at which uploads arrive: never more than `count` in any window, less what this process or the agent
 * was kept from running, since that moves arrivals closer together than they were sent.
 */
export class RateWatch {
  #jolts: Jolt[] = [];
  readonly #arrivals: Record<Alias, number[]> = { office: [], depot: [] };
  readonly breaches: string[] = [];
  judged = 0;

  jolt(jolt: Jolt): void {
    this.#jolts.push(jolt);
    this.#jolts = this.#jolts.filter(({ to }) => to > jolt.to - KEPT_MS);
  }

  /** `arrivals`: what a sandbox keeps of an endpoint, oldest first; those known already are passed over. */
  look(alias: Alias, arrivals: readonly number[], now: number): void {
    const { count, intervalMs, concurrency } = LIMITS[alias];
    const known = this.#arrivals[alias];
    const latest = known.at(-1) ?? -Infinity;
    for (const at of arrivals) {
      if (at <= latest || at > now - SETTLED_MS) continue;
      known.push(at);
      this.judged += 1;
      const first = known.at(-1 - count);
      if (first === undefined || at - first >= intervalMs) continue;
      const { lateMs, frozen } = this.#lateness(first, at);
      const allowed = frozen ? concurrency : 0;
      const from = known.at(-1 - count - allowed);
      if (from === undefined || at - from >= intervalMs - lateMs) continue;
      const began = known.slice(-1 - count).map((each) => Math.round(each - first));
      this.breaches.push(
        `${alias} (${UIDS[alias]}) got ${count + 1} uploads within ${Math.round(at - first)} ms; ${count} are allowed in ${intervalMs} ms, and ${Math.round(lateMs)} ms are explained; the last at ${new Date(performance.timeOrigin + at).toISOString()}, after ${began.join(' ')}`,
      );
    }
    const longEnough = known.findIndex((at) => at > now - KEPT_MS);
    if (longEnough > 0) known.splice(0, longEnough);
  }

  #lateness(from: number, to: number): { lateMs: number; frozen: boolean } {
    const met = this.#jolts.filter((jolt) => jolt.from <= to && jolt.to >= from);
    return {
      lateMs: Math.max(0, ...met.map(({ lateMs }) => lateMs)),
      frozen: met.some(({ frozen }) => frozen),
    };
  }
}

import { UIDS, type Alias } from '../support/office.ts';
import { LIMITS } from './place.ts';

/** A period in which arrivals may have been noticed late. Monotonic milliseconds. */
export interface Jolt {
  readonly from: number;
  readonly to: number;
  readonly lateMs: number;
  /** The agent was stopped during it, so requests that it had begun arrive when it continues. */
  readonly frozen: boolean;
}

const KEPT_MS = 300_000;
/** Delay before arrivals are judged, so that all jolts of that time are known. */
const SETTLED_MS = 5_000;

/**
 * Watches the arrival rate of uploads: at most `count` in any window, minus delays of this process or the agent, which make arrivals appear
 * closer together than they were sent.
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

  /** `arrivals`: all arrivals of an endpoint that the sandbox keeps, oldest first; known ones are skipped. */
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
        `${alias} (${UIDS[alias]}) got ${count + 1} uploads within ${Math.round(at - first)} ms; the limit is ${count} in ${intervalMs} ms, and delays explain ${Math.round(lateMs)} ms; the last at ${new Date(performance.timeOrigin + at).toISOString()}, after ${began.join(' ')}`,
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

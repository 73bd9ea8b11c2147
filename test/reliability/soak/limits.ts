import { ALIASES, UIDS } from '../support/office.ts';
import type { Upload } from '../support/service.ts';
import { LIMITS } from './place.ts';

/** A period in which arrivals may have been noticed late. Monotonic milliseconds. */
export interface Jolt {
  readonly from: number;
  readonly to: number;
  readonly lateMs: number;
  /** The agent was stopped during it, so requests that it had begun arrive when it continues. */
  readonly frozen: boolean;
}

/** Uploads that came too fast, minus delays of this process or the agent, which make arrivals appear closer together than they were sent. */
export function tooFast(uploads: readonly Upload[], jolts: readonly Jolt[]): string[] {
  return ALIASES.flatMap((alias) => {
    const { count, intervalMs, concurrency } = LIMITS[alias];
    const arrivals = uploads
      .filter(({ uid }) => uid === UIDS[alias])
      .map(({ arrivedAt }) => arrivedAt)
      .sort((a, b) => a - b);
    return arrivals.flatMap((at, index) => {
      const first = arrivals[index - count];
      if (first === undefined || at - first >= intervalMs) return [];
      const met = jolts.filter(({ from, to }) => from <= at && to >= first);
      const lateMs = Math.max(0, ...met.map((jolt) => jolt.lateMs));
      const allowed = met.some(({ frozen }) => frozen) ? concurrency : 0;
      const from = arrivals[index - count - allowed];
      if (from === undefined || at - from >= intervalMs - lateMs) return [];
      return [
        `${alias} got ${count + 1} uploads within ${Math.round(at - first)} ms; the limit is ${count} in ${intervalMs} ms, and delays explain ${Math.round(lateMs)} ms; the last at ${new Date(performance.timeOrigin + at).toISOString()}`,
      ];
    });
  });
}

export function tooManyAtOnce(mostAtOnce: Readonly<Record<string, number>>): string[] {
  const allowed = {
    [UIDS.office]: LIMITS.office.concurrency,
    [UIDS.depot]: LIMITS.depot.concurrency,
    all: LIMITS.concurrency,
  };
  return Object.entries(allowed).flatMap(([who, limit]) => {
    const seen = mostAtOnce[who] ?? 0;
    return seen > limit ? [`${seen} uploads at once (${who}); the limit is ${limit}`] : [];
  });
}

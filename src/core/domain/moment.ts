import type { Clocks } from './clockWatch.ts';

/** A point in time on both clocks: the monotonic one may stop while the machine sleeps, the wall clock may be set back. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export function momentOf(clock: Clocks): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** Age by the clock that shows more: for values that must not be considered valid for too long. */
export function ageOf({ wall, monotonic }: Moment, clock: Clocks): number {
  return Math.max(clock.now() - wall, clock.monotonic() - monotonic);
}

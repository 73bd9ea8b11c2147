import type { Clocks } from './clockWatch.ts';

/** A point in time on both clocks: the monotonic one may stand still while the machine sleeps, the other may be set back. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export function momentOf(clock: Clocks): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** How long ago it was, at the most that either clock says: for what must not be taken for valid too long. */
export function ageOf({ wall, monotonic }: Moment, clock: Clocks): number {
  return Math.max(clock.now() - wall, clock.monotonic() - monotonic);
}

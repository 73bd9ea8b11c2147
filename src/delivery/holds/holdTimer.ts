import type { HoldScope } from '../../core/ports/hold.ts';
import type { Clock } from '../../core/ports/clock.ts';

/** At most one hold of each kind (paused or not) is in force per key. */
export function holdKey(scope: HoldScope, key: string): string {
  return `${scope} ${key}`;
}

/** A closed scope and when it is tried again, on both clocks, since either may jump. */
export interface HoldTimer {
  readonly scope: HoldScope;
  readonly key: string;
  failures: number;
  readonly since: number;
  /** When the latest trouble occurred; monotonic. */
  readonly closedAt: number;
  /** Monotonic. */
  until: number;
  wallUntil: number;
  /** Id of the document being sent as a probe; null if none is. */
  probe: number | null;
  readonly short: boolean;
  /** The service asked to slow down or to wait: only its own probe opens the scope. */
  readonly patient: boolean;
  /** See `Hold`; wall clock. */
  readonly demandedUntil: number | null;
  /** Found by another agent of the fleet, and not by this one since. */
  readonly isOfOther: boolean;
  /** The ledger shows the hold. Once it no longer does, another agent has ended it, possibly on a person's request. */
  isShown: boolean;
  /** When the credentials were last checked for a change; monotonic. */
  checkedAt: number;
}

/** Clocks that differ by less are just being adjusted. */
const CLOCKS_PART_MS = 1_000;

export function endsIn(waitMs: number, clock: Clock): Pick<HoldTimer, 'until' | 'wallUntil'> {
  return { until: clock.monotonic() + waitMs, wallUntil: clock.now() + waitMs };
}

/** Milliseconds until the next try; negative if overdue. */
export function timeLeft({ until, wallUntil }: HoldTimer, clock: Clock): number {
  const left = until - clock.monotonic();
  const leftByWall = wallUntil - clock.now();
  return left - leftByWall > CLOCKS_PART_MS ? leftByWall : left;
}

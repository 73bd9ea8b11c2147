import type { HoldScope } from '../../core/ports/hold.ts';
import type { Clock } from '../../core/ports/clock.ts';

/** One hold of each kind (paused or not) may be in force under it. */
export function holdKey(scope: HoldScope, key: string): string {
  return `${scope} ${key}`;
}

/** A scope that is closed, and until when: on both clocks, since either may jump. */
export interface HoldTimer {
  readonly scope: HoldScope;
  readonly key: string;
  failures: number;
  readonly since: number;
  /** When the latest trouble was met; monotonic. */
  readonly closedAt: number;
  /** Monotonic. */
  until: number;
  wallUntil: number;
  /** The document that is being sent to try it. */
  probe: number | null;
  readonly short: boolean;
  /** Told to slow down, or until when to wait: opened by nothing but its own probe. */
  readonly patient: boolean;
  /** See `Hold`; wall clock. */
  readonly demandedUntil: number | null;
  /** Met with by another agent of the fleet, and by this one not since. */
  readonly isOfOther: boolean;
  /** The ledger shows it: once it does not, another agent, or a person through one, has ended it. */
  isShown: boolean;
  /** When it was last looked whether the credentials have changed; monotonic. */
  checkedAt: number;
}

/** Less than this is the usual correcting of a clock. */
const CLOCKS_PART_MS = 1_000;

export function endsIn(waitMs: number, clock: Clock): Pick<HoldTimer, 'until' | 'wallUntil'> {
  return { until: clock.monotonic() + waitMs, wallUntil: clock.now() + waitMs };
}

/** Milliseconds until it is tried again; negative when that is overdue. */
export function timeLeft({ until, wallUntil }: HoldTimer, clock: Clock): number {
  const left = until - clock.monotonic();
  const leftByWall = wallUntil - clock.now();
  return left - leftByWall > CLOCKS_PART_MS ? leftByWall : left;
}

import { backoff, type BackoffRange } from '../../core/domain/backoff.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Hold, HoldScope } from '../../core/domain/hold.ts';

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

/** How long trouble closes a scope. */
export interface HoldTrouble {
  readonly range: BackoffRange;
  /** The wait that the service asked for. */
  readonly retryAfterMs: number | null;
  /** Resolves itself; otherwise a person has to. */
  readonly short: boolean;
  readonly patient?: boolean;
}

/** Clocks that differ by less are just being adjusted. */
const CLOCKS_PART_MS = 1_000;
/** Longest Retry-After that is honoured; more must be a mistake. */
const LONGEST_DEMAND_MS = 24 * 60 * 60_000;
/** By then, the agent that found the trouble has tried again. */
const FIRST_TRY_MS = 2_000;
/** Two readings of the same time on the ledger's clock differ by no more. */
const SAME_MS = 100;
/** What is assumed of trouble that an earlier run or another agent ran into. */
const NOT_OURS = { failures: 1, probe: null, short: true, isShown: true, checkedAt: 0 };

/**
 * The closed scopes, and when each is tried again: the times of holds.ts, without what the ledger shows of them. That time
 * is kept on both clocks, because monotonic time may stand still while the machine sleeps and the wall clock may be set; if they disagree, the earlier
 * time counts, so that nothing waits longer than its back-off.
 */
export class HoldTimers {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #timers = new Map<string, HoldTimer>();
  /** Start of holds from an earlier run that are being retried: if that fails, it is the same trouble. */
  readonly #before = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Number of closed scopes. */
  get size(): number {
    return this.#timers.size;
  }

  /** Whether nothing is closed, nor was in an earlier run without having been tried since. */
  get isEmpty(): boolean {
    return this.#timers.size + this.#before.size === 0;
  }

  get(scope: HoldScope, key: string): HoldTimer | undefined {
    return this.#timers.get(holdKey(scope, key));
  }

  all(): HoldTimer[] {
    return [...this.#timers.values()];
  }

  /** Milliseconds until the next try; negative if overdue. */
  leftMs({ until, wallUntil }: HoldTimer): number {
    const left = until - this.#clock.monotonic();
    const leftByWall = wallUntil - this.#clock.now();
    return left - leftByWall > CLOCKS_PART_MS ? leftByWall : left;
  }

  /**
   * Closes a scope because document `id` ran into trouble. `askedMs`: how long the service asked to wait. Null if the scope was closed
   * already and this changes nothing.
   */
  close(
    scope: HoldScope,
    key: string,
    id: number,
    { range, retryAfterMs, short, patient = false }: HoldTrouble,
  ) {
    const before = this.get(scope, key);
    const askedMs = Math.min(retryAfterMs ?? 0, LONGEST_DEMAND_MS);
    const isNew = !before || (before.probe === null ? this.leftMs(before) <= 0 : before.probe === id);
    /** The hold that goes on. */
    const current = isNew ? undefined : before;
    const leftMs = current ? this.leftMs(current) : 0;
    const demandedBefore = current?.demandedUntil ?? null;
    const demandedUntil =
      askedMs > 0 ? Math.max(Math.ceil(this.#clock.now() + askedMs), demandedBefore ?? 0) : demandedBefore;
    // Requests that were in flight when the scope closed bring nothing new, even while another one probes it, except a longer wait.
    if (current && askedMs <= leftMs && demandedUntil === demandedBefore) {
      // But a success from before this trouble no longer shows that the scope works.
      Object.assign(current, { closedAt: this.#clock.monotonic() });
      return null;
    }
    const failures = (before?.failures ?? 0) + (isNew ? 1 : 0);
    const waitMs = Math.max(askedMs, isNew ? backoff(failures, range, this.#random) : leftMs);
    const timer = this.#set({
      scope,
      key,
      failures,
      since: before?.since ?? this.#before.get(holdKey(scope, key)) ?? this.#clock.now(),
      ...this.#endingIn(waitMs),
      probe: current?.probe ?? null,
      short,
      patient: patient || demandedUntil !== null,
      demandedUntil,
      isOfOther: false,
      isShown: false,
      checkedAt: before?.checkedAt ?? this.#clock.monotonic(),
    });
    return { timer, before, waitMs, askedMs };
  }

  /**
   * Closes the scope of a hold from an earlier run for the rest of the wait that the service asked for. False if it did not, or the
   * wait is over: the scope is tried again at once.
   */
  closeAgain({ scope, key, since, demandedUntil }: Hold): boolean {
    // A hold with more time left than it was to last results from a wrong clock.
    const waitMs =
      demandedUntil === null
        ? 0
        : Math.min(demandedUntil - this.#clock.now(), demandedUntil - since, LONGEST_DEMAND_MS);
    if (waitMs <= 0) {
      this.#before.set(holdKey(scope, key), since);
      return false;
    }
    const ends = this.#endingIn(waitMs);
    this.#set({ ...NOT_OURS, scope, key, since, demandedUntil, ...ends, patient: true, isOfOther: false });
    return true;
  }

  /**
   * Closes a scope because another agent ran into trouble. That agent tries first; the others follow a little later, at random
   * times. False if the hold is over or already known here.
   */
  heed({ scope, key, since, demandedUntil, leftMs = 0 }: Hold): boolean {
    const before = this.get(scope, key);
    const patient = demandedUntil !== null || before?.patient === true;
    const leftHereMs = before ? this.leftMs(before) : 0;
    const isKnown = leftHereMs >= leftMs - SAME_MS && (before?.patient ?? false) === patient;
    if (leftMs <= 0 || isKnown) return false;
    const waitMs = Math.min(leftMs, LONGEST_DEMAND_MS);
    const laterMs = Math.min(waitMs, FIRST_TRY_MS) * (0.5 + this.#random());
    const known = before ?? { ...NOT_OURS, scope, key, since, demandedUntil: null, isOfOther: true };
    this.#set({ ...known, ...this.#endingIn(Math.max(waitMs + laterMs, leftHereMs)), patient });
    return true;
  }

  /** Removes and returns those of `shown` that the ledger no longer shows. While a probe is in flight, its answer decides instead. */
  takeEnded(shown: readonly HoldTimer[], holds: readonly Hold[]): HoldTimer[] {
    const ended = shown.filter((timer) => {
      const { scope, key, isOfOther, probe } = timer;
      if (!this.isCurrent(timer) || probe !== null) return false;
      return !holds.some(
        (hold) =>
          hold.scope === scope &&
          hold.key === key &&
          hold.reason !== 'PAUSED' &&
          (isOfOther || hold.agent === undefined),
      );
    });
    for (const { scope, key } of ended) this.#timers.delete(holdKey(scope, key));
    return ended;
  }

  /** Tries the scope again in `waitMs`, with a fresh back-off. */
  retryIn(timer: HoldTimer, waitMs: number): void {
    Object.assign(timer, this.#endsIn(waitMs), { failures: 0 });
  }

  /** Whether the hold has neither ended nor been extended since. */
  isCurrent(timer: HoldTimer): boolean {
    return this.get(timer.scope, timer.key) === timer;
  }

  /** Opens a scope. Returns what closed it, if anything did. */
  open(scope: HoldScope, key: string): HoldTimer | undefined {
    const timer = this.get(scope, key);
    this.#before.delete(holdKey(scope, key));
    this.#timers.delete(holdKey(scope, key));
    return timer;
  }

  #set(timer: HoldTimer): HoldTimer {
    this.#timers.set(holdKey(timer.scope, timer.key), timer);
    return timer;
  }

  #endingIn(waitMs: number): Pick<HoldTimer, 'closedAt' | 'until' | 'wallUntil'> {
    return { closedAt: this.#clock.monotonic(), ...this.#endsIn(waitMs) };
  }

  #endsIn(waitMs: number): Pick<HoldTimer, 'until' | 'wallUntil'> {
    return { until: this.#clock.monotonic() + waitMs, wallUntil: this.#clock.now() + waitMs };
  }
}

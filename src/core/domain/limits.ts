import type { Rate } from './rate.ts';

/** Cap on the margin added to a window: network and scheduling can make two requests arrive closer together than sent. */
const MARGIN_MS = 100;
const MARGIN_SHARE = 0.05;
/** In longer windows, a backlog burst could block fresh scans for longer than people at a scanner wait. */
const LONG_WINDOW_MS = 2_000;
const FRESH_SHARE = 0.1;
/** Minimum burst of fresh scans, after a pause or next to a backlog, however low the rate. */
const LEAST_AT_ONCE = 3;
/** Share of the backlog spacing by which a start may be early, to make up for a late one. */
const MADE_UP_FOR = 0.1;

/** The sliding window for a rate: its length, and the number of slots reserved for fresh scans. */
export function windowOf({ count, intervalMs }: Rate): {
  readonly intervalMs: number;
  readonly reserved: number;
} {
  return {
    intervalMs: intervalMs + Math.min(MARGIN_MS, intervalMs * MARGIN_SHARE),
    reserved: intervalMs > LONG_WINDOW_MS && count >= 4 ? Math.max(1, Math.floor(count * FRESH_SHARE)) : 0,
  };
}

/** Backlog uploads per minute that a rate allows. */
export function backlogPerMinute(rate: Rate): number {
  const { intervalMs, reserved } = windowOf(rate);
  return ((rate.count - reserved) * 60_000) / intervalMs;
}

/**
 * Spaces starts evenly, so that a long window is not used up at once. `#due` is the theoretical arrival time of the next
 * start (generic cell rate algorithm, ITU-T I.371). A start may be early by:
 *
 *   backlog   a tenth of the spacing, to make up for late starts
 *   fresh     a tenth of the window, at least three starts, so that a few scans never wait
 */
class Spacing {
  readonly #freshMs: number;
  readonly #backlogMs: number;
  readonly #freshEarlyMs: number;
  #due = -Infinity;

  constructor(rate: Rate) {
    const { intervalMs, reserved } = windowOf(rate);
    this.#freshMs = intervalMs / rate.count;
    this.#backlogMs = intervalMs / (rate.count - reserved);
    this.#freshEarlyMs = this.#freshMs * Math.max(LEAST_AT_ONCE, reserved);
  }

  delay(now: number, forBacklog: boolean): number {
    const earlyMs = forBacklog ? this.#backlogMs * MADE_UP_FOR : this.#freshEarlyMs;
    // The tolerance absorbs floating-point errors in the summed spacing.
    return Math.max(0, Math.ceil(this.#due - earlyMs - now - 0.01));
  }

  start(now: number, forBacklog: boolean): void {
    this.#due = Math.max(now, this.#due) + (forBacklog ? this.#backlogMs : this.#freshMs);
  }

  takeBack(forBacklog: boolean): void {
    this.#due -= forBacklog ? this.#backlogMs : this.#freshMs;
  }
}

/**
 * A strict sliding window: never more than `rate.count` starts in any `rate.intervalMs`. Seeded with starts of earlier
 * processes, so that a restart does not open a fresh window (promise P6). Times are monotonic. A place is
 *
 *   free ──take──▶ taken ──started──▶ used ──an interval passes──▶ free
 *     ▲              └──giveBack──▶ free
 */
export class RateWindow {
  readonly #count: number;
  readonly #intervalMs: number;
  readonly #reserved: number;
  /** In order. */
  readonly #starts: number[];
  /** Requests that are about to start. */
  #taken = 0;
  readonly #spacing: Spacing | null;

  /** `spread`: also spaces starts evenly in long windows. */
  constructor(rate: Rate, seeds: readonly number[] = [], spread = false) {
    this.#count = rate.count;
    const { intervalMs, reserved } = windowOf(rate);
    this.#intervalMs = intervalMs;
    this.#reserved = reserved;
    this.#starts = [...seeds].sort((a, b) => a - b);
    this.#spacing = spread && rate.intervalMs > LONG_WINDOW_MS ? new Spacing(rate) : null;
    for (const at of this.#starts) this.#spacing?.start(at, false);
  }

  /** Milliseconds until a request may start. Long windows reserve a share for fresh scans. */
  delay(now: number, forBacklog: boolean): number {
    return Math.max(this.#windowDelay(now, forBacklog), this.#spacing?.delay(now, forBacklog) ?? 0);
  }

  #windowDelay(now: number, forBacklog: boolean): number {
    this.#forget(now);
    const cap = this.#count - (forBacklog ? this.#reserved : 0);
    const used = this.#starts.length + this.#taken;
    if (used < cap) return 0;
    const freed = this.#starts[used - cap];
    if (freed === undefined) return this.#intervalMs;
    return Math.max(1, Math.ceil(freed + this.#intervalMs - now));
  }

  take(now: number, forBacklog: boolean): void {
    this.#taken += 1;
    this.#spacing?.start(now, forBacklog);
  }

  started(now: number): void {
    this.#taken -= 1;
    this.#starts.push(now);
  }

  giveBack(forBacklog: boolean): void {
    this.#taken -= 1;
    this.#spacing?.takeBack(forBacklog);
  }

  #forget(now: number): void {
    let expired = 0;
    while (expired < this.#starts.length && (this.#starts[expired] ?? 0) + this.#intervalMs <= now)
      expired += 1;
    if (expired > 0) this.#starts.splice(0, expired);
  }
}

export const BUDGET_PERIODS = ['day', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The setting that limits each budget period. */
export const BUDGET_LIMITS = { day: 'perDay', month: 'perMonth' } as const satisfies Record<
  BudgetPeriod,
  string
>;

/** Number of date fields (year, month, day) that identify a period. */
const FIELDS: Readonly<Record<BudgetPeriod, number>> = { month: 2, day: 3 };

/** Year, month and day on which the date's period begins, or the one `offset` periods away. */
function beginning(period: BudgetPeriod, date: readonly number[], offset = 0): [number, number, number] {
  const last = FIELDS[period] - 1;
  const [year = 0, month = 0, day = 1] = date
    .slice(0, last + 1)
    .map((field, index) => (index === last ? field + offset : field));
  return [year, month, day];
}

function localDate(at: number): number[] {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth(), date.getDate()];
}

/** Start of the local calendar day or month that contains `at`, or of the one `offset` periods away. */
export function periodStart(period: BudgetPeriod, at: number, offset = 0): number {
  return new Date(...beginning(period, localDate(at), offset)).getTime();
}

/** Local calendar day or month that contains `at`: `2026-03-09` or `2026-03`. Sorts chronologically. */
export function dateText(period: BudgetPeriod, at: number): string {
  return new Date(dateOf(period, at)).toISOString().slice(0, 1 + 3 * FIELDS[period]);
}

/** Calendar day or month as a number; later ones are greater, even if the time zone changes meanwhile. */
function dateOf(period: BudgetPeriod, at: number): number {
  return Date.UTC(...beginning(period, localDate(at)));
}

function dateAfter(period: BudgetPeriod, date: number): number {
  const of = new Date(date);
  const fields = [of.getUTCFullYear(), of.getUTCMonth(), of.getUTCDate()];
  return Date.UTC(...beginning(period, fields, 1));
}

/** When that date begins, in the current time zone. */
function beginOf(date: number): number {
  const of = new Date(date);
  return new Date(of.getUTCFullYear(), of.getUTCMonth(), of.getUTCDate()).getTime();
}

/** Requests recorded at a time ahead of the clock. */
export interface Ahead {
  readonly at: number;
  /** Requests in the period that contains it. */
  readonly used: number;
}

/** A budget that is used up until then (milliseconds). */
export interface Spent {
  readonly period: BudgetPeriod;
  readonly limit: number;
  readonly untilAt: number;
}

/** Limits the requests in a local calendar day or month. Times are wall-clock milliseconds. */
export class Budget {
  readonly period: BudgetPeriod;
  readonly limit: number;
  #date: number;
  #used: number;
  /** Since it was made. */
  #sent = 0;
  #ahead: { readonly date: number; readonly used: number } | null;
  /** Taken but not sent yet. They may be sent before or after midnight, so they count in both periods. */
  #pending = 0;

  /**
   * `used`: requests recorded since the start of the period that contains `now`. `ahead`: set if the clock is behind recorded
   * requests, for example after booting without a clock battery; once the clock is right, that period continues.
   */
  constructor(period: BudgetPeriod, limit: number, used: number, now: number, ahead: Ahead | null = null) {
    this.period = period;
    this.limit = limit;
    this.#used = used;
    this.#ahead = ahead && { date: dateOf(period, ahead.at), used: ahead.used };
    this.#date = Math.max(dateOf(period, now), this.#ahead?.date ?? 0);
  }

  /**
   * A clock set back must not open a second budget: a period is never left for an earlier one, or for the same date in
   * another time zone. A clock that was years ahead must not block uploads for years: the wait is at most until the next period.
   */
  delay(now: number): number {
    this.#moveTo(dateOf(this.period, now));
    if (this.#used < this.limit) return 0;
    return Math.max(1, beginOf(dateAfter(this.period, this.#date)) - now);
  }

  /** Null while some of the budget is left. */
  spent(now: number): Spent | null {
    const ms = this.delay(now);
    return ms === 0 ? null : { period: this.period, limit: this.limit, untilAt: now + ms };
  }

  #moveTo(date: number): void {
    if (date > this.#date) this.#begin(date);
    this.#date = Math.min(this.#date, dateAfter(this.period, date));
  }

  #begin(date: number): void {
    const isNext = date === dateAfter(this.period, this.#date);
    const ahead = this.#ahead;
    this.#date = date;
    this.#used = this.#pending;
    if (ahead === null) return;
    if (date >= ahead.date) this.#ahead = null;
    if (isNext && date !== ahead.date) return;
    // The clock was corrected. Requests sent while it was wrong have no known day, so count them on this one.
    this.#used += this.#sent + (date === ahead.date ? ahead.used : 0);
  }

  take(): void {
    this.#used += 1;
    this.#pending += 1;
  }

  started(now: number): void {
    // Before it stops being pending: nothing else may have noticed yet that a new period has begun.
    this.#moveTo(dateOf(this.period, now));
    this.#pending -= 1;
    this.#sent += 1;
  }

  giveBack(): void {
    this.#pending -= 1;
    this.#used -= 1;
  }
}

import type { Rate } from './rate.ts';

/** Network and scheduling can bring two requests closer together than they were sent; at most this much is allowed for. */
const MARGIN_MS = 100;
const MARGIN_SHARE = 0.05;
/** A window this long lets a burst of backlog shut fresh scans out for longer than people at a scanner wait. */
const LONG_WINDOW_MS = 2_000;
const FRESH_SHARE = 0.1;
/** So many fresh scans go at once after a pause, and beside a backlog, however low the rate. */
const LEAST_AT_ONCE = 3;
/** Of the distance between two starts of a backlog: so much the next may come earlier where one came late. */
const MADE_UP_FOR = 0.1;

/** A request for which a fleet's window has a place leaves so soon after it was asked for, or asks again. */
export const ENTERED_FOR_MS = 200;

interface Start {
  /** Monotonic milliseconds; Infinity while the request is about to be sent. */
  at: number;
}

/** A place in the windows of one request. Exactly one of `sent` and `cancel` is called. */
export interface Reservation {
  sent(now: number): void;
  cancel(): void;
}

/** The window that a rate stands for: how long it is, and how many of its places are kept for fresh scans. */
export function windowOf({ count, intervalMs }: Rate): {
  readonly intervalMs: number;
  readonly reserved: number;
} {
  return {
    intervalMs: intervalMs + Math.min(MARGIN_MS, intervalMs * MARGIN_SHARE),
    reserved: intervalMs > LONG_WINDOW_MS && count >= 4 ? Math.max(1, Math.floor(count * FRESH_SHARE)) : 0,
  };
}

/** How many starts of a backlog a rate lets through in a minute. */
export function backlogPerMinute(rate: Rate): number {
  const { intervalMs, reserved } = windowOf(rate);
  return ((rate.count - reserved) * 60_000) / intervalMs;
}

/**
 * Keeps starts an even distance apart, so that a long window is not used up at once. `#due` is when the next start
 * falls due in a row without gaps (the generic cell rate algorithm, ITU-T I.371); so much earlier may one be:
 *
 *   backlog   a tenth of a distance, so that one that comes late is made up for
 *   fresh     a tenth of the window, and three at least, so that a few scans never wait
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
    // Sums of distances are not exact.
    return Math.max(0, Math.ceil(this.#due - earlyMs - now - 0.01));
  }

  /** How much later the next one is due for it. */
  start(now: number, forBacklog: boolean): number {
    const ms = forBacklog ? this.#backlogMs : this.#freshMs;
    this.#due = Math.max(now, this.#due) + ms;
    return ms;
  }

  takeBack(ms: number): void {
    this.#due -= ms;
  }
}

/**
 * A strict sliding window: never more than `rate.count` starts in any `rate.intervalMs`. Seeded with starts from
 * before this process, so that a restart does not open a fresh window (promise P6). Times are monotonic.
 */
export class RateWindow {
  readonly #count: number;
  readonly #intervalMs: number;
  readonly #reserved: number;
  #starts: Start[] = [];
  readonly #spacing: Spacing | null;

  /** `spread`: starts are kept apart as well, where the window is a long one. */
  constructor(rate: Rate, seeds: readonly number[] = [], spread = false) {
    this.#count = rate.count;
    const { intervalMs, reserved } = windowOf(rate);
    this.#intervalMs = intervalMs;
    this.#reserved = reserved;
    this.#starts = [...seeds].sort((a, b) => a - b).map((at) => ({ at }));
    this.#spacing = spread && rate.intervalMs > LONG_WINDOW_MS ? new Spacing(rate) : null;
    for (const { at } of this.#starts) this.#spacing?.start(at, false);
  }

  /** Milliseconds until a request may start; a share of long windows is kept for fresh scans. */
  delay(now: number, forBacklog: boolean): number {
    return Math.max(this.#windowDelay(now, forBacklog), this.#spacing?.delay(now, forBacklog) ?? 0);
  }

  #windowDelay(now: number, forBacklog: boolean): number {
    this.#forget(now);
    const cap = this.#count - (forBacklog ? this.#reserved : 0);
    if (this.#starts.length < cap) return 0;
    const freed = this.#starts[this.#starts.length - cap];
    if (freed === undefined || freed.at === Infinity) return this.#intervalMs;
    return Math.max(1, Math.ceil(freed.at + this.#intervalMs - now));
  }

  reserve(now: number, forBacklog: boolean): Reservation {
    const start: Start = { at: Infinity };
    this.#starts.push(start);
    const spacedMs = this.#spacing?.start(now, forBacklog) ?? 0;
    return {
      sent: (at) => {
        start.at = at;
        this.#starts.sort((a, b) => a.at - b.at);
      },
      cancel: () => {
        this.#starts = this.#starts.filter((other) => other !== start);
        this.#spacing?.takeBack(spacedMs);
      },
    };
  }

  #forget(now: number): void {
    let expired = 0;
    while (expired < this.#starts.length && (this.#starts[expired]?.at ?? 0) + this.#intervalMs <= now)
      expired += 1;
    if (expired > 0) this.#starts.splice(0, expired);
  }
}

export const BUDGET_PERIODS = ['day', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The limit that each is the budget of. */
export const BUDGET_LIMITS = { day: 'perDay', month: 'perMonth' } as const satisfies Record<
  BudgetPeriod,
  string
>;

/** How many fields of a date say which it is: the year, the month, the day. */
const FIELDS: Readonly<Record<BudgetPeriod, number>> = { month: 2, day: 3 };

/** Year, month and day at which the period begins that holds the date, or one that is `offset` periods away. */
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

/** Start of the calendar day or month, local time, that holds `at`; `offset` counts periods from there. */
export function periodStart(period: BudgetPeriod, at: number, offset = 0): number {
  return new Date(...beginning(period, localDate(at), offset)).getTime();
}

/** The calendar day or month, local time, that holds `at`: `2026-03-09` or `2026-03`. Later ones sort behind earlier ones. */
export function dateText(period: BudgetPeriod, at: number): string {
  return new Date(dateOf(period, at)).toISOString().slice(0, 1 + 3 * FIELDS[period]);
}

/** A calendar day or month as a number that is greater for a later one, whatever the time zone has become meanwhile. */
function dateOf(period: BudgetPeriod, at: number): number {
  return Date.UTC(...beginning(period, localDate(at)));
}

function dateAfter(period: BudgetPeriod, date: number): number {
  const of = new Date(date);
  const fields = [of.getUTCFullYear(), of.getUTCMonth(), of.getUTCDate()];
  return Date.UTC(...beginning(period, fields, 1));
}

/** When it begins, in the time zone of now. */
function beginOf(date: number): number {
  const of = new Date(date);
  return new Date(of.getUTCFullYear(), of.getUTCMonth(), of.getUTCDate()).getTime();
}

/** What the record says of a time that lies ahead of the clock. */
export interface Ahead {
  readonly at: number;
  /** In the period that holds it. */
  readonly used: number;
}

/** A number of requests in a calendar day or month, local time. Wall-clock milliseconds. */
/** A budget that lets nothing through until then (milliseconds). */
export interface Spent {
  readonly period: BudgetPeriod;
  readonly limit: number;
  readonly untilAt: number;
}

export class Budget {
  readonly period: BudgetPeriod;
  readonly limit: number;
  #date: number;
  #used: number;
  /** Since it was made. */
  #sent = 0;
  #ahead: { readonly date: number; readonly used: number } | null;
  /** Reserved and not sent yet: on which side of midnight those fall is not known, so they count on both. */
  #pending = 0;

  /**
   * `used` requests were recorded since the start of the period that holds `now`. `ahead`: the clock is behind what was recorded, as after a
   * start without a battery; once it is right, the period that it was then goes on.
   */
  constructor(period: BudgetPeriod, limit: number, used: number, now: number, ahead: Ahead | null = null) {
    this.period = period;
    this.limit = limit;
    this.#used = used;
    this.#ahead = ahead && { date: dateOf(period, ahead.at), used: ahead.used };
    this.#date = Math.max(dateOf(period, now), this.#ahead?.date ?? 0);
  }

  /**
   * A clock that goes backwards opens no second budget: a period once begun is not left for an earlier one, nor for the same date in
   * another time zone. A clock that had been years ahead must not stop everything for years: the next period is the last that is waited for.
   */
  delay(now: number): number {
    const date = dateOf(this.period, now);
    if (date > this.#date) this.#begin(date);
    this.#date = Math.min(this.#date, dateAfter(this.period, date));
    if (this.#used < this.limit) return 0;
    return Math.max(1, beginOf(dateAfter(this.period, this.#date)) - now);
  }

  /** Null while there is something left of it. */
  spent(now: number): Spent | null {
    const ms = this.delay(now);
    return ms === 0 ? null : { period: this.period, limit: this.limit, untilAt: now + ms };
  }

  #begin(date: number): void {
    const isNext = date === dateAfter(this.period, this.#date);
    const ahead = this.#ahead;
    this.#date = date;
    this.#used = this.#pending;
    if (ahead === null) return;
    if (date >= ahead.date) this.#ahead = null;
    if (isNext && date !== ahead.date) return;
    // The clock was put right: what was sent while it was wrong, nobody knows on which day, counts on this one.
    this.#used += this.#sent + (date === ahead.date ? ahead.used : 0);
  }

  reserve(): Reservation {
    this.#used += 1;
    this.#pending += 1;
    return {
      sent: () => {
        this.#pending -= 1;
        this.#sent += 1;
      },
      cancel: () => {
        this.#pending -= 1;
        this.#used -= 1;
      },
    };
  }
}

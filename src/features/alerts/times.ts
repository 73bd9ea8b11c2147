import { nextOpening, type Hours } from '../../core/domain/hours.ts';

/** When something is told. */
export interface Times {
  /** Nobody is alerted about trouble that is over within this time. */
  readonly afterMs: number;
  /** Null: none. */
  readonly quietHours: Hours | null;
  /** Minutes since midnight, local time; null: no digest. */
  readonly digest: number | null;
}

export function isQuiet(quietHours: Hours | null, now: number): boolean {
  return quietHours !== null && nextOpening(quietHours, now) === 0;
}

const MINUTE_MS = 60_000;
/** Quiet hours without an end are told as such. */
const FURTHEST_MINUTES = 8 * 24 * 60;

/** When the quiet hours end in which `now` lies; null where it lies in none, or they do not end. */
export function quietUntil(quietHours: Hours, now: number): number | null {
  if (!isQuiet(quietHours, now)) return null;
  const first = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  for (let minute = 1; minute <= FURTHEST_MINUTES; minute += 1) {
    const at = first + minute * MINUTE_MS;
    if (!isQuiet(quietHours, at)) return at;
  }
  return null;
}

/** After so much time nobody waits for the digest of a day any more. */
const TOO_LATE_MS = 12 * 60 * MINUTE_MS;

export interface Digest {
  /** For which time of which day. */
  readonly for: number;
  /** It counts from the same time of the day before. */
  readonly from: number;
  /** False: it is passed over. */
  readonly isDue: boolean;
}

/**
 * The digest whose time came last, if it was not made yet. Days are those of the calendar, so that a change of clocks neither
 * leaves one out nor makes two.
 */
export function digestAt(minutes: number, now: number, last: number | null): Digest | null {
  const today = timeOf(minutes, now, 0);
  const [at, from] =
    today <= now ? [today, timeOf(minutes, now, -1)] : [timeOf(minutes, now, -1), timeOf(minutes, now, -2)];
  // A time that lies ahead was written by a clock that was wrong.
  if (last !== null && at <= last && last <= now) return null;
  // At the very first look there is no day to tell of.
  return { for: at, from, isDue: last !== null && last <= now && now - at < TOO_LATE_MS };
}

/** Where clocks skip it, it is as much later. */
function timeOf(minutes: number, now: number, days: number): number {
  const date = new Date(now);
  const day = date.getDate() + days;
  return new Date(date.getFullYear(), date.getMonth(), day, Math.floor(minutes / 60), minutes % 60).getTime();
}

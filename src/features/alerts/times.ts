import { nextOpening, type Hours } from '../../core/domain/hours.ts';

/** When alerts and digests are sent. */
export interface AlertTimes {
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
/** How far to search for the end of the quiet hours. */
const FURTHEST_MINUTES = 8 * 24 * 60;

/** The end of the quiet hours at `now`; null outside quiet hours, or if they never end. */
export function quietUntil(quietHours: Hours, now: number): number | null {
  if (!isQuiet(quietHours, now)) return null;
  const first = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  for (let minute = 1; minute <= FURTHEST_MINUTES; minute += 1) {
    const at = first + minute * MINUTE_MS;
    if (!isQuiet(quietHours, at)) return at;
  }
  return null;
}

/** After this time, nobody needs the digest of a day any more. */
const TOO_LATE_MS = 12 * 60 * MINUTE_MS;

export interface Digest {
  /** The day and time of the digest. */
  readonly for: number;
  /** Start of its period: the same time on the day before. */
  readonly from: number;
  /** False if the digest is skipped. */
  readonly isDue: boolean;
}

/**
 * The digest that was due last, if it was not made yet. Days are calendar days, so a clock change neither skips one nor makes two.
 */
export function digestAt(minutes: number, now: number, last: number | null): Digest | null {
  const today = timeOf(minutes, now, 0);
  const [at, from] =
    today <= now ? [today, timeOf(minutes, now, -1)] : [timeOf(minutes, now, -1), timeOf(minutes, now, -2)];
  // A time in the future was written while the clock was wrong.
  if (last !== null && at <= last && last <= now) return null;
  // The first look has no day to report.
  return { for: at, from, isDue: last !== null && last <= now && now - at < TOO_LATE_MS };
}

/** If a clock change skips this time, the result is later by the size of the change. */
function timeOf(minutes: number, now: number, days: number): number {
  const date = new Date(now);
  const day = date.getDate() + days;
  return new Date(date.getFullYear(), date.getMonth(), day, Math.floor(minutes / 60), minutes % 60).getTime();
}

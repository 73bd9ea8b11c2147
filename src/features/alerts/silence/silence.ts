/*
 * Decides when a folder has fallen silent. Based on working hours, which are derived from the folder's own scans: the weekdays on
 * which scans usually arrive, from the usual first scan to the usual last one.
 */

/** `auto`: based on the folder's usual pauses; a number: milliseconds of working hours without a scan. */
export type SilentAfter = 'auto' | 'never' | number;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Number of days before today that define what is usual. */
export const HISTORY_DAYS = 56;
/** Minimum number of days with scans to derive anything. */
const LEAST_DAYS = 5;
/** Working hours ignore the earliest tenth of the days' first scans, and the latest tenth of their last scans. */
const EDGE_SHARE = 0.1;
/** `auto`: the allowed pause is the longest usual pause of a day, times PAUSES, plus MORE_MINUTES. */
const PAUSES = 1.5;
const MORE_MINUTES = 90;
/** `auto`, if that pause exceeds a working day: number of whole days without a scan. */
const WHOLE_DAYS = 2;

/** Number of the local calendar day. Consecutive days differ by one, even across clock changes. */
export function dayOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
}

function minuteOf(at: number): number {
  const date = new Date(at);
  return date.getHours() * 60 + date.getMinutes();
}

/** 0 is Sunday; 1 January 1970 was a Thursday. */
function weekdayOf(day: number): number {
  return (day + 4) % 7;
}

/** When scans came into one folder: minutes of each day in local time, ascending. */
export class ScanTimes {
  readonly #days = new Map<number, number[]>();
  #last: number | null = null;

  /** Call in chronological order. */
  add(at: number): void {
    const day = dayOf(at);
    const minutes = this.#days.get(day);
    if (minutes) minutes.push(minuteOf(at));
    else this.#days.set(day, [minuteOf(at)]);
    this.#last = at;
  }

  /** Time of the last scan in milliseconds; null if there was none. */
  get last(): number | null {
    return this.#last;
  }

  on(day: number): readonly number[] {
    return this.#days.get(day) ?? [];
  }

  forgetBefore(day: number): void {
    for (const known of this.#days.keys()) if (known < day) this.#days.delete(known);
  }
}

/** Times are minutes of the day. */
export interface WorkingHours {
  readonly weekdays: ReadonlySet<number>;
  readonly from: number;
  readonly until: number;
  /** Longest time without a scan on a usual day, in minutes. */
  readonly pause: number;
}

/** Derived from the weeks before `today`; null if too few days had scans. */
export function workingHours(times: ScanTimes, today: number): WorkingHours | null {
  const days = Array.from({ length: HISTORY_DAYS }, (_, at) => today - HISTORY_DAYS + at);
  const withScans = days.filter((day) => times.on(day).length > 0);
  const [begin] = withScans;
  if (begin === undefined || withScans.length < LEAST_DAYS) return null;
  const share = (weekday: number): number => {
    const all = days.filter((day) => day >= begin && weekdayOf(day) === weekday);
    return all.filter((day) => times.on(day).length > 0).length / all.length;
  };
  const weekdays = new Set([0, 1, 2, 3, 4, 5, 6].filter((weekday) => share(weekday) > 0.5));
  const scans = withScans.filter((day) => weekdays.has(weekdayOf(day))).map((day) => times.on(day));
  if (scans.length < LEAST_DAYS) return null;
  const from = shareOf(
    scans.map((minutes) => minutes[0] ?? 0),
    EDGE_SHARE,
  );
  const until = shareOf(
    scans.map((minutes) => minutes.at(-1) ?? 0),
    1 - EDGE_SHARE,
  );
  const pauses = scans.map((minutes) => {
    let [longest, before] = [0, from];
    for (const minute of [...minutes, until]) {
      const at = Math.min(Math.max(minute, from), until);
      longest = Math.max(longest, at - before);
      before = at;
    }
    return longest;
  });
  return { weekdays, from, until, pause: shareOf(pauses, 0.5) };
}

export function worksOn(hours: WorkingHours | null, day: number): boolean {
  return hours?.weekdays.has(weekdayOf(day)) ?? false;
}

/** The quantile of these values: `share` of them are below it. */
function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export interface Watched {
  readonly times: ScanTimes;
  readonly hours: WorkingHours | null;
  readonly silentAfter: SilentAfter;
  /** Start of the present period of uninterrupted watching; milliseconds. */
  readonly since: number;
  readonly now: number;
  /** Whether the office was closed that day, judging by other folders. Days are numbered as by `dayOf`. */
  readonly isClosed: (day: number) => boolean;
}

export interface Silence {
  /** The last scan; milliseconds. */
  readonly last: number;
  /** Minutes of working hours since the last scan, as far as they were watched. */
  readonly minutes: number;
  /** Longest pause of a usual day in minutes, if that was the measure; otherwise null. */
  readonly pause: number | null;
}

/** Null if the folder is not silent, or that can't be judged. */
export function silenceOf({ times, hours, silentAfter, since, now, isClosed }: Watched): Silence | null {
  const { last } = times;
  if (silentAfter === 'never' || hours === null || last === null || last > now) return null;
  const begin = Math.max(last, since);
  const today = dayOf(now);
  const minutesOn = (day: number): number => {
    if (!worksOn(hours, day)) return 0;
    const from = Math.max(hours.from, day === dayOf(begin) ? minuteOf(begin) : 0);
    return Math.max(0, Math.min(hours.until, day === today ? minuteOf(now) : Infinity) - from);
  };
  let minutes = 0;
  for (let day = Math.max(dayOf(begin), today - HISTORY_DAYS); day <= today; day += 1)
    if (day === today || !isClosed(day)) minutes += minutesOn(day);
  if (silentAfter !== 'auto')
    return minutes * MINUTE_MS > silentAfter ? { last, minutes, pause: null } : null;
  const { from, until, pause } = hours;
  if (minutesOn(today) > PAUSES * pause + MORE_MINUTES) return { last, minutes, pause };
  return minutes > WHOLE_DAYS * (until - from) ? { last, minutes, pause: null } : null;
}

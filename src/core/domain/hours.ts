import { ReceiptdError } from './errors.ts';

/** When uploads may start: weekly time spans in local time. */
export type Hours = readonly HourSpan[];

export interface HourSpan {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  /** Minutes since midnight; `until` is at most 1440. If it is before `from`, the span crosses midnight. */
  readonly from: number;
  readonly until: number;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY = `(?:${DAYS.join('|')})`;
const TIME = '(?:[01]\\d|2[0-4]):[0-5]\\d';
export const HOURS_PATTERN = new RegExp(`^(?:${DAY}(?:-${DAY})? )?${TIME}-${TIME}$`);
const PARTS = new RegExp(`^(?:(${DAY})(?:-(${DAY}))? )?(${TIME})-(${TIME})$`);

/** @throws ReceiptdError CONFIG_INVALID */
export function parseHours(texts: readonly string[]): Hours {
  return texts.map((text) => {
    const [, first, last, from = '', until = ''] = PARTS.exec(text) ?? [];
    const span = { days: daysOf(first, last), from: minutes(from), until: minutes(until) };
    if (from === '' || span.from === span.until || Math.max(span.from, span.until) > 1440) {
      throw new ReceiptdError('CONFIG_INVALID.hours', { given: text.slice(0, 60) });
    }
    return span;
  });
}

function daysOf(first: string | undefined, last: string | undefined): number[] {
  if (first === undefined) return DAYS.map((_, day) => day);
  const from = DAYS.indexOf(first);
  const count = last === undefined ? 1 : ((DAYS.indexOf(last) - from + 7) % 7) + 1;
  return Array.from({ length: count }, (_, step) => (from + step) % 7);
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Daylight saving changes happen on a quarter of an hour. */
const CLOCKS_CHANGE_AT_MS = 15 * MINUTE_MS;
/** Two weeks: a week's only opening may fall into the hour skipped for daylight saving. */
const AHEAD_MS = 14 * DAY_MS;

/** Milliseconds until uploads may start; 0 if they may now. Wall clock, local time. */
export function nextOpening(hours: Hours, now: number): number {
  if (isOpen(hours, now)) return 0;
  // A clock change may land inside a span: after its skipped start, or back before its end.
  for (let start = now; ;) {
    const opening = openingBetween(hours, start, now + AHEAD_MS);
    const change = clockChange(start, Math.min(opening, now + AHEAD_MS));
    if (change === undefined) return opening - now;
    if (isOpen(hours, change)) return change - now;
    start = change;
  }
}

/** The first clock change after `from` and before `until`. */
function clockChange(from: number, until: number): number | undefined {
  for (let day = from; day < until; day += DAY_MS) {
    if (offsetMs(day) === offsetMs(day + DAY_MS)) continue;
    const before = offsetMs(day);
    let at = (Math.floor(day / CLOCKS_CHANGE_AT_MS) + 1) * CLOCKS_CHANGE_AT_MS;
    while (offsetMs(at) === before) at += CLOCKS_CHANGE_AT_MS;
    return at < until ? at : undefined;
  }
  return undefined;
}

/** Offset of local time from UTC. */
function offsetMs(at: number): number {
  return -new Date(at).getTimezoneOffset() * MINUTE_MS;
}

/** Start of the first span after `start` and before `end`, without clock changes in between; Infinity if none. */
function openingBetween(hours: Hours, start: number, end: number): number {
  const offset = offsetMs(start);
  const midnight = Math.floor((start + offset) / DAY_MS) * DAY_MS - offset;
  const froms = hours.map(({ from }) => from).toSorted((a, b) => a - b);
  for (let day = midnight; day < end; day += DAY_MS) {
    for (const from of froms) {
      const at = day + from * MINUTE_MS;
      if (start < at && at < end && isOpen(hours, at)) return at;
    }
  }
  return Infinity;
}

function isOpen(hours: Hours, at: number): boolean {
  // Called for every request, and computing local time is the expensive part.
  if (hours.length === 0) return true;
  const date = new Date(at);
  const day = date.getDay();
  const minute = date.getHours() * 60 + date.getMinutes();
  return hours.some(({ days, from, until }) => {
    if (from < until) return days.includes(day) && from <= minute && minute < until;
    return (days.includes(day) && from <= minute) || (days.includes((day + 6) % 7) && minute < until);
  });
}

/** Local time; `day`: of the week, 0 for Sunday. */
export function openingAt(at: number): { readonly day: number; readonly at: string } {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return { day: date.getDay(), at: `${two(date.getHours())}:${two(date.getMinutes())}` };
}

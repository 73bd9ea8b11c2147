import { ReceiptdError } from './errors.ts';

/** When uploads may start: spans of the week, local time. */
export type Hours = readonly HourSpan[];

export interface HourSpan {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  /** Minutes since midnight; `until` is at most 1440, and may be before `from`: over midnight. */
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
      throw new ReceiptdError('CONFIG_INVALID', `${JSON.stringify(text.slice(0, 60))} is no span of time.`, {
        hint: 'Write days and times such as Mon-Fri 07:00-19:00.',
      });
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
/** Where clocks are put back, a time of day comes twice: half an hour later (Lord Howe Island) or an hour. */
const AGAIN_AFTER_MS = [0, 30 * MINUTE_MS, 60 * MINUTE_MS];
/** Two weeks: the one opening of a week may fall into the hour that clocks skip. */
const DAYS_AHEAD = 14;

/** Milliseconds until uploads may start; 0 if they may now. Wall clock, local time. */
export function nextOpening(hours: Hours, now: number): number {
  if (isOpen(hours, now)) return 0;
  let first = Infinity;
  const today = new Date(now);
  for (let day = 0; day <= DAYS_AHEAD && first === Infinity; day += 1) {
    for (const { from } of hours) {
      const at = new Date(
        today.getFullYear(),
        today.getMonth(),
        today.getDate() + day,
        Math.floor(from / 60),
        from % 60,
      ).getTime();
      for (const again of AGAIN_AFTER_MS) {
        if (at + again > now && isOpen(hours, at + again)) first = Math.min(first, at + again);
      }
    }
  }
  // A time that clocks skip is taken for a later one; it is open from the skip on.
  while (first - MINUTE_MS > now && isOpen(hours, first - MINUTE_MS)) first -= MINUTE_MS;
  return first - now;
}

function isOpen(hours: Hours, at: number): boolean {
  const date = new Date(at);
  const day = date.getDay();
  const minute = date.getHours() * 60 + date.getMinutes();
  return (
    hours.length === 0 ||
    hours.some(({ days, from, until }) => {
      if (from < until) return days.includes(day) && from <= minute && minute < until;
      return (days.includes(day) && from <= minute) || (days.includes((day + 6) % 7) && minute < until);
    })
  );
}

/** Such as Mon 07:00. */
export function openingText(hours: Hours, now: number): string {
  const date = new Date(now + nextOpening(hours, now));
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${DAYS[date.getDay()]} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

import { dayOf } from './arrivals.ts';
import type { Silence } from './silence.ts';
import { count, local } from '../../../core/domain/words.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** Beyond, a weekday may mean another week's. */
const WEEK_DAYS = 6;

/** A part of a sentence: what came in earlier weeks, and since when nothing came. */
export function explain({ low, high, weeks, last, span }: Silence, now: number): string {
  const scans = low === high ? count(low) : `${count(low)} to ${count(high)}`;
  const history = `${scans} scans came in the last ${weeks} weeks that had any`;
  const since = `now none has since ${sinceText(last, now)}`;
  if (span === null) return `in such a time ${history}, and ${since}`;
  const when =
    span.from === 0 ? `by ${clock(span.until)}` : `from ${clock(span.from)} to ${clock(span.until)}`;
  return `${when} on a ${DAYS[span.weekday] ?? ''} ${history}, and ${since}`;
}

/** Such as 17:40, yesterday 17:40, Friday 17:40. */
export function sinceText(at: number, now: number): string {
  const ago = dayOf(now) - dayOf(at);
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (ago === 0) return time;
  if (ago === 1) return `yesterday ${time}`;
  if (ago <= WEEK_DAYS) return `${DAYS[date.getDay()] ?? ''} ${time}`;
  return local(at).slice(0, 16);
}

function clock(hour: number): string {
  return `${two(hour)}:00`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

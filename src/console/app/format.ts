import { language, locale } from './language.ts';
import { formatOf } from '../../texts/format.ts';

/** Formats numbers and times for the chosen language and the browser's region. */
const count = new Intl.NumberFormat(locale);
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const onePlace = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
/** All digits, without grouping. */
const exact = new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 20 });
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const clockSeconds = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const dayClock = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const wholeDay = new Intl.DateTimeFormat(locale, { dateStyle: 'full' });
const dayOfWeek = new Intl.DateTimeFormat(locale, { weekday: 'long', hour: '2-digit', minute: '2-digit' });
const monthOfYear = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' });

export type Instant = string | number | Date;

/** For all texts. */
export const format = formatOf(language, (at) => moment(at), locale);
export const { number, counted, bytes, duration } = format;
export const compact = (value: number): string =>
  value < 10_000 ? count.format(value) : short.format(value);
export const decimal = (value: number): string => onePlace.format(value);
export const amount = (value: number): string => exact.format(value);
export const clockTime = (at: Instant): string => clock.format(new Date(at));
export const seconds = (at: Instant): string => clockSeconds.format(new Date(at));
export const instant = (at: Instant): string => full.format(new Date(at));
/** Weekday and time, for times within a week. */
export const weekday = (at: Instant): string => dayOfWeek.format(new Date(at));
/** Formats a month (2026-11) or a day. */
export const period = (value: string): string => {
  const [year = 0, month = 1, its] = value.split('-').map(Number);
  const at = new Date(year, month - 1, its ?? 1);
  return (its === undefined ? monthOfYear : day).format(at);
};
/** With the weekday. */
export const fullDate = (at: Instant): string => wholeDay.format(new Date(at));
export const date = (at: Instant): string => day.format(new Date(at));

/** Omits the date for today. */
export function moment(at: Instant, now: Instant = Date.now()): string {
  const then = new Date(at);
  return then.toDateString() === new Date(now).toDateString() ? clock.format(then) : dayClock.format(then);
}

const WEEK_MS = 6 * 24 * 3_600_000;

/** A time to come: with its weekday within a week, without a date for today. */
export function soon(at: Instant): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday || new Date(at).getTime() - Date.now() > WEEK_MS ? moment(at) : weekday(at);
}

/** The decimal separator of this language. */
const POINT =
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** Converts a value of `boundOf` back to text for editing. */
export function boundText(bound: string): string {
  return Number.isFinite(Number(bound)) ? bound.replace('.', POINT) : bound;
}

/** Local midnight of a day such as 2026-11-22, as ISO 8601 in UTC; with `days` 1, of the next day. */
export function midnight(text: string, days = 0): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return undefined;
  const at = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + days);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

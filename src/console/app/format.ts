import { language, locale } from './language.ts';
import type { Forms } from './textFormat.ts';

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
const dayOfWeek = new Intl.DateTimeFormat(locale, { weekday: 'long', hour: '2-digit', minute: '2-digit' });
const monthOfYear = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' });
const plural = new Intl.PluralRules(language);

export type Instant = string | number | Date;

export const number = (value: number): string => count.format(value);
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
export const date = (at: Instant): string => day.format(new Date(at));

/** Omits the date for today. */
export function moment(at: Instant, now: Instant = Date.now()): string {
  const then = new Date(at);
  return then.toDateString() === new Date(now).toDateString() ? clock.format(then) : dayClock.format(then);
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function bytes(value: number): string {
  const power = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), UNITS.length - 1);
  const scaled = value / 1000 ** power;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: scaled < 10 && power > 0 ? 1 : 0,
  }).format(scaled);
}

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** The two largest units: "2 hours 5 minutes". */
export function duration(ms: number): string {
  const round = ms < 1000 ? 0 : Math.round(ms / 1000) * 1000;
  const at = SPANS.findIndex(([, span]) => round >= span);
  if (at < 0) return unit(ms < 1 ? 0 : Math.round(ms), 'millisecond');
  const [first, second] = [SPANS[at], SPANS[at + 1]];
  if (first === undefined) return '';
  const whole = Math.floor(round / first[1]);
  const rest = second === undefined ? 0 : Math.floor((round % first[1]) / second[1]);
  return rest === 0 || second === undefined
    ? unit(whole, first[0])
    : `${unit(whole, first[0])} ${unit(rest, second[0])}`;
}

function unit(value: number, name: string): string {
  const unitDisplay = name === 'millisecond' ? 'short' : 'long';
  return new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay }).format(value);
}

export function counted(value: number, one: string, other: string, more: Forms = {}): string {
  const rule = plural.select(value);
  return `${number(value)} ${more[rule] ?? (rule === 'one' ? one : other)}`;
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

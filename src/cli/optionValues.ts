import { parseDay, parseDuration } from '../config/units.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

/** A duration in milliseconds. @throws ReceiptdError USAGE, like the other functions here */
export function durationOf(option: string, text: string): number {
  return checked(option, text, parseDuration(text), 'duration');
}

/** Start of the day in local time. */
export function dayOf(option: string, text: string): number {
  return checked(option, text, parseDay(text), 'day');
}

/**
 * From the first moment of a day or a month, or of a word for one, up to the first moment after it, in local time. Weeks begin
 * on Monday. A duration: up to now.
 */
export function periodOf(option: string, text: string, now: number): { since: number; until: number } {
  const ago = parseDuration(text);
  if (!Number.isNaN(ago)) return { since: now - ago, until: now };
  const today = new Date(now);
  const [year, month, date] = [today.getFullYear(), today.getMonth(), today.getDate()];
  const monday = date - ((today.getDay() + 6) % 7);
  const isMonth = text === 'last-month' || /^\d{4}-\d{2}$/.test(text);
  const first =
    new Map([
      ['today', new Date(year, month, date)],
      ['yesterday', new Date(year, month, date - 1)],
      ['last-week', new Date(year, month, monday - 7)],
      ['last-month', new Date(year, month - 1)],
    ]).get(text) ?? new Date(parseDay(isMonth ? `${text}-01` : text));
  const days = isMonth ? 0 : text === 'last-week' ? 7 : 1;
  const next = new Date(first.getFullYear(), first.getMonth() + Number(isMonth), first.getDate() + days);
  return { since: checked(option, text, first.getTime(), 'period'), until: next.getTime() };
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const WORK_BEGINS = '08:00';

/**
 * A moment to come, in wall-clock milliseconds: after a duration, at the next such time of day, or on a day. A day that is named
 * (`tomorrow`, `monday`) begins when work does.
 */
export function momentOf(option: string, text: string, now: number): number {
  const after = parseDuration(text);
  if (!Number.isNaN(after)) return now + after;
  const [, name = '', time = WORK_BEGINS] = /^([a-z]+)(?: (\d\d:\d\d))?$/.exec(text) ?? [];
  const today = new Date(now);
  if (name === 'tomorrow' || DAYS.includes(name)) {
    const ahead = name === 'tomorrow' ? 1 : ((DAYS.indexOf(name) - today.getDay() + 6) % 7) + 1;
    // At noon, which no change of summer time moves to another day.
    const on = new Date(today.getFullYear(), today.getMonth(), today.getDate() + ahead, 12);
    return momentOf(option, `${on.toLocaleDateString('sv')} ${time}`, now);
  }
  const [, date, hours, minutes] =
    /^(?:(\d{4}-\d{2}-\d{2}))?(?:(?:^|[T ])([01]\d|2[0-3]):([0-5]\d))?$/.exec(text) ?? [];
  const day = new Date(date === undefined ? now : parseDay(date));
  if (hours !== undefined) day.setHours(Number(hours), Number(minutes), 0, 0);
  // A day of its own, because days differ in length.
  if (date === undefined && day.getTime() <= now) day.setDate(day.getDate() + 1);
  const isSaid = date !== undefined || hours !== undefined;
  return checked(option, text, isSaid ? day.getTime() : Number.NaN, 'moment');
}

export function numberOf(option: string, text: string, least = 0, most: number | null = null): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const isTaken = value >= least && value <= (most ?? Number.MAX_SAFE_INTEGER);
  return checked(option, text, isTaken ? value : Number.NaN, { least, most });
}

function checked(
  option: string,
  text: string,
  value: number,
  takes: 'duration' | 'day' | 'period' | 'moment' | { readonly least: number; readonly most: number | null },
): number {
  if (!Number.isNaN(value)) return value;
  throw new ReceiptdError('USAGE.optionValue', { option, text, takes });
}

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

/** A moment to come, in wall-clock milliseconds: after a duration, at the next such time of day, or on a day. */
export function momentOf(option: string, text: string, now: number): number {
  const after = parseDuration(text);
  if (!Number.isNaN(after)) return now + after;
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
  takes: 'duration' | 'day' | 'moment' | { readonly least: number; readonly most: number | null },
): number {
  if (!Number.isNaN(value)) return value;
  throw new ReceiptdError('USAGE.optionValue', { option, text, takes });
}

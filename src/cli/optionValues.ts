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

export function numberOf(option: string, text: string, least = 0, most: number | null = null): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const isTaken = value >= least && value <= (most ?? Number.MAX_SAFE_INTEGER);
  return checked(option, text, isTaken ? value : Number.NaN, { least, most });
}

function checked(
  option: string,
  text: string,
  value: number,
  takes: 'duration' | 'day' | { readonly least: number; readonly most: number | null },
): number {
  if (!Number.isNaN(value)) return value;
  throw new ReceiptdError('USAGE.optionValue', { option, text, takes });
}

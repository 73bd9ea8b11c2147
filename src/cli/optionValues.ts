import { parseDay, parseDuration } from '../config/units.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

/** A duration in milliseconds. @throws ReceiptdError USAGE, like the other functions here */
export function durationOf(option: string, text: string): number {
  return checked(option, text, parseDuration(text), 'Use a duration such as 30s or 5m.');
}

/** Start of the day in local time. */
export function dayOf(option: string, text: string): number {
  return checked(option, text, parseDay(text), 'Use a date such as 2026-01-31.');
}

export function numberOf(
  option: string,
  text: string,
  least = 0,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const hint = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of ${least} or more`;
  return checked(option, text, value >= least && value <= most ? value : Number.NaN, `Use a number ${hint}.`);
}

function checked(option: string, text: string, value: number, hint: string): number {
  if (!Number.isNaN(value)) return value;
  throw new ReceiptdError('USAGE', `${option}: "${text}" is not valid.`, { hint });
}

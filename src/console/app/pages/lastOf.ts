import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { amount, period } from '../format.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The last value posted at this JSON pointer, with amounts and days formatted for the reader; null if none was posted. */
export function lastOf(posted: ListRowJson['posted'], pointer: string): string | null {
  const value = posted.findLast((values) => Object.hasOwn(values, pointer))?.[pointer];
  if (value === undefined) return null;
  if (typeof value === 'number') return amount(value);
  return typeof value === 'string' && DAY.test(value) ? period(value) : String(value);
}

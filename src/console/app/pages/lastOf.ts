import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { amount, period } from '../format.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The last value that the service posted at this place, as people write amounts and days; null where it never did. Words stay as they came. */
export function lastOf(posted: ListRowJson['posted'], pointer: string): string | null {
  const value = posted.findLast((values) => Object.hasOwn(values, pointer))?.[pointer];
  if (value === undefined) return null;
  if (typeof value === 'number') return amount(value);
  return typeof value === 'string' && DAY.test(value) ? period(value) : String(value);
}

import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { amount } from '../format.ts';

/** The last value that the service posted at this place, as text; null where it never did. Words stay as they came. */
export function lastOf(posted: ListRowJson['posted'], pointer: string): string | null {
  const value = posted.findLast((values) => Object.hasOwn(values, pointer))?.[pointer];
  if (value === undefined) return null;
  return typeof value === 'number' ? amount(value) : String(value);
}

import type { ListRowJson } from '../../../control/protocol/documents.ts';

/** The last value that the service posted at this place, as text; null where it never did. */
export function lastOf(posted: ListRowJson['posted'], pointer: string): string | null {
  const found = posted.findLast((values) => Object.hasOwn(values, pointer));
  return found === undefined ? null : String(found[pointer]);
}

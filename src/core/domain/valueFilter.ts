import { amountOf, boundOf, lastPosted, type Posted, type PostedValue, type ValueWanted } from './posted.ts';
import { postedWords, searchWords } from './search.ts';

/** Whether the latest value posted at the pointer matches the filter. The ledgers prefilter in SQL; this decides. */
export function isValueMeant(
  results: readonly Posted[],
  { pointer, contains = '', from, to }: ValueWanted,
): boolean {
  const value = lastPosted(results, pointer);
  if (value === null) return false;
  const text = postedWords({ [pointer]: value });
  if (!searchWords(contains).every((word) => text.includes(word))) return false;
  return isBeyond(value, from, 1) && isBeyond(value, to, -1);
}

/** Whether the value equals the bound or is on the given side of it. */
function isBeyond(value: PostedValue, bound: string | undefined, side: 1 | -1): boolean {
  if (bound === undefined || bound === '') return true;
  const number = boundOf(bound);
  if (number !== null) {
    const amount = amountOf(value);
    return amount !== null && (amount - number) * side >= 0;
  }
  const text = sortable(value).slice(0, bound.length);
  return side === 1 ? text >= bound : text <= bound;
}

/** Converts days in common local notation to ISO form, which sorts chronologically. */
function sortable(value: PostedValue): string {
  const day = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(String(value));
  return day ? `${day[3]}-${day[2]?.padStart(2, '0')}-${day[1]?.padStart(2, '0')}` : String(value);
}

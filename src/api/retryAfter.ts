/** A day: what asks for more is a mistake, and a hold of that length is looked at by a person anyway. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** The three forms of RFC 9110 5.6.7. `Date.parse` alone would take "3.5" for a day in March. */
const IMF_OR_RFC850 = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Milliseconds to wait, from a Retry-After header (RFC 9110 10.2.3: seconds or a date). Null without one
 * or with one that is neither; 0 for a date that has passed.
 *
 * @param now wall clock in milliseconds
 */
export function retryAfterMs(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  // The last form carries no zone and would be read as local time.
  const at = IMF_OR_RFC850.test(text)
    ? Date.parse(text)
    : ASCTIME.test(text)
      ? Date.parse(`${text} GMT`)
      : Number.NaN;
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(at - now, 0), LONGEST_MS);
}

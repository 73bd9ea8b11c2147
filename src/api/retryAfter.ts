/** A day: more must be a mistake, and a person looks at such a long hold anyway. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** The three date formats of RFC 9110 5.6.7. `Date.parse` alone would read "3.5" as a day in March. */
const IMF_OR_RFC850 = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Milliseconds to wait, from a Retry-After header (RFC 9110 10.2.3: seconds or a date). Null if it is missing or invalid; 0 for a
 * date in the past.
 *
 * @param now wall clock in milliseconds
 */
export function retryAfterMs(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  // asctime has no time zone, and would be parsed as local time.
  const at = IMF_OR_RFC850.test(text)
    ? Date.parse(text)
    : ASCTIME.test(text)
      ? Date.parse(`${text} GMT`)
      : Number.NaN;
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(at - now, 0), LONGEST_MS);
}

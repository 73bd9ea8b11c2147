import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/api/retryAfter.ts';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);
const DAY = 24 * 60 * 60 * 1000;

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Fri, 31 Dec 1999 23:59:59 GMT', DAY],
    ['99999999999999999999', DAY],
  ])('%j is %d ms', (value, expected) => expect(retryAfterMs(value, NOW)).toBe(expected));

  it.each([undefined, '', 'soon', '-5', '3.5', 'Sun, 99 Nov 1994 08:49:37 GMT', '2026-01-01'])(
    '%j is none',
    (value) => expect(retryAfterMs(value, NOW)).toBeNull(),
  );

  it('is never negative, never more than a day, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.date().map(String), fc.integer().map(String)),
        fc.nat(),
        (value, now) => {
          const ms = retryAfterMs(value, now);
          expect(ms === null || (ms >= 0 && ms <= DAY)).toBe(true);
        },
      ),
    );
  });
});

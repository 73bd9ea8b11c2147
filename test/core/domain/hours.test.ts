import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextOpening, openingAt, parseHours } from '../../../src/core/domain/hours.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const zone = process.env['TZ'];

// Clocks go forward at 02:00 on 29 March 2026 there, and back at 03:00 on 25 October 2026.
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin';
});

afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

/** Local time. */
function at(month: number, day: number, hour: number, minute = 0, second = 0): number {
  return new Date(2026, month - 1, day, hour, minute, second).getTime();
}

describe('a time span', () => {
  it.each(['07:00-19:00', 'Mon 07:00-19:00', 'Mon-Fri 22:00-06:00', 'Sat-Sun 00:00-24:00'])(
    'is parsed from %s',
    (text) => {
      expect(parseHours([text])).toHaveLength(1);
    },
  );

  it.each(['', '7-19', '07:00', '07:00-07:00', '24:30-25:00', 'Mon-Xyz 07:00-08:00', '07:60-08:00'])(
    'rejects %j with an explanation',
    (text) => {
      expect(() => parseHours([text])).toThrow(/is not a time span/);
    },
  );
});

describe('the next opening', () => {
  const office = parseHours(['Mon-Fri 07:00-19:00']);

  it('is now within the hours, to the second', () => {
    // 2 March 2026 is a Monday.
    expect(nextOpening(office, at(3, 2, 7))).toBe(0);
    expect(nextOpening(office, at(3, 2, 18, 59, 59))).toBe(0);
    expect(nextOpening(office, at(3, 2, 6, 59, 59))).toBe(1_000);
    expect(nextOpening(office, at(3, 2, 19))).toBe(12 * HOUR);
  });

  it('after Friday is on Monday', () => {
    expect(nextOpening(office, at(3, 6, 19))).toBe(60 * HOUR);
    const opens = openingAt(at(3, 6, 19) + nextOpening(office, at(3, 6, 19)));
    expect(opens).toEqual({ day: 1, at: '07:00' });
  });

  it('assigns the hours after midnight to the previous day in spans across midnight', () => {
    const nights = parseHours(['Fri 22:00-06:00']);
    expect(nextOpening(nights, at(3, 6, 22))).toBe(0);
    expect(nextOpening(nights, at(3, 7, 5, 59))).toBe(0);
    expect(nextOpening(nights, at(3, 7, 6))).toBe((6 * 24 + 16) * HOUR);
    expect(nextOpening(nights, at(3, 6, 5))).toBe(17 * HOUR);
  });

  it('is the nearest of several spans', () => {
    const hours = parseHours(['12:00-13:00', 'Mon 07:00-08:00']);
    expect(nextOpening(hours, at(3, 2, 6))).toBe(HOUR);
    expect(nextOpening(hours, at(3, 2, 8))).toBe(4 * HOUR);
    expect(nextOpening(hours, at(3, 2, 13))).toBe(23 * HOUR);
  });

  it('is always now without configured hours', () => {
    expect(nextOpening([], at(3, 2, 3))).toBe(0);
  });

  it('keeps its time of day across a clock change at night', () => {
    const hours = parseHours(['07:00-19:00']);
    expect(nextOpening(hours, at(3, 28, 19))).toBe(11 * HOUR);
    expect(nextOpening(hours, at(10, 24, 19))).toBe(13 * HOUR);
  });

  it('moves a skipped time to the moment of the clock change', () => {
    const hours = parseHours(['02:30-05:00']);
    expect(nextOpening(hours, at(3, 29, 1, 59))).toBe(MINUTE);
    // The clock change skips the whole span, so it opens the next day.
    const skipped = parseHours(['02:15-02:45']);
    expect(nextOpening(skipped, at(3, 29, 1, 59))).toBe(23 * HOUR + 16 * MINUTE);
    const weekly = parseHours(['Sun 02:15-02:45']);
    expect(nextOpening(weekly, at(3, 29, 1, 59))).toBe((7 * 24 - 1) * HOUR + 16 * MINUTE);
  });

  it('occurs twice if the clock change repeats its time', () => {
    const hours = parseHours(['02:30-05:00']);
    const first = at(10, 25, 2, 30);
    expect(nextOpening(hours, first)).toBe(0);
    // 30 minutes later it is 02:00 again.
    expect(nextOpening(hours, first + 30 * MINUTE)).toBe(30 * MINUTE);
    expect(nextOpening(hours, first + 59 * MINUTE)).toBe(MINUTE);
    expect(nextOpening(hours, first + 60 * MINUTE)).toBe(0);
    // The end also occurs twice: closed at 02:15, open again at the second 02:00.
    expect(nextOpening(parseHours(['00:00-02:03']), at(10, 25, 2, 15))).toBe(45 * MINUTE);
  });

  it('is the first open minute for any hours and any clock change', () => {
    const time = fc.integer({ min: 0, max: 1439 });
    const span = fc
      .record({
        days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
        from: time,
        until: time,
      })
      .filter(({ from, until }) => from !== until);
    const around = fc.oneof(
      fc.integer({ min: 0, max: 365 * 24 * 60 }).map((minutes) => at(1, 1, 0) + minutes * MINUTE),
      fc.integer({ min: -300, max: 300 }).map((minutes) => at(3, 29, 3) + minutes * MINUTE),
      fc.integer({ min: -300, max: 300 }).map((minutes) => at(10, 25, 3) + minutes * MINUTE),
    );
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 3 }), around, (hours, now) => {
        const wait = nextOpening(hours, now);
        expect(nextOpening(hours, now + wait)).toBe(0);
        for (let minute = 0; minute * MINUTE < wait; minute += 7) {
          expect(nextOpening(hours, now + minute * MINUTE)).toBeGreaterThan(0);
        }
        expect(wait === 0 || nextOpening(hours, now + wait - 1) > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

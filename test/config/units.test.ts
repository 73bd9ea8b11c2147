import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDay, parseDuration, parseSize } from '../../src/config/units.ts';

describe('units', () => {
  it.each([
    ['200ms', 200],
    ['10s', 10_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['0s', 0],
  ])('the duration %s is %d milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ['7B', 7],
    ['10kB', 10_000],
    ['50MB', 50_000_000],
    ['1GB', 1_000_000_000],
  ])('the size %s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['10', '10 s', '-1s', '1.5s', 's', '10S', '', 'constructor', '1e3s'])(
    '%j is no duration',
    (text) => {
      expect(parseDuration(text)).toBeNaN();
    },
  );

  it.each(['50', '50 MB', '50MiB', '50mb', 'MB', '-1B'])('%j is no size', (text) => {
    expect(parseSize(text)).toBeNaN();
  });

  it('a day is its local midnight', () => {
    expect(parseDay('2026-03-09')).toBe(new Date(2026, 2, 9).getTime());
  });

  it.each(['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '26-01-01', '2026-1-1'])(
    '%s is no day',
    (text) => {
      expect(parseDay(text)).toBeNaN();
    },
  );

  it('every day of the calendar is a day', () => {
    const min = new Date(2000, 0, 1);
    const max = new Date(2099, 11, 31);
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        const two = (value: number) => String(value).padStart(2, '0');
        const text = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
        expect(parseDay(text)).toBe(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime());
      }),
    );
  });
});

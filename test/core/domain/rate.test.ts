import { describe, expect, it } from 'vitest';
import { RATE_PATTERN, parseRate } from '../../../src/core/domain/rate.ts';

describe('a rate', () => {
  it.each([
    ['5/s', { count: 5, intervalMs: 1_000 }],
    ['120/min', { count: 120, intervalMs: 60_000 }],
    ['1000/h', { count: 1_000, intervalMs: 3_600_000 }],
    ['unlimited', null],
  ])('is parsed from %s', (text, rate) => {
    expect(parseRate(text)).toEqual(rate);
  });

  it.each(['0/s', '-1/s', '5', '5/sec', '5 /s', '1.5/s', '5/d', '', 'Unlimited', '5/s\n', '99999999/s'])(
    'rejects %j and says what to write instead',
    (text) => {
      expect(() => parseRate(text)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('120/min') }),
      );
      expect(RATE_PATTERN.test(text)).toBe(false);
    },
  );
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backoff,
  HOLD_BACKOFF,
  SERVICE_BACKOFF,
  SLOW_DOWN_BACKOFF,
} from '../../../src/core/domain/backoff.ts';

const ranges = fc.constantFrom(SERVICE_BACKOFF, HOLD_BACKOFF, SLOW_DOWN_BACKOFF);

describe('back-off', () => {
  it('is at least half the base and at most the limit after any number of failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        ranges,
        fc.double({ min: 0, max: 0.9999999, noNaN: true }),
        (failures, range, random) => {
          const wait = backoff(failures, range, () => random);
          expect(wait).toBeGreaterThanOrEqual(range.baseMs / 2);
          expect(wait).toBeLessThanOrEqual(range.maxMs);
          expect(Number.isInteger(wait)).toBe(true);
        },
      ),
    );
  });

  it('doubles until the limit', () => {
    const waits = [1, 2, 3, 4, 20].map((failures) => backoff(failures, SERVICE_BACKOFF, () => 1));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 300_000]);
  });

  it('spreads machines that failed together over the upper half of the delay', () => {
    expect(backoff(1, HOLD_BACKOFF, () => 0)).toBe(30_000);
    expect(backoff(1, HOLD_BACKOFF, () => 0.5)).toBe(45_000);
  });
});

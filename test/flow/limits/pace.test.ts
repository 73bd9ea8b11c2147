import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace } from '../../../src/flow/limits/pace.ts';
import { seeded } from './hiddenService.ts';

const HOUR = 3_600_000;

function served(pace: Pace, startedAt: number, endedAt: number): void {
  pace.succeeded({ startedAt, endedAt, bytes: 1 });
}

/** Answers one after the other; how many may go at once after each. */
function feed(pace: Pace, count: number, ms: (index: number) => number, bytes = () => 200_000): number[] {
  return Array.from({ length: count }, (_, index) => {
    const startedAt = 1_000 * index;
    pace.succeeded({ startedAt, endedAt: startedAt + ms(index), bytes: bytes() });
    return pace.atOnce;
  });
}

describe('an exhausted quota', () => {
  it('of hours is not turned into a spacing of hours', () => {
    const pace = new Pace(4);
    for (let at = 0; at < 5_000; at += 500) served(pace, at, at + 400);
    pace.refused(5_000, 5_100);
    served(pace, 8 * HOUR, 8 * HOUR + 400);
    expect(pace.spacingMs).toBe(0);
    expect(pace.atOnce).toBeGreaterThan(1);
  });
});

describe('a rejection', () => {
  it('between widely spaced uploads implies no rate limit', () => {
    const pace = new Pace(4);
    for (let hour = 0; hour < 10; hour += 1) {
      served(pace, hour * HOUR, hour * HOUR + 400);
    }
    pace.refused(10 * HOUR, 10 * HOUR + 10);
    served(pace, 10 * HOUR + 2_000, 10 * HOUR + 2_400);
    expect(pace.spacingMs).toBe(0);
  });

  it('of several concurrent requests counts once', () => {
    const pace = new Pace(4);
    for (let i = 0; i < 4; i += 1) pace.refused(i, 100 + i);
    expect(pace.atOnce).toBe(2);
  });

  it('is not offset by answers to requests that started before it', () => {
    const pace = new Pace(4);
    pace.refused(100, 110);
    for (let i = 0; i < 50; i += 1) served(pace, 50, 200);
    expect(pace.atOnce).toBe(2);
    expect(pace.reduced).toMatchObject({ cause: 'refused', atOnce: 2, configured: 4 });
  });
});

describe('an outage', () => {
  it('does not make a learned spacing permanent', () => {
    const pace = new Pace(4);
    let at = 0;
    const succeed = (times: number): void => {
      for (let i = 0; i < times; i += 1, at += 100) served(pace, at, at + 50);
    };
    succeed(5);
    pace.refused(at, (at += 50));
    at += 4_000;
    succeed(1);
    expect(pace.spacingMs).toBeGreaterThan(500);
    // Never enough successes between two outages for a step.
    for (let outages = 0; outages < 400; outages += 1) {
      pace.outage();
      succeed(3);
    }
    // Answers take 50 ms: it is not the spacing any more that keeps requests apart.
    expect(pace.spacingMs).toBeLessThan(50);
  });
});

describe('latency', () => {
  it('that varies, spikes or only doubles changes nothing', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const random = seeded(seed);
      const pace = new Pace(4);
      const scattered = (): number => 300 * 4 ** (random() + random() - 1) * (random() < 0.03 ? 20 : 1);
      expect(Math.min(...feed(pace, 2_000, scattered))).toBe(4);
      expect(Math.min(...feed(pace, 500, () => 600 * (0.7 + 0.6 * random())))).toBe(4);
    }
  });

  it('of large images among small ones changes nothing', () => {
    const random = seeded(3);
    const pace = new Pace(4);
    let bytes = 0;
    const size = (): number => bytes;
    const ms = (): number => {
      bytes = random() < 0.5 ? 100_000 : 8_000_000;
      return 100 + bytes / 2_000;
    };
    feed(pace, 200, ms, size);
    // Then a pile of large ones: each takes 27 times as long as a small one.
    bytes = 8_000_000;
    expect(Math.min(...feed(pace, 200, () => 4_100, size))).toBe(4);
  });
});

describe('the start', () => {
  it('uses four requests at once, and one more for each answer as fast as the first', () => {
    const pace = new Pace(16);
    expect(feed(pace, 14, () => 100)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16]);
  });
});

describe('the pace in any sequence of events', () => {
  const happening = fc.oneof(
    fc.record({ kind: fc.constant('served' as const), ms: fc.integer({ min: 0, max: 100_000 }) }),
    fc.record({ kind: fc.constant('refused' as const), ms: fc.integer({ min: 0, max: 100_000 }) }),
    fc.record({ kind: fc.constant('outage' as const), ms: fc.integer({ min: 0, max: 10_000_000 }) }),
  );

  it('stays between one at once and the configured number, and never waits longer than a minute', () => {
    let spaced = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        fc.array(happening, { maxLength: 300 }),
        fc.integer({ min: 0, max: 5_000 }),
        (configured, happenings, overlapMs) => {
          const pace = new Pace(configured);
          let now = 0;
          for (const { kind, ms } of happenings) {
            const startedAt = Math.max(0, now - overlapMs);
            now += ms;
            if (kind === 'served') pace.succeeded({ startedAt, endedAt: now, bytes: ms });
            else if (kind === 'refused') pace.refused(startedAt, now);
            else pace.outage();
            pace.started(now);
            expect(pace.atOnce).toBeGreaterThanOrEqual(1);
            expect(pace.atOnce).toBeLessThanOrEqual(configured);
            expect(Number.isInteger(pace.atOnce)).toBe(true);
            expect(pace.delay(now)).toBeGreaterThanOrEqual(0);
            expect(pace.delay(now)).toBeLessThanOrEqual(60_000);
            if (pace.spacingMs > 0) spaced += 1;
            const isFull = pace.atOnce === configured && pace.spacingMs === 0;
            // Before the first answers it is no more than 4 without a cause.
            const isTold = pace.reduced !== null || (pace.atOnce >= 4 && pace.spacingMs === 0);
            expect(isFull ? pace.reduced === null : isTold).toBe(true);
          }
        },
      ),
      { numRuns: 120 },
    );
    expect(spaced).toBeGreaterThan(0);
  });

  it('returns to full speed after enough successes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16 }),
        fc.array(happening, { maxLength: 60 }),
        (configured, all) => {
          const pace = new Pace(configured);
          let now = 0;
          for (const { kind, ms } of all) {
            const startedAt = now;
            now += ms + 1;
            if (kind === 'served') pace.succeeded({ startedAt, endedAt: now, bytes: 1 });
            else if (kind === 'refused') pace.refused(startedAt, now);
            else pace.outage();
          }
          for (let i = 0; i < 30_000 && (pace.reduced !== null || pace.atOnce < configured); i += 1) {
            served(pace, now + 1, now + 60);
            now += 1_000;
          }
          expect(pace.reduced).toBeNull();
          expect(pace.atOnce).toBe(configured);
        },
      ),
      { numRuns: 100 },
    );
  });
});

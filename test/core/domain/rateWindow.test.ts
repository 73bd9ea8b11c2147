import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backlogPerMinute, RateWindow } from '../../../src/core/domain/limits.ts';
import { parseRate, RATE_PATTERN } from '../../../src/core/domain/rate.ts';
import {
  backoff,
  HOLD_BACKOFF,
  SERVICE_BACKOFF,
  SLOW_DOWN_BACKOFF,
} from '../../../src/core/domain/backoff.ts';

/** The most starts in any half-open window of this length. */
function mostInAnyWindow(starts: readonly number[], intervalMs: number): number {
  const sorted = [...starts].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + intervalMs).length),
  );
}

function send(window: RateWindow, at: number, backlog = false): void {
  window.take(at, backlog);
  window.started(at);
}

/** How many requests the window lets through at that time. */
function sendAll(window: RateWindow, at: number, backlog: boolean): number {
  let sent = 0;
  for (; window.delay(at, backlog) === 0 && sent < 100; sent += 1) send(window, at);
  return sent;
}

describe('a rate window', () => {
  const steps = fc.array(
    fc.record({
      backlog: fc.boolean(),
      /** Whether to wait for the reported delay instead of trying at once. */
      patient: fc.boolean(),
      pauseMs: fc.integer({ min: 0, max: 2_500 }),
      /** Between the reservation and the start of the request. */
      startsAfterMs: fc.integer({ min: 0, max: 1_500 }),
      cancelled: fc.boolean(),
    }),
    { maxLength: 60 },
  );

  it('never allows more starts than its count in any sequence', () => {
    let full = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(50, 1_000, 3_000, 10_000),
        fc.array(fc.integer({ min: -12_000, max: 0 }), { maxLength: 12 }),
        steps,
        fc.boolean(),
        (count, intervalMs, seeds, sequence, spread) => {
          const seeded = [...seeds].sort((a, b) => b - a).slice(0, count);
          fc.pre(mostInAnyWindow(seeded, intervalMs) <= count);
          const window = new RateWindow({ count, intervalMs }, seeded, spread);
          const starts = [...seeded];
          const pending: { at: number; cancelled: boolean; backlog: boolean }[] = [];
          let now = 1;
          const moveTo = (to: number): void => {
            for (const due of pending.filter(({ at }) => at <= to).sort((a, b) => a.at - b.at)) {
              pending.splice(pending.indexOf(due), 1);
              if (due.cancelled) window.giveBack(due.backlog);
              else {
                window.started(due.at);
                starts.push(due.at);
              }
            }
            now = to;
          };
          for (const step of sequence) {
            moveTo(now + step.pauseMs);
            const wait = window.delay(now, step.backlog);
            if (wait > 0 && !step.patient) continue;
            if (wait > 0) moveTo(now + wait);
            if (window.delay(now, step.backlog) > 0) continue;
            const at = now + step.startsAfterMs;
            window.take(now, step.backlog);
            pending.push({ at, cancelled: step.cancelled, backlog: step.backlog });
          }
          moveTo(now + 10_000);
          const most = mostInAnyWindow(starts, intervalMs);
          if (most === count) full += 1;
          expect(most).toBeLessThanOrEqual(count);
        },
      ),
      { numRuns: 400 },
    );
    expect(full).toBeGreaterThan(0);
  });

  it('opens again after the wait it reported, if nothing is about to start', () => {
    const window = new RateWindow({ count: 2, intervalMs: 1_000 });
    send(window, 0);
    window.take(0, false);
    window.started(400);
    const wait = window.delay(500, false);
    expect(wait).toBeGreaterThan(500);
    expect(window.delay(500 + wait - 1, false)).toBeGreaterThan(0);
    expect(window.delay(500 + wait, false)).toBe(0);
  });

  it('allows for requests that arrive closer together than they were sent', () => {
    const window = new RateWindow({ count: 1, intervalMs: 1_000 });
    send(window, 0);
    expect(window.delay(1_000, false)).toBeGreaterThan(0);
  });

  it('reserves a tenth of a long window for fresh scans, and nothing of a short one', () => {
    const taken = (intervalMs: number, backlog: boolean): number => {
      const window = new RateWindow({ count: 20, intervalMs });
      return sendAll(window, 0, backlog);
    };
    expect(taken(60_000, true)).toBe(18);
    expect(taken(60_000, false)).toBe(20);
    expect(taken(1_000, true)).toBe(20);
  });

  it('has room for fresh scans after the backlog used its share', () => {
    const window = new RateWindow({ count: 4, intervalMs: 60_000 });
    for (let i = 0; i < 3; i += 1) send(window, 0);
    expect(window.delay(1, true)).toBeGreaterThan(50_000);
    expect(window.delay(1, false)).toBe(0);
  });

  it('lets a backlog through if a long window is too small to reserve a slot', () => {
    const window = new RateWindow({ count: 1, intervalMs: 60_000 });
    expect(window.delay(0, true)).toBe(0);
  });

  it('frees a cancelled slot', () => {
    const window = new RateWindow({ count: 1, intervalMs: 1_000 });
    window.take(0, false);
    expect(window.delay(0, false)).toBeGreaterThan(0);
    window.giveBack(false);
    expect(window.delay(0, false)).toBe(0);
  });

  it('counts a reserved request until it starts, however long that takes', () => {
    const window = new RateWindow({ count: 1, intervalMs: 1_000 });
    window.take(0, false);
    expect(window.delay(50_000, false)).toBeGreaterThan(0);
    window.started(50_000);
    expect(window.delay(50_900, false)).toBeGreaterThan(0);
    expect(window.delay(51_100, false)).toBe(0);
  });
});

describe('a spread rate window', () => {
  const perMinute = { count: 60, intervalMs: 60_000 };

  /** Start times of a backlog that never runs dry, up to `until`. */
  function drain(window: RateWindow, until: number, lateMs = 0): number[] {
    const starts: number[] = [];
    for (let now = 0; now < until;) {
      const wait = window.delay(now, true);
      if (wait > 0) now += wait + lateMs;
      else {
        send(window, now, true);
        starts.push(now);
      }
    }
    return starts;
  }

  it.each([0, 30])('sends a backlog at even intervals, even if each start is %d ms late', (lateMs) => {
    const starts = drain(new RateWindow(perMinute, [], true), 300_000, lateMs);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(1_300);
    expect(Math.min(...gaps)).toBeGreaterThan(1_000);
    expect(starts.length).toBeGreaterThanOrEqual(5 * 53);
    expect(starts.length).toBeLessThanOrEqual(Math.ceil(5 * backlogPerMinute(perMinute)) + 1);
  });

  it('sends at once and then pauses if it is not spread', () => {
    const starts = drain(new RateWindow(perMinute, [], false), 60_000);
    expect(starts).toEqual(Array.from({ length: 54 }, () => 0));
  });

  it('sends some fresh scans at once after a pause, and the rest one by one', () => {
    const window = new RateWindow(perMinute, [], true);
    expect(sendAll(window, 100_000, false)).toBe(7);
    expect(window.delay(100_000, false)).toBeGreaterThan(900);
    expect(window.delay(100_000, false)).toBeLessThan(1_100);
  });

  it.each([60, 120])('sends fresh scans at once beside a backlog at %d a minute', (count) => {
    const window = new RateWindow({ count, intervalMs: 60_000 }, [], true);
    const starts = drain(window, 600_000);
    for (const at of [0, 1, 2]) {
      const now = (starts.at(-1) ?? 0) + at;
      expect(window.delay(now, false)).toBe(0);
      send(window, now);
    }
  });

  it('remembers what was sent before a restart', () => {
    const window = new RateWindow(perMinute, [-50, -40, -30, -20, -10, -5, -1], true);
    expect(window.delay(0, false)).toBeGreaterThan(0);
    expect(window.delay(0, true)).toBeGreaterThan(5_000);
  });

  it('frees a cancelled turn', () => {
    const window = new RateWindow(perMinute, [], true);
    for (const _ of [1, 2]) send(window, 0, true);
    const before = window.delay(0, true);
    window.take(0, true);
    window.giveBack(true);
    expect(window.delay(0, true)).toBe(before);
  });

  it('does not change a window of one second', () => {
    const window = new RateWindow({ count: 5, intervalMs: 1_000 }, [], true);
    expect(sendAll(window, 0, true)).toBe(5);
  });
});

describe('a rate', () => {
  it.each([
    ['5/s', { count: 5, intervalMs: 1_000 }],
    ['120/min', { count: 120, intervalMs: 60_000 }],
    ['1000/h', { count: 1_000, intervalMs: 3_600_000 }],
    ['30', { count: 30, intervalMs: 60_000 }],
    ['unlimited', null],
  ])('is parsed from %s', (text, rate) => {
    expect(parseRate(text, 'min')).toEqual(rate);
  });

  it.each([
    '0/s',
    '-1/s',
    '-5',
    '0',
    '5/',
    '5/sec',
    '5 /s',
    '1.5/s',
    '5/d',
    '',
    'Unlimited',
    '5/s\n',
    '99999999/s',
  ])('rejects %j and says what to write instead', (text) => {
    expect(() => parseRate(text, 's')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('120/min') }),
    );
    expect(RATE_PATTERN.test(text)).toBe(false);
  });
});

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

import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  backlogPerMinute,
  Budget,
  periodStart,
  RateWindow,
  type Reservation,
} from '../../../src/core/domain/limits.ts';

/** The most starts in any half-open window of this length. */
function mostInAnyWindow(starts: readonly number[], intervalMs: number): number {
  const sorted = [...starts].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + intervalMs).length),
  );
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
          const pending: { slot: Reservation; at: number; cancelled: boolean }[] = [];
          let now = 1;
          const moveTo = (to: number): void => {
            for (const due of pending.filter(({ at }) => at <= to).sort((a, b) => a.at - b.at)) {
              pending.splice(pending.indexOf(due), 1);
              if (due.cancelled) due.slot.cancel();
              else {
                due.slot.sent(due.at);
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
            pending.push({ slot: window.reserve(now, step.backlog), at, cancelled: step.cancelled });
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
    window.reserve(0, false).sent(0);
    window.reserve(0, false).sent(400);
    const wait = window.delay(500, false);
    expect(wait).toBeGreaterThan(500);
    expect(window.delay(500 + wait - 1, false)).toBeGreaterThan(0);
    expect(window.delay(500 + wait, false)).toBe(0);
  });

  it('allows for requests that arrive closer together than they were sent', () => {
    const window = new RateWindow({ count: 1, intervalMs: 1_000 });
    window.reserve(0, false).sent(0);
    expect(window.delay(1_000, false)).toBeGreaterThan(0);
  });

  it('reserves a tenth of a long window for fresh scans, and nothing of a short one', () => {
    const taken = (intervalMs: number, backlog: boolean): number => {
      const window = new RateWindow({ count: 20, intervalMs });
      let sent = 0;
      while (window.delay(0, backlog) === 0 && sent < 100) {
        window.reserve(0, false).sent(0);
        sent += 1;
      }
      return sent;
    };
    expect(taken(60_000, true)).toBe(18);
    expect(taken(60_000, false)).toBe(20);
    expect(taken(1_000, true)).toBe(20);
  });

  it('has room for fresh scans after the backlog used its share', () => {
    const window = new RateWindow({ count: 4, intervalMs: 60_000 });
    for (let i = 0; i < 3; i += 1) window.reserve(0, false).sent(0);
    expect(window.delay(1, true)).toBeGreaterThan(50_000);
    expect(window.delay(1, false)).toBe(0);
  });

  it('lets a backlog through if a long window is too small to reserve a slot', () => {
    const window = new RateWindow({ count: 1, intervalMs: 60_000 });
    expect(window.delay(0, true)).toBe(0);
  });

  it('frees a cancelled slot', () => {
    const window = new RateWindow({ count: 1, intervalMs: 1_000 });
    const slot = window.reserve(0, false);
    expect(window.delay(0, false)).toBeGreaterThan(0);
    slot.cancel();
    expect(window.delay(0, false)).toBe(0);
  });

  it('counts a reserved request until it starts, however long that takes', () => {
    const window = new RateWindow({ count: 1, intervalMs: 1_000 });
    const slot = window.reserve(0, false);
    expect(window.delay(50_000, false)).toBeGreaterThan(0);
    slot.sent(50_000);
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
        window.reserve(now, true).sent(now);
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
    const atOnce = (): number => {
      let sent = 0;
      for (; window.delay(100_000, false) === 0; sent += 1) window.reserve(100_000, false).sent(100_000);
      return sent;
    };
    expect(atOnce()).toBe(7);
    expect(window.delay(100_000, false)).toBeGreaterThan(900);
    expect(window.delay(100_000, false)).toBeLessThan(1_100);
  });

  it.each([60, 120])('sends fresh scans at once beside a backlog at %d a minute', (count) => {
    const window = new RateWindow({ count, intervalMs: 60_000 }, [], true);
    const starts = drain(window, 600_000);
    for (const at of [0, 1, 2]) {
      const now = (starts.at(-1) ?? 0) + at;
      expect(window.delay(now, false)).toBe(0);
      window.reserve(now, false).sent(now);
    }
  });

  it('remembers what was sent before a restart', () => {
    const window = new RateWindow(perMinute, [-50, -40, -30, -20, -10, -5, -1], true);
    expect(window.delay(0, false)).toBeGreaterThan(0);
    expect(window.delay(0, true)).toBeGreaterThan(5_000);
  });

  it('frees a cancelled turn', () => {
    const window = new RateWindow(perMinute, [], true);
    for (const _ of [1, 2]) window.reserve(0, true).sent(0);
    const before = window.delay(0, true);
    window.reserve(0, true).cancel();
    expect(window.delay(0, true)).toBe(before);
  });

  it('does not change a window of one second', () => {
    const window = new RateWindow({ count: 5, intervalMs: 1_000 }, [], true);
    for (let sent = 0; sent < 5; sent += 1) {
      expect(window.delay(0, true)).toBe(0);
      window.reserve(0, true).sent(0);
    }
  });
});

describe('a budget', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  const local = (...parts: [number, number, number, number?, number?, number?, number?]): number =>
    new Date(...parts).getTime();

  it('reopens at local midnight', () => {
    const evening = local(2026, 2, 3, 23, 59, 59, 999);
    const budget = new Budget('day', 2, 1, evening);
    expect(budget.delay(evening)).toBe(0);
    budget.reserve().sent(0);
    expect(budget.delay(evening)).toBe(1);
    expect(budget.delay(evening + 1)).toBe(0);
  });

  it('reopens on the first of the month', () => {
    const at = local(2026, 0, 31, 12);
    const budget = new Budget('month', 1, 1, at);
    expect(budget.delay(at)).toBe(local(2026, 1, 1) - at);
    expect(budget.delay(local(2026, 1, 1))).toBe(0);
  });

  it.each([
    ['spring', [2026, 2, 29], 23],
    ['autumn', [2026, 9, 25], 25],
  ] as const)('lasts exactly one calendar day when the clocks change in %s', (_, [y, m, d], hours) => {
    process.env['TZ'] = 'Europe/Berlin';
    const start = local(y, m, d);
    const budget = new Budget('day', 1, 1, start);
    expect(budget.delay(start)).toBe(hours * 3_600_000);
    expect(budget.delay(start + hours * 3_600_000 - 1)).toBe(1);
    expect(budget.delay(start + hours * 3_600_000)).toBe(0);
  });

  it('lasts a whole day if daylight saving skips midnight', () => {
    process.env['TZ'] = 'America/Sao_Paulo';
    // 2018-11-04 started at 01:00 there.
    const before = local(2018, 10, 3, 23, 30);
    expect(periodStart('day', before, 1) - before).toBe(30 * 60_000);
    expect(periodStart('day', periodStart('day', before, 1))).toBe(periodStart('day', before, 1));
  });

  it('does not reopen if the clock is set back', () => {
    const today = local(2026, 2, 3, 10);
    const budget = new Budget('day', 1, 0, today);
    budget.reserve().sent(0);
    const yesterday = today - 24 * 3_600_000;
    expect(budget.delay(yesterday)).toBe(local(2026, 2, 4) - yesterday);
    expect(budget.delay(today)).toBeGreaterThan(0);
    expect(budget.delay(local(2026, 2, 4))).toBe(0);
  });

  it('recovers within two days after the clock was years ahead', () => {
    const now = local(2026, 2, 3, 10);
    const budget = new Budget('day', 1, 1, local(2099, 0, 1));
    expect(budget.delay(now)).toBe(local(2026, 2, 5) - now);
    expect(budget.delay(local(2026, 2, 5))).toBe(0);
  });

  it.each([
    ['years', local(1970, 0, 1, 1)],
    ['a day', local(2026, 2, 2, 10)],
  ])('is not granted twice if the clock is %s behind at startup and corrected later', (_how, wrong) => {
    const now = local(2026, 2, 3, 10);
    const budget = new Budget('day', 5, 3, wrong, { at: now - 3_600_000, used: 3 });
    expect(budget.delay(wrong)).toBe(0);
    budget.reserve().sent(0);
    // Three from before, and one that was sent while the clock was wrong.
    expect(budget.delay(now)).toBe(0);
    budget.reserve().sent(0);
    expect(budget.delay(now)).toBe(local(2026, 2, 4) - now);
    expect(budget.delay(local(2026, 2, 4))).toBe(0);
    for (let n = 0; n < 5; n += 1) {
      expect(budget.delay(local(2026, 2, 4))).toBe(0);
      budget.reserve().sent(0);
    }
    expect(budget.delay(local(2026, 2, 4))).toBeGreaterThan(0);
  });

  it('is not reduced beyond tomorrow by a record from years ahead', () => {
    const now = local(2026, 2, 3, 10);
    const budget = new Budget('day', 3, 0, now, { at: local(2099, 0, 1), used: 3 });
    expect(budget.delay(now)).toBe(0);
    budget.reserve().sent(0);
    budget.reserve().sent(0);
    expect(budget.delay(local(2026, 2, 5))).toBe(0);
    for (let n = 0; n < 3; n += 1) {
      expect(budget.delay(local(2026, 2, 5))).toBe(0);
      budget.reserve().sent(0);
    }
    expect(budget.delay(local(2026, 2, 5))).toBeGreaterThan(0);
    expect(budget.delay(local(2026, 2, 6))).toBe(0);
  });

  it.each([
    ['west', 'Europe/Berlin', 'America/New_York', 12],
    ['east', 'America/New_York', 'Asia/Kathmandu', 15],
    ['over the date line', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 1],
  ])('grants a laptop that travels %s no second budget for the same date', (_how, from, to, hourUtc) => {
    process.env['TZ'] = from;
    const now = Date.UTC(2026, 1, 3, hourUtc);
    const budget = new Budget('day', 1, 0, now);
    budget.reserve().sent(0);
    const date = new Date(now).getDate();
    process.env['TZ'] = to;
    // It must not reopen before the local calendar shows a later date.
    for (let at = now; at < now + 50 * 3_600_000; at += 900_000) {
      if (budget.delay(at) > 0) continue;
      expect(new Date(at).getDate()).toBeGreaterThan(date);
      expect(new Date(at - 900_000).getDate()).toBeLessThanOrEqual(date);
      return;
    }
    expect.unreachable('it never opened again');
  });

  it('frees a cancelled reservation', () => {
    const at = local(2026, 2, 3, 10);
    const budget = new Budget('day', 1, 0, at);
    budget.reserve().cancel();
    expect(budget.delay(at)).toBe(0);
  });

  it('counts a request that starts around midnight on both days, and cancels it on both', () => {
    const evening = local(2026, 2, 3, 23, 59);
    const budget = new Budget('day', 1, 0, evening);
    const slot = budget.reserve();
    const morning = local(2026, 2, 4, 0, 1);
    expect(budget.delay(morning)).toBeGreaterThan(0);
    slot.cancel();
    expect(budget.delay(morning)).toBe(0);
    budget.reserve().sent(0);
    expect(budget.delay(morning)).toBeGreaterThan(0);
  });
});

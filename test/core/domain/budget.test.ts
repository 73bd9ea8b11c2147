import { afterEach, describe, expect, it } from 'vitest';
import { Budget, periodStart } from '../../../src/core/domain/limits.ts';

function spend(budget: Budget, at: number): void {
  budget.take();
  budget.started(at);
}

/** How many requests the budget allows at that time. */
function spendAll(budget: Budget, at: number): number {
  let spent = 0;
  for (; budget.delay(at) === 0 && spent < 100; spent += 1) spend(budget, at);
  return spent;
}

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
    spend(budget, evening);
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
    spend(budget, today);
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
    spend(budget, wrong);
    // Three from before, and one that was sent while the clock was wrong.
    expect(budget.delay(now)).toBe(0);
    spend(budget, now);
    expect(budget.delay(now)).toBe(local(2026, 2, 4) - now);
    expect(spendAll(budget, local(2026, 2, 4))).toBe(5);
  });

  it('is not reduced beyond tomorrow by a record from years ahead', () => {
    const now = local(2026, 2, 3, 10);
    const budget = new Budget('day', 3, 0, now, { at: local(2099, 0, 1), used: 3 });
    expect(budget.delay(now)).toBe(0);
    for (let n = 0; n < 2; n += 1) spend(budget, now);
    expect(spendAll(budget, local(2026, 2, 5))).toBe(3);
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
    spend(budget, now);
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
});

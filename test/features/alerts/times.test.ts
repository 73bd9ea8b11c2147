import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { digestAt, quietUntil } from '../../../src/features/alerts/times.ts';
import { parseHours } from '../../../src/core/domain/hours.ts';

const HOUR = 60 * 60_000;

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Zurich');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const at = (text: string) => new Date(text).getTime();

describe('the digest', () => {
  it('is due once a day, even on days when the clocks change', () => {
    for (const [first, days, minutes] of [
      ['2026-03-27T12:00', 5, 2 * 60 + 30],
      ['2026-10-23T12:00', 5, 2 * 60 + 30],
      ['2026-12-29T12:00', 5, 7 * 60 + 30],
    ] as const) {
      let last: number | null = null;
      const made: { readonly for: number; readonly from: number }[] = [];
      for (let now = at(first); now < at(first) + days * 24 * HOUR; now += 10 * 60_000) {
        const next = digestAt(minutes, now, last);
        if (next === null) continue;
        last = next.for;
        if (next.isDue) made.push(next);
      }
      expect(made).toHaveLength(days);
      // Each digest counts from the end of the previous one.
      expect(made.slice(1).map((each) => each.from)).toEqual(made.slice(0, -1).map((each) => each.for));
    }
  });

  it('is sent up to twelve hours late, then skipped', () => {
    const last = at('2026-05-04T07:30');
    const half8 = 7 * 60 + 30;
    expect(digestAt(half8, at('2026-05-05T19:00'), last)).toEqual({
      for: at('2026-05-05T07:30'),
      from: last,
      isDue: true,
    });
    expect(digestAt(half8, at('2026-05-05T19:31'), last)).toMatchObject({ isDue: false });
    expect(digestAt(half8, at('2026-05-05T07:29'), last)).toBeNull();
  });

  it('is not sent at the first start or because a clock was wrong', () => {
    expect(digestAt(450, at('2026-05-05T08:00'), null)).toMatchObject({ isDue: false });
    expect(digestAt(450, at('2026-05-05T08:00'), at('2027-01-01T07:30'))).toMatchObject({ isDue: false });
  });
});

it('quiet hours end correctly across midnight, a weekend and a clock change', () => {
  const hours = parseHours(['Mon-Fri 19:00-07:00', 'Sat-Sun 00:00-24:00']);
  expect(quietUntil(hours, at('2026-05-05T12:00'))).toBeNull();
  expect(quietUntil(hours, at('2026-05-05T23:59:30'))).toBe(at('2026-05-06T07:00'));
  // Friday evening, two nights before clocks go forward.
  expect(quietUntil(hours, at('2026-03-27T19:00'))).toBe(at('2026-03-30T00:00'));
  expect(quietUntil(parseHours(['00:00-24:00']), at('2026-05-05T12:00'))).toBeNull();
});

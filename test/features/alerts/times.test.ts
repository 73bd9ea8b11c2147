import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { digestAt, quietUntil } from '../../../src/features/alerts/times.ts';
import { parseHours } from '../../../src/core/domain/hours.ts';

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Zurich');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const at = (text: string) => new Date(text).getTime();

describe('the digest', () => {
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

/** The digest and the quiet hours over a year, in every kind of time zone. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { digestAt, quietUntil } from '../../../src/features/alerts/times.ts';
import { parseHours } from '../../../src/core/domain/hours.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const ZONES = [
  ['UTC', 2026],
  ['Europe/Berlin', 2026],
  ['Asia/Kathmandu', 2026],
  ['America/St_Johns', 2026],
  ['Australia/Lord_Howe', 2026],
  ['Pacific/Chatham', 2026],
  ['Pacific/Kiritimati', 2026],
  ['America/Havana', 2026],
  ['America/Sao_Paulo', 2018],
  ['Africa/Cairo', 2024],
  // Clocks go back for Ramadan.
  ['Africa/Casablanca', 2026],
] as const;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(ZONES)('in %s, over %d', (zone, year) => {
  it.each([0, 150, 1439])('a digest at minute %d of the day is sent once for each date', (minutes) => {
    vi.stubEnv('TZ', zone);
    let last: number | null = new Date(year, 0, 1, 12).getTime();
    const made: string[] = [];
    const joins: boolean[] = [];
    for (let now = last + MINUTE; now < new Date(year + 1, 0, 1, 12).getTime(); now += 299 * MINUTE) {
      const digest = digestAt(minutes, now, last);
      if (digest === null) continue;
      expect(digest.isDue).toBe(true);
      expect(digest.from).toBeLessThan(digest.for);
      // Each count continues the previous one without a gap.
      if (made.length > 0) joins.push(digest.from === last);
      made.push(new Date(digest.for).toDateString());
      last = digest.for;
    }
    expect(joins).not.toContain(false);
    expect(new Set(made).size).toBe(made.length);
    expect(made.length).toBeGreaterThanOrEqual(363);
  });

  it('quiet hours end within a day, at any time of the year', () => {
    vi.stubEnv('TZ', zone);
    const quiet = parseHours(['22:30-06:15']);
    for (
      let now = new Date(year, 0, 1).getTime();
      now < new Date(year, 11, 31).getTime();
      now += (11 * DAY) / 7
    ) {
      const until = quietUntil(quiet, now);
      if (until === null) continue;
      expect(until - now).toBeLessThanOrEqual(10 * 60 * MINUTE);
      expect(quietUntil(quiet, until)).toBeNull();
    }
  });
});

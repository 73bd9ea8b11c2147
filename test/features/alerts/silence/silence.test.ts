import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dayOf, ScanTimes, type SilentAfter } from '../../../../src/features/alerts/silence/silence.ts';
import { SilentFolders } from '../../../../src/features/alerts/silence/silentFolders.ts';

const HOUR = 60 * 60_000;
// Clocks go forward at 02:00 on 29 March 2026 there.
beforeAll(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Local time; 24 March 2026 is a Tuesday. */
function at(month: number, day: number, hour: number, minute = 0): number {
  return new Date(2026, month - 1, day, hour, minute).getTime();
}

/** A scan every half hour from 8 to 17 on workdays, except from 12 to 13, from that day to 23 March. */
function officeSince(month: number, day: number, except: readonly number[] = []): ScanTimes {
  const times = new ScanTimes();
  const date = new Date(2026, month - 1, day);
  for (; date < new Date(2026, 2, 24); date.setDate(date.getDate() + 1)) {
    if (date.getDay() % 6 === 0 || except.includes(dayOf(date.getTime()))) continue;
    for (let hour = 8; hour <= 17; hour += 0.5)
      if (hour <= 12 || hour >= 13) times.add(date.getTime() + hour * HOUR);
  }
  return times;
}

const SINCE = at(1, 1, 0);
/** Whether the only folder is silent then. */
function silent(times: ScanTimes, now: number, silentAfter: SilentAfter = 'auto', since = SINCE) {
  return new SilentFolders().judge([{ path: '/a', times, silentAfter, since }], now).alone[0] ?? null;
}

describe('a folder with usual pauses of an hour', () => {
  // One and a half times the usual pause, plus an hour and a half: three hours.
  it('is silent after three working hours, with an explanation', () => {
    const times = officeSince(1, 15);
    expect(silent(times, at(3, 24, 11))).toBeNull();
    expect(silent(times, at(3, 24, 11, 20))).toMatchObject({ last: at(3, 23, 17), minutes: 200, pause: 60 });
  });

  it('is silent after some scans too, if no more come', () => {
    const times = officeSince(1, 15);
    times.add(at(3, 24, 10, 28));
    expect(silent(times, at(3, 24, 13, 28))).toBeNull();
    expect(silent(times, at(3, 24, 13, 40))?.last).toBe(at(3, 24, 10, 28));
  });

  it('is not silent in the evening or on a Sunday, even when clocks go forward', () => {
    const times = officeSince(1, 15);
    times.add(at(3, 24, 16));
    for (let hour = 0; hour < 24; hour += 1) expect(silent(times, at(3, 24, hour, 59))).toBeNull();
    times.add(at(3, 27, 17));
    for (let hour = 0; hour < 48; hour += 1) expect(silent(times, at(3, 28, 0) + hour * HOUR)).toBeNull();
    expect(silent(times, at(3, 30, 12))).not.toBeNull();
  });

  it('is not silent for the time in which the agent did not run', () => {
    const times = officeSince(1, 15);
    const since = at(3, 24, 11, 50);
    expect(silent(times, at(3, 24, 14), 'auto', since)).toBeNull();
    expect(silent(times, at(3, 24, 15), 'auto', since)).not.toBeNull();
  });

  it('is still silent after three hours if the agent did not run for two weeks before', () => {
    const off = Array.from({ length: 14 }, (_, day) => dayOf(at(3, 2, 12)) + day);
    expect(silent(officeSince(1, 15, off), at(3, 24, 12))).not.toBeNull();
  });
});

describe('no silence is reported', () => {
  it('for a folder with scans on only four days', () => {
    expect(silent(officeSince(3, 18), at(3, 24, 17))).toBeNull();
    expect(silent(officeSince(3, 17), at(3, 24, 17))).not.toBeNull();
  });

  it('for a folder that never had a scan', () => {
    expect(silent(new ScanTimes(), at(3, 24, 12))).toBeNull();
  });

  it('for a folder that is set to never', () => {
    expect(silent(officeSince(1, 15), at(3, 24, 17), 'never')).toBeNull();
  });
});

it('a configured duration counts working hours, and continues on the next day', () => {
  const times = officeSince(1, 15);
  times.add(at(3, 24, 13));
  expect(silent(times, at(3, 25, 8, 50), 5 * HOUR)).toBeNull();
  expect(silent(times, at(3, 25, 9, 10), 5 * HOUR)).not.toBeNull();
});

it('a folder with scans once a day is silent after two working days', () => {
  const times = new ScanTimes();
  for (let day = 1; day < 24; day += 1) {
    if (new Date(2026, 2, day).getDay() % 6 === 0) continue;
    times.add(at(3, day, 9 + (day % 3) * 4));
  }
  expect(silent(times, at(3, 25, 15))).toBeNull();
  expect(silent(times, at(3, 26, 15))).not.toBeNull();
});

describe('several folders', () => {
  const office = () =>
    ['/a', '/b', '/c'].map((path) => ({
      path,
      since: SINCE,
      silentAfter: 'auto' as const,
      times: officeSince(1, 15),
    }));

  it('are one silence if none of them gets scans', () => {
    const { all, alone } = new SilentFolders().judge(office(), at(3, 24, 12));
    expect(all).toMatchObject({ minutes: 240 });
    expect(alone).toEqual([]);
  });

  it('are reported individually if others get scans', () => {
    const folders = office();
    for (let hour = 8; hour < 12; hour += 1) folders[0]?.times.add(at(3, 24, hour));
    expect(new SilentFolders().judge(folders, at(3, 24, 12))).toMatchObject({
      all: null,
      alone: [{ path: '/b' }, { path: '/c' }],
    });
  });

  it('do not report a holiday on the day after it', () => {
    const folders = office();
    const silence = new SilentFolders();
    expect(silence.judge(folders, at(3, 24, 17)).all).not.toBeNull();
    expect(silence.judge(folders, at(3, 25, 8)).all).not.toBeNull();
    folders[0]?.times.add(at(3, 25, 8, 5));
    expect(silence.judge(folders, at(3, 25, 8, 10))).toEqual({ all: null, alone: [] });
  });

  it('stay silent individually over the night, until their next scan', () => {
    const folders = office();
    const silence = new SilentFolders();
    for (const folder of folders.slice(1)) folder.times.add(at(3, 24, 12));
    expect(silence.judge(folders, at(3, 24, 12, 30)).alone).toMatchObject([{ path: '/a' }]);
    expect(silence.judge(folders, at(3, 25, 3)).alone).toMatchObject([{ path: '/a' }]);
    folders[0]?.times.add(at(3, 25, 8));
    expect(silence.judge(folders, at(3, 25, 8, 5)).alone).toEqual([]);
  });
});

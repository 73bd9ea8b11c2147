import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Arrivals, dayOf } from '../../../../src/features/alerts/silence/arrivals.ts';
import { silenceOf } from '../../../../src/features/alerts/silence/silence.ts';
import { explain } from '../../../../src/features/alerts/silence/silenceText.ts';
import { silentAmong } from '../../../../src/features/alerts/silence/silentFolders.ts';

const MINUTE = 60_000;
const zone = process.env['TZ'];

// Clocks go forward at 02:00 on 29 March 2026 there.
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin';
});

afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

/** Local time; 24 March 2026 is a Tuesday. */
function at(month: number, day: number, hour: number, minute = 0): number {
  return new Date(2026, month - 1, day, hour, minute).getTime();
}

/** `perHour` scans from 8 to 17 on workdays from that day until before 24 March. */
function officeSince(month: number, day: number, perHour = 6, except: readonly number[] = []): Arrivals {
  const arrivals = new Arrivals();
  for (
    const date = new Date(2026, month - 1, day);
    date < new Date(2026, 2, 24);
    date.setDate(date.getDate() + 1)
  ) {
    const isWorkday = date.getDay() >= 1 && date.getDay() <= 5;
    if (!isWorkday || except.includes(dayOf(date.getTime()))) continue;
    for (let hour = 8; hour < 17; hour += 1) {
      for (let scan = 0; scan < perHour + ((date.getDate() + hour) % 3); scan += 1) {
        const minute = (scan * 60) / (perHour + 2);
        arrivals.add(at(date.getMonth() + 1, date.getDate(), hour) + minute * MINUTE, 1);
      }
    }
  }
  return arrivals;
}

const SINCE = at(1, 1, 0);

describe('an office that scans all day', () => {
  it('is silent once scans are missing, and that is explained', () => {
    const arrivals = officeSince(1, 15);
    const [morning, noon] = [at(3, 24, 8, 30), at(3, 24, 12)];
    expect(silenceOf({ arrivals, since: SINCE, now: morning })).toBeNull();
    const silence = silenceOf({ arrivals, since: SINCE, now: noon });
    expect(silence).not.toBeNull();
    expect(silence && explain(silence, noon)).toBe(
      'by 12:00 on a Tuesday 27 to 29 scans came in the last 9 weeks that had any, and now none has since yesterday 16:37',
    );
  });

  it('is silent after some scans too, if no more come', () => {
    const arrivals = officeSince(1, 15);
    arrivals.add(at(3, 24, 10, 28), 17);
    const now = at(3, 24, 15, 10);
    const silence = silenceOf({ arrivals, since: SINCE, now });
    expect(silence && explain(silence, now)).toMatch(/^from 11:00 to 15:00 on a Tuesday .* since 10:28$/);
  });

  it('stays silent at night and over the weekend, until the next scan', () => {
    const arrivals = officeSince(1, 15);
    for (const now of [at(3, 24, 23), at(3, 25, 4), at(3, 28, 12)])
      expect(silenceOf({ arrivals, since: SINCE, now })).not.toBeNull();
    arrivals.add(at(3, 28, 12), 1);
    expect(silenceOf({ arrivals, since: SINCE, now: at(3, 28, 12, 1) })).toBeNull();
  });

  it('is not silent on a Sunday, nor when clocks go forward on one', () => {
    const arrivals = officeSince(1, 15);
    arrivals.add(at(3, 28, 22), 1);
    for (let hour = 0; hour < 24; hour += 1)
      expect(silenceOf({ arrivals, since: SINCE, now: at(3, 29, hour, 1) })).toBeNull();
    expect(silenceOf({ arrivals, since: SINCE, now: at(3, 30, 12) })).not.toBeNull();
  });

  it('is not silent for what an agent that did not run cannot know', () => {
    const arrivals = officeSince(1, 15);
    expect(silenceOf({ arrivals, since: at(3, 24, 11, 50), now: at(3, 24, 12, 30) })).toBeNull();
    expect(silenceOf({ arrivals, since: at(3, 24, 11, 50), now: at(3, 24, 17) })).not.toBeNull();
  });

  it('has not learned from two weeks without the agent that nothing is usual', () => {
    const off = Array.from({ length: 14 }, (_, day) => dayOf(at(3, 2, 12)) + day);
    const arrivals = officeSince(1, 15, 6, off);
    expect(silenceOf({ arrivals, since: SINCE, now: at(3, 24, 12) })).not.toBeNull();
  });
});

describe('nothing is said', () => {
  it('of a new folder, for four weeks', () => {
    const arrivals = officeSince(3, 2, 40);
    for (let hour = 8; hour < 24; hour += 1)
      expect(silenceOf({ arrivals, since: SINCE, now: at(3, 24, hour) })).toBeNull();
  });

  it('of a folder that never got anything', () => {
    expect(silenceOf({ arrivals: new Arrivals(), since: SINCE, now: at(3, 24, 12) })).toBeNull();
  });

  it('of forty receipts that come at once, while that may still be', () => {
    const arrivals = new Arrivals();
    for (let week = 1; week <= 9; week += 1)
      for (let day = 0; day < 5; day += 1)
        arrivals.add(at(3, 23 + day, 9 + (week % 3)) - week * 7 * 24 * 60 * MINUTE, 40);
    expect(silenceOf({ arrivals, since: SINCE, now: at(3, 24, 23, 30) })).toBeNull();
  });
});

describe('several folders', () => {
  const paths = ['/a', '/b', '/c'];

  it('are one silence where nothing comes into any', () => {
    const folders = paths.map((path) => ({ path, since: SINCE, arrivals: officeSince(1, 15) }));
    const { all, alone } = silentAmong(folders, at(3, 24, 12));
    expect(all).toMatchObject({ low: 81, high: 87 });
    expect(alone).toEqual([]);
  });

  it('are told of each, where others get scans', () => {
    const folders = paths.map((path) => ({ path, since: SINCE, arrivals: officeSince(1, 15) }));
    for (let minute = 0; minute < 240; minute += 10) folders[0]?.arrivals.add(at(3, 24, 8, minute), 1);
    expect(silentAmong(folders, at(3, 24, 12))).toMatchObject({
      all: null,
      alone: [{ path: '/b' }, { path: '/c' }],
    });
  });

  it('are not told of a holiday on the day after it', () => {
    const folders = paths.map((path) => ({ path, since: SINCE, arrivals: officeSince(1, 15) }));
    expect(silentAmong(folders, at(3, 24, 17)).all).not.toBeNull();
    folders[0]?.arrivals.add(at(3, 25, 8, 5), 1);
    expect(silentAmong(folders, at(3, 25, 8, 10))).toEqual({ all: null, alone: [] });
  });
});

/** Days and times that come from outside without a zone are local times, whatever the zone and its clock changes. */
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseDay } from '../../../src/config/units.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { buildTiff } from '../../support/handmadeImages.ts';

/** With clock changes at midnight, of half an hour, twice a year, and days that did not exist. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Havana',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Pacific/Apia',
];

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Independent of Date's local fields: what a clock on the wall shows. */
function wallClock(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (at) => format.format(at);
}

const two = (value: number): string => String(value).padStart(2, '0');

describe.each(ZONES)('in %s', (zone) => {
  it('a day begins with its first second, and a day that does not exist is none', () => {
    vi.stubEnv('TZ', zone);
    const shows = wallClock(zone);
    for (let day = Date.UTC(2025, 11, 20, 12); day < Date.UTC(2027, 0, 10); day += 86_400_000) {
      const text = new Date(day).toISOString().slice(0, 10);
      const begins = parseDay(text);
      expect([text, shows(begins).slice(0, 10), shows(begins - 1).slice(0, 10) < text]).toEqual([
        text,
        text,
        true,
      ]);
    }
    for (const none of ['2026-02-29', '2026-13-01', '2026-00-10', '2026-01-00', '2026-1-1', '', '2026-04-31'])
      expect(parseDay(none)).toBeNaN();
  });

  it('an image was taken when a clock on the wall showed the time in its EXIF', async () => {
    vi.stubEnv('TZ', zone);
    const inspector = createImageInspector();
    const shows = wallClock(zone);
    const pages = [{ width: 1, height: 1, data: Buffer.alloc(3, 1) }];
    const part = (min: number, max: number) => fc.integer({ min, max });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(part(1970, 2040), part(0, 13), part(0, 32), part(0, 25), part(0, 61), part(0, 61)),
        async ([year, month, day, hour, minute, second]) => {
          const text = `${year}:${[month, day].map(two).join(':')} ${[hour, minute, second].map(two).join(':')}`;
          const tiff = buildTiff({
            pages,
            order: 'II',
            big: false,
            capturedAt: new Date(2020, 1, 2, 3, 4, 5),
          });
          tiff.write(text, tiff.indexOf('2020:02:02 03:04:05'), 'latin1');
          const at = await inspector.capturedAt(tiff, 'tiff');
          const utc = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
          const isReal =
            utc.toISOString().slice(0, 19) ===
            `${year}-${[month, day].map(two).join('-')}T${[hour, minute, second].map(two).join(':')}`;
          const wall = text.replace(':', '-').replace(':', '-');
          const shown = at === null ? null : shows(at.getTime());
          // A time that a clock change skipped is no time, or the one after the change.
          const isSkipped = ![-86_400_000, 0, 86_400_000].some((around) => {
            const offset =
              Date.parse(`${shows(utc.getTime() + around).replace(' ', 'T')}Z`) - around - utc.getTime();
            return shows(utc.getTime() - offset) === wall;
          });
          const expected = isReal ? wall : null;
          expect([text, isReal && isSkipped ? expected : shown]).toEqual([text, expected]);
        },
      ),
    );
  });
});

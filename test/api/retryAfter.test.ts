import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { retryAfterMs } from '../../src/api/retryAfter.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Neither a text's meaning nor a date without a zone may depend on where the machine is. */
const ZONES = ['UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Europe/Berlin', 'Pacific/Pago_Pago'];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The three formats of RFC 9110 5.6.7, written from UTC fields: IMF-fixdate, RFC 850, asctime. */
function written(at: number): readonly [imf: string, rfc850: string, asctime: string] {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  const [day, month, year] = [date.getUTCDate(), MONTHS[date.getUTCMonth()], date.getUTCFullYear()];
  const weekday = WEEKDAYS[date.getUTCDay()] ?? '';
  const short = weekday.slice(0, 3);
  return [
    `${short}, ${two(day)} ${month} ${year} ${time} GMT`,
    `${weekday}, ${two(day)}-${month}-${two(year % 100)} ${time} GMT`,
    `${short} ${month} ${String(day).padStart(2)} ${time} ${year}`,
  ];
}

const now = fc.date({
  min: new Date(Date.UTC(2024, 0)),
  max: new Date(Date.UTC(2040, 0)),
  noInvalidDate: true,
});
/** Around now, around a day from now, and years away. */
const aheadMs = fc.oneof(
  fc.integer({ min: -DAY, max: 2 * DAY }),
  fc.integer({ min: -7 * 365 * DAY, max: 7 * 365 * DAY }),
);

describe.each(ZONES)('Retry-After in %s', (zone) => {
  it('is the time until a date in each of the three formats: at least what was asked for, at most a day', () => {
    vi.stubEnv('TZ', zone);
    fc.assert(
      fc.property(now, aheadMs, (from, ahead) => {
        const at = Math.floor((from.getTime() + ahead) / 1000) * 1000;
        const expected = Math.min(Math.max(at - from.getTime(), 0), DAY);
        for (const text of written(at))
          expect([text, retryAfterMs(` ${text} `, from.getTime())]).toEqual([text, expected]);
      }),
    );
  });

  it('is seconds, at most a day, and none if it is anything else', () => {
    vi.stubEnv('TZ', zone);
    const seconds = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(fc.oneof(fc.nat(200_000).map(BigInt), seconds), fc.nat(3), (count, zeros) => {
        const expected = count > 86_400n ? DAY : Number(count) * 1000;
        expect(retryAfterMs(`${'0'.repeat(zeros)}${count}`, 0)).toBe(expected);
      }),
    );
    // A date with one thing wrong, or in another format that a computer could misread as local time.
    const spoil: readonly ((texts: ReturnType<typeof written>, at: number) => string)[] = [
      ([imf]) => imf.replace(' GMT', ''),
      ([imf]) => imf.replace('GMT', 'CEST'),
      ([imf]) => imf.replace('GMT', '+0200'),
      ([imf]) => imf.replace(/\d\d:/, '25:'),
      ([imf]) => imf.replace(/, \d\d/, ', 99'),
      ([, rfc850]) => rfc850.replace(' GMT', ''),
      ([, , asctime]) => asctime.replace(/ \d{4}$/, ''),
      (_, at) => new Date(at).toISOString(),
      (_, at) => new Date(at).toISOString().slice(0, 19),
      (_, at) => new Date(at).toISOString().slice(0, 10),
      (_, at) => String(new Date(at)),
      (_, at) => `-${at % 1000}`,
      (_, at) => `${at % 1000}.5`,
      (_, at) => `${at % 1000}e3`,
      (_, at) => `0x${at % 1000}`,
      (_, at) => `${at % 1000}, 5`,
      () => '',
    ];
    fc.assert(
      fc.property(now, fc.constantFrom(...spoil), (at, spoiled) => {
        const text = spoiled(written(Math.floor(at.getTime() / 1000) * 1000), at.getTime());
        expect([text, retryAfterMs(text, at.getTime() - 60_000)]).toEqual([text, null]);
      }),
    );
    fc.assert(
      fc.property(fc.string(), fc.nat(), (text, at) => {
        const ms = retryAfterMs(text, at);
        expect(ms === null || (ms >= 0 && ms <= DAY)).toBe(true);
      }),
    );
    expect(retryAfterMs(undefined, 0)).toBeNull();
  });
});

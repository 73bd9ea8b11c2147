import { expect, it } from 'vitest';
import { momentOf, periodOf } from '../../src/cli/optionValues.ts';

/** A Sunday. */
const NOW = new Date(2026, 2, 29, 23, 59).getTime();

it.each([
  ['today', '2026-03-29', '2026-03-30'],
  ['yesterday', '2026-03-28', '2026-03-29'],
  ['last-week', '2026-03-16', '2026-03-23'],
  ['last-month', '2026-02-01', '2026-03-01'],
  ['2026-10', '2026-10-01', '2026-11-01'],
  ['2026-12', '2026-12-01', '2027-01-01'],
  ['2024-02-29', '2024-02-29', '2024-03-01'],
])('%s begins on %s and ends before %s, in local time', (text, first, next) => {
  const { since, until } = periodOf('--since', text, NOW);
  expect([since, until].map((at) => new Date(at).toLocaleString('sv'))).toEqual([
    `${first} 00:00:00`,
    `${next} 00:00:00`,
  ]);
});

it.each(['2026-13', '2026-00', '2026-02-30', '2026', 'constructor', 'Today', ''])(
  '%j is no period',
  (text) => {
    expect(() => periodOf('--since', text, NOW)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  },
);

it.each([
  ['tomorrow', '2026-03-30 08:00:00'],
  ['tomorrow 09:30', '2026-03-30 09:30:00'],
  ['monday', '2026-03-30 08:00:00'],
  ['sunday', '2026-04-05 08:00:00'],
  ['saturday 23:59', '2026-04-04 23:59:00'],
  ['2026-03-30', '2026-03-30 00:00:00'],
  ['08:00', '2026-03-30 08:00:00'],
])('a pause until %s ends at %s, in local time', (text, at) => {
  expect(new Date(momentOf('--until', text, NOW)).toLocaleString('sv')).toBe(at);
});

it.each(['someday', 'tomorrow soon', 'tomorrow 25:00', 'constructor', 'monday monday', ''])(
  '%j is no moment',
  (text) => {
    expect(() => momentOf('--until', text, NOW)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  },
);

import { expect, it } from 'vitest';
import { table } from '../../bench/report/table.ts';
import { amount } from '../../bench/report/words.ts';
import { SCENARIOS } from '../../bench/scenarios/index.ts';
import { figure } from './records.ts';

it('shows ratios first, with what was reached, by load', () => {
  const scenario = { name: 'a', title: 'A backlog', run: () => Promise.reject(new Error('not run')) };
  const figures = [
    figure('small: count', 500, { unit: 'count', better: null }),
    figure('small: time', 1.23456),
    figure('small: start', 4, { target: 1 }),
    figure('small: vs. curl', 1.5, { unit: 'ratio', target: 1.6 }),
    figure('rate', 8, { unit: '/s', better: 'more', target: 10, note: 'once' }),
  ];
  expect(table(scenario, { figures, skipped: ['rclone is absent.'] })).toBe(`
A backlog

  small
  vs. curl  1.5 ×   at most 1.6 ×  reached
  start     4 s     at most 1 s    not reached, 4 times the target
  count     500
  time      1.23 s
  rate  8 /s  at least 10 /s  not reached, 20 % below  Once.
  rclone is absent.

`);
});

it.each([
  [20_000, 'count', '20,000'],
  [12_345.6, 'ms', '12,346 ms'],
  [0.01234, 's', '0.0123 s'],
  [6.9, 'ratio', '6.9 ×'],
] as const)('writes %d %s as %s', (value, unit, text) => {
  expect(amount(value, unit)).toBe(text);
});

it('has every scenario once, in the order in which they are told of', () => {
  const names = SCENARIOS.map(({ name }) => name);
  expect(names).toEqual([
    'backlog',
    'service',
    'latency',
    'start',
    'idle',
    'queue',
    'fleet',
    'console',
    'tasks',
    'fair',
    'results',
    'link',
    'pages',
    'install',
  ]);
});

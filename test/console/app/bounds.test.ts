import { expect, it } from 'vitest';
import { boundOf } from '../../../src/console/app/bounds.ts';
import { amountOf } from '../../../src/core/domain/posted.ts';

it.each([
  '12',
  '12,5',
  '12.50',
  '1.234,50',
  '1,234.50',
  '1234.50',
  '1234,5',
  '1.234',
  "12'000",
  '1 234 567,8',
  '-7',
])('a typed bound %j is parsed as the same amount as in the agent', (typed) =>
  expect(Number(boundOf(typed))).toBe(amountOf(typed)),
);

it.each([
  ['14.5.2026', '2026-05-14'],
  ['2026-05', '2026-05'],
  ['Hotel', null],
  ['', null],
  ['.', null],
])('a typed bound %j is parsed as %j', (typed, bound) => expect(boundOf(typed)).toBe(bound));

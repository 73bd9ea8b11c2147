import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { byBytes } from '../../../src/core/domain/byteOrder.ts';

it('sorts texts by their UTF-8 bytes', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 6 });
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(byBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

it('sorts surrogate pairs after all characters of one code unit', () => {
  expect(['\u{1F9FE}', '\uFF21', 'b', 'ab', 'a', 'ä', '\u{1F600}'].sort(byBytes)).toEqual([
    'a',
    'ab',
    'b',
    'ä',
    '\uFF21',
    '\u{1F600}',
    '\u{1F9FE}',
  ]);
});

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedNames } from '../../../src/intake/folder/sortedNames.ts';

function taken(names: Iterable<string>, limit: number): string[] {
  const sorted = new SortedNames();
  for (const name of names) sorted.add(name);
  const all: string[] = [];
  for (let batch = sorted.take(limit); batch.length > 0; batch = sorted.take(limit)) all.push(...batch);
  return all;
}

function bytesOf(name: string): Buffer {
  return Buffer.from(name);
}

it('yields names in byte order, whatever order they came in', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), fc.integer({ min: 1, max: 7 }), (names, limit) => {
      const expected = names.map(bytesOf).sort((a, b) => Buffer.compare(a, b));
      expect(taken(names, limit).map(bytesOf)).toEqual(expected);
    }),
  );
});

it.each([8_192, 8_193, 50_000])('yields all of %d names, merged from several runs', (count) => {
  const names = Array.from({ length: count }, (_, index) => `SCAN${(index * 7_919) % count}.jpg`);
  expect(taken(names, 1_000)).toEqual(names.toSorted());
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Scope } from '../../../src/intake/folder/scope.ts';
import { namesOneFile } from '../../../src/intake/folder/hints.ts';
import { SortedNames } from '../../../src/intake/folder/sortedNames.ts';

describe('patterns', () => {
  it('without include match every name', () => {
    const filter = createPathFilter([], []);
    for (const path of ['a', '.a', '-rf', 'a\nb', 'x/y z', '٣.jpg', '🧾.png'])
      expect(filter.includes(path)).toBe(true);
  });

  it.each([
    ['*.jpg', 'a.jpg', true],
    ['*.jpg', 'A.JPG', true],
    ['*.jpg', 'sub/a.jpg', true],
    ['*.jpg', '.jpg', true],
    ['*.jpg', 'two\nlines.jpg', true],
    ['**', 'sub/\n', true],
    ['*.jpg', 'a.jpg.tmp', false],
    ['in/*.jpg', 'in/a.jpg', true],
    ['in/*.jpg', 'a.jpg', false],
    ['in/**', 'in/x/y/a.jpg', true],
    ['in/**', 'in/x\ny/a.jpg', true],
    ['/*.jpg', 'a.jpg', true],
    ['/*.jpg', 'sub/a.jpg', false],
    ['K\u00e4se*', 'Ka\u0308se 1.jpg', true],
    ['*.{jpg,png}', 'a.png', true],
  ])('include %j matches %j: %s', (pattern, path, expected) => {
    expect(createPathFilter([pattern], []).includes(path)).toBe(expected);
  });

  it.each([
    ['.*', '.hidden', true],
    ['.*', 'sub/.hidden', true],
    ['.*', 'not.hidden', false],
    ['@eaDir', 'sub/@eaDir', true],
    ['@eaDir/', '@eaDir', true],
    ['thumbs.db', 'Thumbs.db', true],
    ['out/**', 'out', true],
    ['out/**', 'out/a.jpg', true],
    ['out/**', 'in/out/a.jpg', false],
    ['**/out/**', 'in/out/a.jpg', true],
    ['~$*', '~$a.tif', true],
  ])('ignore %j excludes %j: %s', (pattern, path, expected) => {
    expect(createPathFilter([], [pattern]).ignores(path)).toBe(expected);
  });
});

it.each([
  ['linux', 'SCAN0001.JPG', true],
  ['linux', 'Café.jpg', true],
  ['linux', 'SCAN00~1.JPG', true],
  ['linux', 'Caf\uFFFD.jpg', false],
  // In composed and decomposed form.
  ['darwin', 'Caf\u00e9.jpg', false],
  ['darwin', 'Cafe\u0301.jpg', false],
  ['darwin', 'SCAN0001.JPG', true],
  ['win32', 'SCAN0001.JPG', true],
  ['win32', 'Café.jpg', true],
  ['win32', 'SCAN00~1.JPG', false],
  ['win32', 'two~words.jpg', true],
] as const)('on %s an event about %j names one file: %s', (platform, name, isOne) => {
  expect(namesOneFile(name, platform)).toBe(isOne);
});

function createPathFilter(include: string[], ignore: string[]) {
  return new Scope({ folder: '/scans', recursive: true, include, ignore, exclude: [] });
}

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

import { describe, expect, it } from 'vitest';
import { createPathFilter } from '../../../src/intake/folder/pathFilter.ts';

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

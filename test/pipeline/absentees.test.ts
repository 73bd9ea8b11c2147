import { expect, it } from 'vitest';
import { byBytes } from '../../src/domain/byteOrder.ts';
import { Absentees } from '../../src/pipeline/absentees.ts';

function absentees(known: Readonly<Record<string, readonly string[]>>, batchSize = 2) {
  return new Absentees(
    {
      async *namesIn(_folder, dir) {
        const names = (known[dir] ?? []).toSorted(byBytes);
        for (let at = 0; at < names.length; at += batchSize) yield names.slice(at, at + batchSize);
      },
      dirs: async () => Object.keys(known),
    },
    '/scans',
  );
}

it('finds what lies before, between and after the listed names, over batches of both', async () => {
  const found = absentees({ '': ['a', 'b', 'c', 'd', 'e', 'f', 'g'], sub: ['x', 'y'] });
  await found.besides('', ['b'], []);
  await found.besides('', ['c', 'cc', 'e'], []);
  await found.besides('', ['f'], []);
  await found.besides('sub', ['x', 'y', 'z'], []);
  expect(await found.all('')).toEqual(['a', 'd', 'g']);
});

it('finds all of a directory that was not listed or is empty, and nothing of one that can’t be read', async () => {
  const found = absentees({ '': ['a'], gone: ['b', 'c', 'd'], shut: ['e'] });
  await found.besides('', [], []);
  found.unreadable('shut');
  expect(await found.all('')).toEqual(['a', 'gone/b', 'gone/c', 'gone/d']);
});

it('goes by the bytes of names, and takes a name that is not valid UTF-8 for listed wherever it comes', async () => {
  const names = ['\u{1F9FE}.jpg', '\uFF21.jpg', 'ä.jpg', 'bad-\uFFFD.jpg', 'b.jpg'];
  const found = absentees({ '': names });
  const listed = names.filter((name) => !name.startsWith('bad')).toSorted(byBytes);
  await found.besides('', listed.slice(0, 2), ['bad-\uFFFD.jpg']);
  await found.besides('', listed.slice(2), []);
  expect(await found.all('')).toEqual([]);
});

import { expect, it } from 'vitest';
import { byBytes } from '../../../src/core/domain/byteOrder.ts';
import { MissingFiles } from '../../../src/intake/scan/missingFiles.ts';

const IDENTITY = { size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: 1n };

function absentees(known: Readonly<Record<string, readonly string[]>>, full = true) {
  return new MissingFiles({
    ledger: {
      knownFrom: async (_folder, dir, { after, upTo }, limit) => {
        return (known[dir] ?? [])
          .toSorted(byBytes)
          .filter((name) => byBytes(name, after) > 0 && (upTo === null || byBytes(name, upTo) <= 0))
          .slice(0, limit)
          .map((name) => ({ sighting: 1, name, identity: IDENTITY, verdict: 'document', policy: null }));
      },
      dirs: async () => Object.keys(known),
    },
    folder: '/scans',
    full,
  });
}

it('finds known files before, between and after the listed names, across batches of both', async () => {
  const found = absentees({ '': ['a', 'b', 'c', 'd', 'e', 'f', 'g'], sub: ['x', 'y'] });
  const isKnown = async (dir: string, names: string[]) =>
    (await found.known(dir, names)).map((file) => file !== undefined);
  expect(await isKnown('', ['b'])).toEqual([true]);
  expect(await isKnown('', ['c', 'cc', 'e'])).toEqual([true, false, true]);
  expect(await isKnown('', ['f'])).toEqual([true]);
  expect(await isKnown('sub', ['x', 'y', 'z'])).toEqual([true, true, false]);
  expect(await found.all('')).toEqual(['a', 'd', 'g']);
});

it('finds all files of a directory that is empty or was not listed, and none of one that can’t be read', async () => {
  const found = absentees({ '': ['a'], gone: ['b', 'c', 'd'], shut: ['e'] });
  await found.badNames('', []);
  found.without('shut');
  expect(await found.all('')).toEqual(['a', 'gone/b', 'gone/c', 'gone/d']);
});

it('compares names by bytes, and treats a name that is not valid UTF-8 as listed', async () => {
  const names = ['\u{1F9FE}.jpg', '\uFF21.jpg', 'ä.jpg', 'bad-\uFFFD.jpg', 'b.jpg'];
  const found = absentees({ '': names });
  const listed = names.filter((name) => !name.startsWith('bad')).toSorted(byBytes);
  await found.badNames('', ['bad-\uFFFD.jpg']);
  await found.known('', listed.slice(0, 2));
  await found.known('', listed.slice(2));
  expect(await found.all('')).toEqual([]);
});

it('finds more missing files than one request to the ledger returns', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => `${index}`.padStart(4, '0'));
  const found = absentees({ '': many });
  expect((await found.known('', ['2400']))[0]).toBeDefined();
  expect(await found.all('')).toEqual(many.filter((name) => name !== '2400'));
});

it('for a part of a folder, returns the known files and reports none as missing', async () => {
  const found = absentees({ '': ['a', 'b', 'c'] }, false);
  expect((await found.known('', ['b', 'bb'])).map((file) => file?.verdict)).toEqual(['document', undefined]);
  expect(await found.all('')).toEqual([]);
});

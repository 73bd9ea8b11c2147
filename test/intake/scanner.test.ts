import * as fc from 'fast-check';
import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WatchedFolder } from '../../src/core/ports/folder.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { watchingPlace } from './watching.ts';
import { byBytes } from '../../src/core/domain/byteOrder.ts';
import { MissingFiles } from '../../src/intake/scanner.ts';
import { ListingTimes, type ListingNeed } from '../../src/intake/listingTimes.ts';
import { FakeClock } from '../support/fakeClock.ts';

it("a long directory is compared in the ledger's order of names, and missing files are found", async () => {
  const place = await watchingPlace();
  const names = Array.from({ length: 1_200 }, (_, index) => `SCAN${index}.jpg`);
  for (const name of names) await writeFile(join(place.scans, name), '');
  const asked: string[] = [];
  const told: string[] = [];
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    statEach: async (dir, chunk) => {
      asked.push(...chunk);
      return real.statEach(dir, chunk);
    },
  });
  const ledger = (real: Ledger): Partial<Ledger> => ({
    knownFrom: async (...span) => {
      const files = await real.knownFrom(...span);
      told.push(...files.map(({ name }) => name));
      return files;
    },
  });
  await place.once({ ledger, folder, settings: { existing: { kind: 'skip' } } });
  // For the first watch, and then for the comparison.
  expect(asked).toEqual([...names.toSorted(), ...names.toSorted()]);
  expect(told).toEqual(names.toSorted());
  for (const name of ['SCAN0.jpg', 'SCAN700.jpg', 'SCAN999.jpg']) await unlink(join(place.scans, name));
  await place.once({ settings: { existing: { kind: 'skip' } } });
  const current: string[] = [];
  for await (const batch of place.ledger.namesIn(place.scans, '')) current.push(...batch);
  expect(current).toHaveLength(1_197);
  expect(current).not.toContain('SCAN700.jpg');
});

it('a file is sent despite another whose invalid name looks the same, which is sent once renamed', async () => {
  const place = await watchingPlace();
  await place.drop('scan-\uFFFD.jpg');
  const bytes = await place.drop('other.jpg');
  const invalid = Buffer.concat([
    Buffer.from(`${place.scans}/scan-`),
    Buffer.from([0xe4]),
    Buffer.from('.jpg'),
  ]);
  await rename(join(place.scans, 'other.jpg'), invalid);
  await place.once();
  expect(await place.states()).toEqual({ 'scan-\uFFFD.jpg': 'queued', 'scan-%E4.jpg': 'unreadable' });
  await rename(invalid, join(place.scans, 'scan-ä.jpg'));
  const { admitted } = await place.once();
  expect(admitted.map(({ document }) => document.size)).toEqual([bytes.length]);
  expect(await place.states()).toEqual({ 'scan-\uFFFD.jpg': 'queued', 'scan-ä.jpg': 'queued' });
});

it('no file counts as gone if its folder goes away while the file is being looked for', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  await place.once();
  await unlink(join(place.scans, 'a.jpg'));
  let isAway = false;
  await place.once({
    folder: (real) => ({
      stat: async (path) => {
        isAway = true;
        return real.stat(path);
      },
      availability: async () =>
        isAway ? { state: 'missing', why: { is: 'missing', folder: real.path } } : real.availability(),
    }),
  });
  expect(isAway).toBe(true);
  expect((await place.ledger.knownIn(place.scans, '', ['a.jpg'])).size).toBe(1);
});

it('a directory that can’t be listed does not keep others from being compared', async () => {
  const place = await watchingPlace();
  await place.drop('open/a.jpg');
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    async *list(...all) {
      yield { dir: 'shut', files: [], unreadableDirs: [{ path: 'shut', code: 'EACCES' }] };
      yield* real.list(...all);
    },
  });
  const { admitted, intake } = await place.once({ folder, settings: { recursive: true } });
  expect(admitted).toHaveLength(1);
  expect(intake.unreadableDirs).toBe(1);
});

const IDENTITY = { size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: 1n };

/** Over a ledger that knows these names by directory. */
function missingFiles(known: Readonly<Record<string, readonly string[]>>, isFull = true) {
  const ledger: ConstructorParameters<typeof MissingFiles>[0] = {
    knownFrom: async (_folder, dir, { after, upTo }, limit) => {
      return (known[dir] ?? [])
        .toSorted(byBytes)
        .filter((name) => byBytes(name, after) > 0 && (upTo === null || byBytes(name, upTo) <= 0))
        .slice(0, limit)
        .map((name) => ({
          fileId: known[dir]!.indexOf(name),
          name,
          identity: IDENTITY,
          verdict: 'document',
          policy: null,
        }));
    },
    dirs: async () => Object.keys(known),
  };
  return new MissingFiles(ledger, '/scans', isFull);
}

it('known files that are not listed are missing, and no others, however they are listed', async () => {
  // Their order by bytes is not that by code units.
  const names = fc.subarray(['a', 'b', 'bb', 'c', 'z', 'ä.jpg', '\uFF21.jpg', '\u{1F9FE}.jpg']);
  const directory = fc.record({
    known: names,
    listed: names,
    bad: fc.boolean(),
    how: fc.constantFrom('listed', 'listed', 'listed', 'absent', 'unreadable'),
    atOnce: fc.integer({ min: 1, max: 4 }),
  });
  const seen = { found: 0, missing: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(directory, { maxLength: 4 }), fc.boolean(), async (directories, isFull) => {
      const at = directories.map((each, index) => ({ ...each, dir: index === 0 ? '' : `sub${index}` }));
      const badName = 'bad-\uFFFD.jpg';
      const known = at.map(({ dir, known: all, bad }) => [dir, bad ? [...all, badName] : all] as const);
      const files = missingFiles(Object.fromEntries(known), isFull);
      const missing: string[] = [];
      const told: (number | undefined)[] = [];
      const right: typeof told = [];
      for (const { dir, known: all, listed, bad, how, atOnce } of at) {
        if (how === 'unreadable') files.without(dir);
        if (how === 'listed') {
          await files.badNames(dir, bad ? [badName] : []);
          const sorted = listed.toSorted(byBytes);
          for (let from = 0; from < sorted.length; from += atOnce) {
            const some = sorted.slice(from, from + atOnce);
            told.push(...(await files.known(dir, some)).map((file) => file?.fileId));
            right.push(...some.map((name) => (all.includes(name) ? all.indexOf(name) : undefined)));
          }
        }
        if (how === 'unreadable' || !isFull) continue;
        const gone =
          how === 'absent'
            ? [...all, ...(bad ? [badName] : [])]
            : all.filter((name) => !listed.includes(name));
        missing.push(...gone.map((name) => (dir === '' ? name : `${dir}/${name}`)));
      }
      expect(told).toEqual(right);
      // A listing of a part of a folder finds none.
      expect((await files.all('')).toSorted()).toEqual(isFull ? missing.toSorted() : []);
      seen.found += right.filter((id) => id !== undefined).length;
      seen.missing += missing.length;
    }),
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

it('finds more missing files than one request to the ledger returns', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => `${index}`.padStart(4, '0'));
  const files = missingFiles({ '': many });
  expect((await files.known('', ['2400']))[0]).toBeDefined();
  expect(await files.all('')).toEqual(many.filter((name) => name !== '2400'));
});

const QUIET: ListingNeed = { isPolled: false, isAskedFor: false, hasDirs: false, mayPassOver: true };
const MINUTE = 60_000;

function times(files: number) {
  const clock = new FakeClock();
  const listing = new ListingTimes({ clock, reconcileEveryMs: MINUTE, pollEveryMs: 5_000 }, files);
  return { clock, listing };
}

it('compares all of a large folder at a pace set by its number of files, and of any folder every 15 minutes', () => {
  expect(times(100_000).listing.due(QUIET)).toMatchObject({ all: 500_000, changed: MINUTE });
  expect(times(1_000_000).listing.due(QUIET)).toMatchObject({ all: 15 * MINUTE, changed: MINUTE });
});

it('compares everything one interval after the last look once an event may have been missed', async () => {
  const { clock, listing } = times(100_000);
  await clock.advance(MINUTE);
  listing.listed(MINUTE, 'changed', 0, 0);
  expect(listing.due(QUIET)).toMatchObject({ all: 500_000, changed: 2 * MINUTE });
  expect(listing.due({ ...QUIET, mayPassOver: false })).toMatchObject({ all: 2 * MINUTE, changed: Infinity });
});

it('a quick look does not shorten the pause that a long listing requires', async () => {
  const { clock, listing } = times(1_000_000);
  await clock.advance(20_000);
  listing.listed(0, 'all', 1_000_000, 0);
  const { dirs } = listing.due({ ...QUIET, hasDirs: true });
  expect(dirs).toBe(20_000 * 21);
  await clock.advance(MINUTE);
  listing.listed(20_000 + MINUTE, 'changed', 0, 0);
  expect(listing.due({ ...QUIET, hasDirs: true }).dirs).toBe(dirs);
});

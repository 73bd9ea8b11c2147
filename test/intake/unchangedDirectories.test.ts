import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { standsForListing } from '../../src/core/domain/directoryStamp.ts';
import type { FolderHints, WatchedFolder } from '../../src/core/ports/folder.ts';
import { watchingPlace } from './watching.ts';

const EXT4 = 0xef53;
const MINUTE = 60_000;
/** Delivers no events, so that only listings find changes. */
const DEAF: FolderHints = { watch: async () => ({ close: async () => {} }) };

/** Lists as `real` does, and notes the directories that are not skipped. */
function noting(real: WatchedFolder, listed: string[]): WatchedFolder['list'] {
  return async function* (...all) {
    for await (const batch of real.list(...all)) {
      if (!batch.isUnchanged) listed.push(batch.dir);
      yield batch;
    }
  };
}

/** A folder with the known files `a.jpg` and `sub/b.jpg`; `later` is how far its clock is ahead of the files' times. */
async function quiet(later = MINUTE) {
  const place = await watchingPlace();
  for (const name of ['a.jpg', 'sub/b.jpg']) await place.drop(name);
  const listed: string[] = [];
  const compared: string[] = [];
  let onHint = (_path: string): void => {};
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    list: noting(real, listed),
    statEach: async (dir, names) => {
      compared.push(...names);
      return real.statEach(dir, names);
    },
  });
  const hints: FolderHints = {
    watch: async (...all) => {
      onHint = all[2];
      return DEAF.watch(...all);
    },
  };
  const { intake } = await place.watch({
    folder,
    settings: { recursive: true },
    opened: { fileSystem: { statfs: async () => ({ type: EXT4 }) }, now: () => Date.now() + later },
    deps: { hints, comparedApartMs: 10 * MINUTE },
  });
  await place.clock.advanceUntil(async () => (await place.rows()).length === 2);
  await place.clock.advance(MINUTE);
  listed.length = 0;
  compared.length = 0;
  const tell = (name: string) => onHint(join(place.scans, name));
  return { ...place, intake, listed, compared, tell };
}

it('unchanged directories are skipped, and everything is compared again at the longer interval', async () => {
  const { clock, listed, compared, intake } = await quiet();
  const before = intake.status.lastListing;
  await clock.advance(3 * MINUTE);
  expect(listed).toEqual([]);
  expect(compared).toEqual([]);
  expect(intake.status.lastListing).toBeGreaterThan(before ?? 0);
  await clock.advanceUntil(() => compared.length > 0, MINUTE);
  expect(compared).toEqual(['a.jpg', 'b.jpg']);
  expect(clock.monotonic()).toBeGreaterThan(15 * MINUTE);
  expect(clock.monotonic()).toBeLessThan(18 * MINUTE);
});

it('a file that is created, renamed or deleted without an event is found at the next look', async () => {
  const place = await quiet();
  await place.drop('sub/new.jpg');
  await place.clock.advance(MINUTE + 10_000);
  expect(await place.states()).toHaveProperty(['sub/new.jpg'], 'queued');
  expect(place.listed).not.toContain('');
  await rename(join(place.scans, 'a.jpg'), join(place.scans, 'c.jpg'));
  await rm(join(place.scans, 'sub/b.jpg'));
  await place.clock.advance(MINUTE + 10_000);
  const known = (path: string) => place.ledger.known({ folder: place.scans, path });
  expect(await known('a.jpg')).toBeNull();
  expect(await known('c.jpg')).not.toBeNull();
  expect(await known('sub/b.jpg')).toBeNull();
});

it('a new directory, a missing one and a file replaced by a rename are found without an event', async () => {
  const place = await quiet();
  await place.drop('deep/er/x.jpg');
  await rm(join(place.scans, 'sub'), { recursive: true });
  await place.drop('../beside.jpg', 'other');
  await rename(join(place.dir, 'beside.jpg'), join(place.scans, 'a.jpg'));
  await place.clock.advance(MINUTE + 10_000);
  const known = (path: string) => place.ledger.known({ folder: place.scans, path });
  expect(await known('deep/er/x.jpg')).not.toBeNull();
  expect(await known('sub/b.jpg')).toBeNull();
  expect((await place.rows()).filter(({ path }) => path.endsWith('/a.jpg'))).toHaveLength(2);
});

it('a file overwritten without an event is found by the full comparison, or at the next look if events may be missing', async () => {
  const place = await quiet();
  const count = async () => (await place.rows()).length;
  await place.drop('a.jpg', 'another');
  await place.clock.advance(2 * MINUTE);
  expect(await count()).toBe(2);
  for (let hints = 0; hints <= 1_000; hints += 1) place.tell(`none-${hints}.jpg`);
  await place.clock.advance(MINUTE + 10_000);
  expect(await count()).toBe(3);
  await place.clock.advance(MINUTE);
  await place.drop('sub/b.jpg', 'yet another');
  await place.clock.advanceUntil(async () => (await count()) === 4, MINUTE);
  expect(await count()).toBe(4);
});

it('a stamp taken soon after the last change is not trusted, nor one that was set back', async () => {
  const { clock, listed } = await quiet(0);
  await clock.advance(2 * MINUTE);
  expect(new Set(listed)).toEqual(new Set(['', 'sub']));
  const place = await quiet();
  const long = new Date(2020, 0, 1);
  await writeFile(join(place.scans, 'sub', 'x.jpg'), 'no image');
  await utimes(join(place.scans, 'sub'), long, long);
  await place.clock.advance(MINUTE + 1_000);
  expect(place.listed).toContain('sub');
});

it('nothing is skipped on a file system whose stamps may be unreliable', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  let compared = 0;
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    statEach: async (dir, names) => {
      compared += names.length;
      return real.statEach(dir, names);
    },
  });
  const opened = { fileSystem: { statfs: async () => ({ type: 0x4d44 }) }, now: () => Date.now() + MINUTE };
  await place.watch({ folder, opened, deps: { hints: DEAF, comparedApartMs: MINUTE } });
  await place.clock.advance(3 * MINUTE + 1_000);
  expect(compared).toBe(4);
});

it('a directory with a file that could not be compared is listed again', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  await mkdir(join(place.scans, 'sub'));
  const listed: string[] = [];
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    list: noting(real, listed),
    statEach: async (_dir, names) => names.map(() => undefined),
  });
  const opened = { fileSystem: { statfs: async () => ({ type: EXT4 }) }, now: () => Date.now() + MINUTE };
  const settings = { recursive: true };
  await place.watch({
    folder,
    opened,
    settings,
    deps: { hints: DEAF, comparedApartMs: 10 * MINUTE },
  });
  listed.length = 0;
  await place.clock.advance(2 * MINUTE + 1_000);
  expect(listed).toEqual(['', '']);
});

it('a change within the margin before a listing, or in the future, makes its stamp unusable', () => {
  expect(standsForListing(8_000, 10_000)).toBe(true);
  expect(standsForListing(8_001, 10_000)).toBe(false);
  expect(standsForListing(20_000, 10_000)).toBe(false);
});

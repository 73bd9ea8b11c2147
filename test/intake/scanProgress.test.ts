import { beforeEach, expect, it } from 'vitest';
import { Scanner } from '../../src/intake/scanner.ts';
import { UnstableFiles } from '../../src/intake/stability.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { watchingPlace } from './watching.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let looked: Scanner;
/** When the undecided files were first seen. */
let undecided: number[];
/** What the next listing takes, or fails with. */
let work: () => Promise<void>;

async function listing(during: () => Promise<void> = async () => {}): Promise<void> {
  work = during;
  await looked.all('fresh', new AbortController().signal);
}

beforeEach(async () => {
  undecided = [];
  const place = await watchingPlace();
  clock = new FakeClock();
  const { folder, settings } = place.create({
    // Directories whose stamps count.
    opened: { fileSystem: { statfs: async () => ({ type: 0xef53 }) }, now: () => Date.now() + MINUTE },
    folder: (real) => ({
      async *list(...all) {
        await work();
        yield* real.list(...all);
      },
    }),
  });
  await folder.availability();
  const unstable = new UnstableFiles(clock, settings.settle);
  unstable.hasSeenBetween = (from, to) => undecided.some((seenAt) => seenAt > from && seenAt <= to);
  const ignore = (): void => {};
  looked = new Scanner({
    ...place,
    folder,
    settings,
    unstable,
    clock,
    offline: null,
    isOffline: () => false,
    isInPlace: async () => true,
    restedMs: () => 0,
    watchedSince: 0,
    times: () => ({ areForeign: false, areCoarse: false }),
    onSeen: ignore,
    onGone: async () => {},
    onBadName: ignore,
    onUnlisted: ignore,
    onUnwatched: ignore,
  });
});

it('a folder counts as scanned after a complete listing that began after the given time', async () => {
  await clock.advance(1_000);
  const underWay = listing(() => clock.advance(100));
  expect([looked.hasBegunSince(500), looked.isThroughSince(500)]).toEqual([true, false]);
  await underWay;
  expect([looked.isThroughSince(500), looked.isThroughSince(1_000)]).toEqual([true, false]);
  expect(looked.hasBegunSince(1_000)).toBe(false);
  looked.forget();
  expect([looked.hasBegunSince(500), looked.isThroughSince(500)]).toEqual([false, false]);
});

it('an interrupted listing does not count', async () => {
  await clock.advance(1_000);
  await expect(listing(() => Promise.reject(new Error('EIO')))).rejects.toThrow('EIO');
  expect([looked.hasBegunSince(0), looked.isThroughSince(0)]).toEqual([false, false]);
});

it('neither later files nor later listings delay the completion of an earlier listing', async () => {
  await clock.advance(1_000);
  undecided = [1_000];
  await listing();
  for (let i = 0; i < 5; i += 1) {
    await clock.advance(5_000);
    undecided.push(clock.monotonic());
    await listing();
    expect(looked.isThroughSince(0)).toBe(false);
  }
  undecided.shift();
  expect(looked.isThroughSince(0)).toBe(true);
  expect(looked.isThroughSince(1_000)).toBe(false);
  undecided = [];
  expect(looked.isThroughSince(25_000)).toBe(true);
});

it('a folder without a complete listing is stuck after ten minutes, unless a long one is running', async () => {
  await listing();
  await clock.advance(10 * MINUTE - 1);
  expect(looked.isStuckSince(0)).toBe(false);
  const long = listing(async () => {
    await clock.advance(MINUTE);
    throw new Error('EIO');
  });
  expect(looked.isStuckSince(0)).toBe(false);
  await expect(long).rejects.toThrow('EIO');
  expect(looked.isStuckSince(0)).toBe(true);
  await listing();
  expect(looked.isStuckSince(0)).toBe(false);
});

// Only on file systems of Linux are unchanged directories skipped.
it.skipIf(process.platform !== 'linux')(
  'no directory is remembered of a listing during which events may have been missed',
  async () => {
    await listing();
    expect(looked.mayPassOver).toBe(true);
    await listing(async () => looked.forgetDirectories());
    expect(looked.mayPassOver).toBe(false);
  },
);

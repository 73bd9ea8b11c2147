import { beforeEach, expect, it } from 'vitest';
import { ScanProgress } from '../../../src/intake/scan/scanProgress.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let looked: ScanProgress;
/** When the files were first seen that are not decided about yet. */
let unsettled: number[];

const listing = (ms = 0) => looked.during(() => clock.advance(ms));

beforeEach(() => {
  clock = new FakeClock();
  unsettled = [];
  looked = new ScanProgress(clock, {
    hasSeenBetween: (from, to) => unsettled.some((seenAt) => seenAt > from && seenAt <= to),
  });
});

it('a folder is looked through by a listing that began afterwards, and came to its end', async () => {
  await clock.advance(1_000);
  expect(looked.isThroughSince(500)).toBe(false);
  const underWay = listing(100);
  expect([looked.hasBegunSince(500), looked.isThroughSince(500)]).toEqual([true, false]);
  await underWay;
  expect(looked.isThroughSince(500)).toBe(true);
  expect(looked.isThroughSince(1_000)).toBe(false);
  expect(looked.hasBegunSince(1_000)).toBe(false);
  looked.forget();
  expect([looked.hasBegunSince(500), looked.isThroughSince(500)]).toEqual([false, false]);
});

it('a listing that is cut short counts for nothing', async () => {
  await clock.advance(1_000);
  await expect(looked.during(() => Promise.reject(new Error('EIO')))).rejects.toThrow('EIO');
  expect([looked.hasBegunSince(0), looked.isThroughSince(0)]).toEqual([false, false]);
});

it('files that come after a listing do not put it off, and neither do the listings after it', async () => {
  await clock.advance(1_000);
  unsettled = [1_000];
  await listing();
  for (let i = 0; i < 5; i += 1) {
    await clock.advance(5_000);
    unsettled.push(clock.monotonic());
    await listing();
    expect(looked.isThroughSince(0)).toBe(false);
  }
  unsettled.shift();
  expect(looked.isThroughSince(0)).toBe(true);
  expect(looked.isThroughSince(1_000)).toBe(false);
  unsettled = [];
  expect(looked.isThroughSince(25_000)).toBe(true);
});

it('a file that is never decided about is waited for ten minutes', async () => {
  await clock.advance(1_000);
  unsettled = [1_000];
  await listing();
  await clock.advance(10 * MINUTE - 1);
  await listing();
  expect(looked.isThroughSince(0)).toBe(false);
  await clock.advance(1);
  expect(looked.isThroughSince(0)).toBe(true);
});

it('a folder in which no listing comes to its end is stuck after ten minutes, unless a long one is under way', async () => {
  await listing();
  await clock.advance(10 * MINUTE - 1);
  expect(looked.isStuckSince(0)).toBe(false);
  const long = looked.during(async () => {
    await clock.advance(MINUTE);
    throw new Error('EIO');
  });
  expect(looked.isStuckSince(0)).toBe(false);
  await expect(long).rejects.toThrow('EIO');
  expect(looked.isStuckSince(0)).toBe(true);
  await listing();
  expect(looked.isStuckSince(0)).toBe(false);
});

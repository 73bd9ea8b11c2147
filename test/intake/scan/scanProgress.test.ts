import { beforeEach, expect, it } from 'vitest';
import { ScanProgress } from '../../../src/intake/scan/scanProgress.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let looked: ScanProgress;
/** When the undecided files were first seen. */
let unsettled: number[];

const listing = (ms = 0) => looked.during(() => clock.advance(ms));

beforeEach(() => {
  clock = new FakeClock();
  unsettled = [];
  looked = new ScanProgress(clock, {
    hasSeenBetween: (from, to) => unsettled.some((seenAt) => seenAt > from && seenAt <= to),
  });
});

it('a folder counts as scanned after a complete listing that began after the given time', async () => {
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

it('an interrupted listing does not count', async () => {
  await clock.advance(1_000);
  await expect(looked.during(() => Promise.reject(new Error('EIO')))).rejects.toThrow('EIO');
  expect([looked.hasBegunSince(0), looked.isThroughSince(0)]).toEqual([false, false]);
});

it('neither later files nor later listings delay the completion of an earlier listing', async () => {
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

it('waits at most ten minutes for a file that stays undecided', async () => {
  await clock.advance(1_000);
  unsettled = [1_000];
  await listing();
  await clock.advance(10 * MINUTE - 1);
  await listing();
  expect(looked.isThroughSince(0)).toBe(false);
  await clock.advance(1);
  expect(looked.isThroughSince(0)).toBe(true);
});

it('a folder without a complete listing is stuck after ten minutes, unless a long one is running', async () => {
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

import { expect, it } from 'vitest';
import { ListingTimes, type Wanted } from '../../../src/intake/scan/listingTimes.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const QUIET: Wanted = { isPolled: false, isAskedFor: false, hasDirs: false, mayPassOver: true };
const MINUTE = 60_000;

function times(files: number) {
  const clock = new FakeClock();
  const listing = new ListingTimes({ clock, reconcileEveryMs: MINUTE, pollEveryMs: 5_000 }, files);
  return { clock, listing };
}

it('compares all of a small folder at every interval', () => {
  const { listing } = times(12_000);
  expect(listing.due(QUIET)).toMatchObject({ all: MINUTE, changed: MINUTE });
});

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

it('skips nothing in a polled folder, and lists soon on request', () => {
  const { listing } = times(1_000_000);
  expect(listing.due({ ...QUIET, isPolled: true })).toMatchObject({ all: 5_000, changed: Infinity });
  expect(listing.due({ ...QUIET, isAskedFor: true })).toMatchObject({ all: 1_000 });
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

/** Room in memory, and waiting for it. */
import { expect, it } from 'vitest';
import type { Document } from '../../src/core/domain/document.ts';
import { PayloadCache } from '../../src/keeper/payloadCache.ts';
import { FakeClock, settle } from '../support/fakeClock.ts';
import { keepingPlace } from './keepingPlace.ts';

it('waits for a full cache while uploads are flowing, without a copy', async () => {
  const place = await keepingPlace({ handLimit: 30 });
  const first = await place.mustArrive('a.jpg', 'x'.repeat(20));
  await place.deliver(first, 'accepted');
  const second = await place.mustArrive('b.jpg', 'y'.repeat(20));
  let third: Document | null = null;
  const coming = place.mustArrive('c.jpg', 'z'.repeat(20)).then((document) => (third = document));
  await place.clock.advance(500);
  expect(third).toBeNull();
  await place.deliver(second, 'accepted');
  await coming;
  expect(place.puts).toEqual([]);
});

it('waits at most a second for a full cache, and not at all if no uploads are flowing', async () => {
  const place = await keepingPlace({ handLimit: 30 });
  await place.deliver(await place.mustArrive('a.jpg', 'x'.repeat(20)), 'accepted');
  await place.mustArrive('b.jpg', 'y'.repeat(20));
  let third: Document | null = null;
  const coming = place.mustArrive('c.jpg', 'z'.repeat(21)).then((document) => (third = document));
  await place.clock.advance(999);
  expect(third).toBeNull();
  await place.clock.advance(1);
  await coming;
  expect(place.spool.usedBytes).toBe(20);
  await place.clock.advance(5_000);
  await place.mustArrive('d.jpg', 'd'.repeat(20));
  const fifth = await place.mustArrive('e.jpg', 'e'.repeat(20));
  expect(place.spool.has(fifth.sha256)).toBe(true);
});

it('an image larger than the whole cache keeps no other image out of it', async () => {
  const cache = new PayloadCache(new FakeClock(), 100);
  expect(cache.reserve(60)).toBe(true);
  expect(await Promise.race([cache.reserveSoon(200), Promise.resolve('waits')])).toBe(false);
  expect(cache.reserve(30)).toBe(true);
});

it('ends the wait for room in time, and lets in a smaller image that came later', async () => {
  const clock = new FakeClock();
  const cache = new PayloadCache(clock, 100);
  expect(cache.reserve(90)).toBe(true);
  const ends: string[] = [];
  const wait = (size: number) =>
    void cache.reserveSoon(size).then((isGranted) => ends.push(`${size} ${isGranted}`));
  wait(45);
  wait(56);
  await clock.advance(500);
  wait(5);
  cache.release(90);
  expect(cache.reserve(10)).toBe(false);
  await settle();
  expect(ends).toEqual(['45 true']);
  await clock.advance(500);
  expect(ends).toEqual(['45 true', '56 false', '5 true']);
  expect(clock.sleeping).toBe(0);
});

/** Room in memory, and waiting for it. */
import { expect, it } from 'vitest';
import type { Document } from '../../src/core/domain/document.ts';
import { ByteBudget } from '../../src/keeper/byteBudget.ts';
import { settle } from '../support/fakeClock.ts';
import { keepingPlace } from './keepingPlace.ts';

/** Memory for 30 bytes, in which an image of 20 waits; and another that can't be read before. */
async function withOneWaiting() {
  const place = await keepingPlace({ memoryLimit: 30 });
  const arrive = (name: string) => place.memory.with(20, () => place.mustArrive(name, name.padEnd(20, '-')));
  const first = await arrive('a');
  let second: Document | null = null;
  void arrive('b').then((document) => (second = document));
  await settle();
  return { ...place, first, second: () => second };
}

it('is free again for the next image once one is being sent, without a copy', async () => {
  const place = await withOneWaiting();
  await place.clock.advance(900);
  expect(place.second()).toBeNull();
  await place.deliver(place.first, 'accepted');
  await settle();
  expect(place.second()).not.toBeNull();
  expect(place.puts).toEqual([]);
});

it('is free again after a second, because what waits for longer is copied', async () => {
  const place = await withOneWaiting();
  await place.clock.advance(999);
  expect(place.second()).toBeNull();
  await place.clock.advanceUntil(() => place.second() !== null, 1);
  expect(place.spool.hashes()).toEqual([place.first.sha256]);
});

it.each([
  ['never', 30],
  // With a full spool, those that find others waiting stay in their folders.
  ['auto', 14],
] as const)(
  'is free again after seconds, although the service takes nothing and nothing can be copied (spool: %s)',
  async (mode, most) => {
    const place = await keepingPlace({ mode, memoryLimit: 400, spoolLimit: 10 });
    let arrived = 0;
    for (let n = 0; n < 30; n += 1)
      void place.memory.with(30, async () => {
        if (await place.arrive(`${n}.jpg`, String(n).padEnd(30, '-'))) arrived += 1;
      });
    await place.clock.advance(60_000);
    expect(arrived).toBeGreaterThan(12);
    expect(arrived).toBeLessThanOrEqual(most);
    let isFree = false;
    void place.memory.with(400, async () => void (isFree = true));
    await place.clock.advance(2_000);
    expect(isFree).toBe(true);
  },
);

it('goes to those that asked first, and as a whole to an image that is larger', async () => {
  const memory = new ByteBudget(100);
  const order: number[] = [];
  const take = async (size: number): Promise<void> => {
    await memory.take(size);
    order.push(size);
  };
  for (const size of [60, 50, 200, 10]) void take(size);
  await settle();
  expect(order).toEqual([60]);
  memory.giveBack(60);
  await settle();
  expect(order).toEqual([60, 50]);
  memory.giveBack(50);
  await settle();
  expect(order).toEqual([60, 50, 200]);
  memory.giveBack(200);
  await settle();
  expect(order).toEqual([60, 50, 200, 10]);
});

it('has places for so many images, which are given to those that wait once half of them are free', async () => {
  const memory = new ByteBudget(1_000, 4);
  let taken = 0;
  for (let n = 0; n < 7; n += 1) void memory.with(1, () => new Promise(() => (taken += 1)));
  await settle();
  expect(taken).toBe(4);
  memory.giveBack(1);
  await settle();
  expect(taken).toBe(4);
  memory.giveBack(1);
  await settle();
  expect(taken).toBe(6);
});

it('is only half taken by a folder whose files hang', async () => {
  const memory = new ByteBudget(100);
  const [hangs, works] = [memory.half(), memory.half()];
  const begun: string[] = [];
  const never = new Promise<void>(() => {});
  for (const name of ['a', 'b', 'c'])
    void hangs.with(25, async () => {
      begun.push(name);
      await never;
    });
  await works.with(50, async () => void begun.push('d'));
  expect(begun).toEqual(['a', 'b', 'd']);
});

import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVERY_DAY, hasTurn, turnsOf } from './turns.ts';

const DAY_MS = 86_400_000;
const OTHERS = Array.from({ length: 10 }, (_, n) => `test/e2e/other${n}.test.ts`);
const FILES = [...EVERY_DAY, ...OTHERS];
/** The number at its end. */
const sizeOf = (file: string) => Number(/\d*(?=\.test)/.exec(file)?.[0]);

describe('turns', () => {
  beforeEach(() => {
    vi.stubEnv('RECEIPTD_ALL_TURNS', undefined);
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => void vi.useRealTimers());

  it('a case runs once in as many days as there are turns', () => {
    const days = [0, 1, 2, 3, 4].map((day) => {
      vi.setSystemTime(day * DAY_MS);
      return hasTurn(3, 5);
    });
    expect(days.filter(Boolean)).toEqual([true]);
  });

  it('an end-to-end test file runs every fourth day, or every day if it tests a promise', () => {
    const counts = new Map(FILES.map((file) => [file, 0]));
    for (let day = 0; day < 4; day += 1) {
      vi.setSystemTime(day * DAY_MS);
      const { today, anotherDay } = turnsOf(FILES, sizeOf);
      expect([...today, ...anotherDay].toSorted()).toEqual(FILES.toSorted());
      // Neighbours in the order of their size run on different days.
      const sizes = OTHERS.filter((file) => today.includes(file)).map(sizeOf);
      expect(sizes.map((size) => size % 4)).toEqual(sizes.map(() => sizes[0]! % 4));
      for (const file of today) counts.set(file, (counts.get(file) ?? 0) + 1);
    }
    expect(EVERY_DAY.map((file) => counts.get(file))).toEqual(EVERY_DAY.map(() => 4));
    expect(OTHERS.map((file) => counts.get(file))).toEqual(OTHERS.map(() => 1));
  });

  it('all run with RECEIPTD_ALL_TURNS=1', () => {
    vi.stubEnv('RECEIPTD_ALL_TURNS', '1');
    expect(turnsOf(FILES, sizeOf)).toEqual({ today: FILES, anotherDay: [] });
  });

  it('every file that runs every day exists', () => {
    expect(EVERY_DAY.filter((file) => !existsSync(file))).toEqual([]);
  });
});

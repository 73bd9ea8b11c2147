import { expect, test } from 'vitest';
import type { Document } from '../../src/core/domain/document.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { ENTERED_FOR_MS } from '../../src/core/domain/limits.ts';
import { FleetTurns } from '../../src/fleet/fleetTurns.ts';

const DOCUMENT = { endpoint: { baseUrl: 'http://s', uid: 'u' }, lane: 'fresh' } as Document;
const LIMITS = { rate: { count: 2, intervalMs: 1_000 }, perDay: null, perMonth: null };

/** Each answer is a wait, an error of the database, or the time that the database takes to grant a place. */
function world(answers: readonly (number | Error | { readonly after: number })[]) {
  const [slept, left]: [number[], (typeof answers)[number][]] = [[], [...answers]];
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
  };
  const enter = async (): Promise<number> => {
    const answer = left.shift();
    if (answer === undefined) throw new Error('asked too often');
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'number') return answer;
    now += answer.after;
    return 0;
  };
  const fleet = { enter, isLeased: () => true, isPaused: () => false };
  const turns = new FleetTurns({ fleet, clock, random: () => 0 });
  const ask = (lateMs: number) => {
    now = lateMs;
    return turns.keeps(DOCUMENT, LIMITS, 0, new AbortController().signal);
  };
  return { ask, slept, left };
}

test('a request that is sent soon after it was granted a place keeps the place', async () => {
  expect(await world([]).ask(ENTERED_FOR_MS)).toBe(true);
});

test('a request that took long to record asks for another place, and waits for it', async () => {
  const { ask, slept, left } = world([700, 0]);
  expect(await ask(ENTERED_FOR_MS + 1)).toBe(true);
  expect([slept, left]).toEqual([[700], []]);
});

test('a request asks again if the database took long to grant a place', async () => {
  const { ask, left } = world([{ after: ENTERED_FOR_MS + 1 }, { after: 1 }]);
  expect(await ask(ENTERED_FOR_MS + 1)).toBe(true);
  expect(left).toEqual([]);
});

test('a request is not sent if the wait is long or the database is unreachable', async () => {
  expect(await world([3_600_000]).ask(1_000)).toBe(false);
  expect(await world([new ReceiptdError({ code: 'LEDGER_UNREACHABLE', message: 'Away.' })]).ask(1_000)).toBe(
    false,
  );
});

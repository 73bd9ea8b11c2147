import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { noteText } from '../../../src/core/domain/note.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { Pacer } from '../../../src/flow/limits/pacer.ts';
import type { SentBefore } from '../../../src/flow/limits/pacer.ts';
import type { Lane } from '../../../src/core/domain/document.ts';
import type { Limits } from '../../../src/core/domain/settings.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { inSlot, OFFICE, sendingPlace, SHOP, temporary, UNLIMITED } from '../sending.ts';
import { begin, finish } from '../../support/uploads.ts';

const never = new AbortController().signal;

/** Limits of all endpoints together, and of each. `ledger`: null if it can't be read yet. */
function createPacer(
  { clock, ledger }: { clock: Clock; ledger: SentBefore | null },
  overall: Partial<Limits>,
  own: Partial<Limits> = {},
): Promise<Pacer> {
  return Pacer.create({ clock, ledger, overall: { ...UNLIMITED, ...overall }, endpoints: endpoints(own) });
}

function endpoints(limits: Partial<Limits> = {}) {
  return [OFFICE, SHOP].map((key) => ({ key, alias: key.uid, limits: { ...UNLIMITED, ...limits } }));
}

function mostInAnyWindow(starts: readonly number[], intervalMs: number): number {
  return Math.max(
    0,
    ...starts.map((from) => starts.filter((at) => at >= from && at < from + intervalMs).length),
  );
}

const UNANSWERED = {
  outcome: 'unknown',
  httpStatus: null,
  message: null,
  transition: {
    state: 'queued',
    notBefore: 0,
    reason: 'TIMEOUT',
    message: '',
    answerLost: true,
    isOdd: false,
  },
} as const;

describe('the rate limit after a restart', () => {
  it('counts a request that was under way at midnight, because it may have left after it', async () => {
    const place = await sendingPlace();
    const { clock, ledger } = place;
    const midnight = new Date(2026, 2, 3).getTime();
    const attempt = await begin(ledger, (await place.admit('a.jpg')).id, midnight - 1_000, 1);
    await finish(ledger, attempt, { at: midnight + 1_000, ...UNANSWERED });
    clock.jump(midnight + 3_600_000 - clock.now());
    const pacer = await createPacer(place, {}, { perDay: 1 });
    expect(pacer.delay(OFFICE, 'fresh').budget).toBe(true);
  });

  it('counts the requests of the day and the month, including one at the start of the day', async () => {
    const place = await sendingPlace();
    const { clock, ledger } = place;
    const midnight = new Date(2026, 2, 3).getTime();
    const starts = [midnight - 1, midnight, midnight + 1_000];
    for (const [index, at] of starts.entries()) {
      const attempt = await begin(ledger, (await place.admit(`${index}.jpg`)).id, at, 1);
      await finish(ledger, attempt, { at, ...UNANSWERED });
    }
    clock.jump(midnight + 3_600_000 - clock.now());
    const create = (limits: Partial<Limits>) => createPacer(place, {}, limits);
    expect((await create({ perDay: 3 })).delay(OFFICE, 'fresh')).toEqual({ ms: 0, budget: false });
    const spent = (await create({ perDay: 2 })).delay(OFFICE, 'fresh');
    expect(spent).toEqual({ ms: 23 * 3_600_000, budget: true });
    expect((await create({ perDay: 2 })).delay(SHOP, 'fresh').ms).toBe(0);
    expect((await create({ perDay: 2 })).notes().map(noteText)).toEqual([
      'Endpoint office has used its 2 uploads of this day (`perDay`). Uploads start again on 2026-03-04.',
    ]);
    expect((await create({ perDay: 3 })).notes()).toEqual([]);
    expect((await create({ perMonth: 4 })).delay(OFFICE, 'fresh').ms).toBe(0);
    expect((await create({ perMonth: 3 })).delay(OFFICE, 'fresh').budget).toBe(true);
    expect((await createPacer(place, { perMonth: 3 })).notes().map(noteText)).toEqual([
      'All endpoints together have used their 3 uploads of this month (`delivery.perMonth`). Uploads start again on 2026-04-01.',
    ]);
  });

  it('waits a full window and no longer if the clock was set back meanwhile', async () => {
    const place = await sendingPlace();
    const { clock, ledger } = place;
    for (const name of ['a.jpg', 'b.jpg']) await begin(ledger, (await place.admit(name)).id, clock.now(), 1);
    clock.jump(-24 * 3_600_000);
    const pacer = await createPacer(place, { rate: { count: 2, intervalMs: 60_000 } });
    const { ms } = pacer.delay(OFFICE, 'fresh');
    expect(ms).toBeGreaterThanOrEqual(60_000);
    expect(ms).toBeLessThan(61_000);
  });

  it('counts requests on both sides of midnight if the clock was set back over it', async () => {
    const place = await sendingPlace();
    const { clock, ledger } = place;
    await begin(ledger, (await place.admit('a.jpg')).id, clock.now(), 1);
    clock.jump(24 * 3_600_000);
    await begin(ledger, (await place.admit('b.jpg')).id, clock.now(), 1);
    clock.jump(-24 * 3_600_000);
    const pacer = await createPacer(place, {}, { perDay: 2 });
    expect(pacer.delay(OFFICE, 'fresh').budget).toBe(true);
  });
});

describe('the running rate limit', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('neither stalls nor opens a window if the clock is set back by a day', async () => {
    const dir = await temporary();
    const ledger = await openSqliteLedger({ path: `${dir}/ledger.db`, clock: systemClock });
    onTestFinished(() => ledger.close());
    vi.useFakeTimers({
      toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    });
    const clock: Clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    };
    const pacer = await createPacer({ clock, ledger }, { rate: { count: 2, intervalMs: 1_000 } });
    const starts: number[] = [];
    const sending = (async () => {
      for (let i = 0; i < 12; i += 1) {
        expect(await pacer.takeSoon(OFFICE, Infinity, never)).toBe(true);
        await inSlot(pacer, OFFICE, async () => void starts.push(performance.now()));
        if (i === 4) vi.setSystemTime(Date.now() - 24 * 3_600_000);
        if (i === 8) vi.setSystemTime(Date.now() + 24 * 3_600_000);
      }
    })();
    const began = performance.now();
    await vi.advanceTimersByTimeAsync(7_000);
    await sending;
    expect(starts).toHaveLength(12);
    expect((starts.at(-1) ?? Infinity) - began).toBeLessThan(7_000);
    expect(mostInAnyWindow(starts, 1_000)).toBe(2);
  });
});

describe('an upload slot', () => {
  async function slots(most: Record<'office' | 'shop', number>) {
    const pacer = await Pacer.create({
      clock: systemClock,
      ledger: null,
      overall: { ...UNLIMITED, concurrency: 2 },
      endpoints: [OFFICE, SHOP].map((key) => ({
        key,
        alias: key.uid,
        limits: { ...UNLIMITED, concurrency: most[key.uid as 'office' | 'shop'] },
      })),
    });
    const order: string[] = [];
    /** Resolves the function that gives the slot back. */
    const take = (key: typeof OFFICE, lane: Lane, name: string): Promise<() => void> =>
      new Promise((grant) => {
        const work = (): Promise<void> => {
          order.push(name);
          return new Promise(grant);
        };
        void pacer.inSlot(key, lane, work);
      });
    return { order, take };
  }

  it('goes to fresh scans of its endpoint first, then in order, and skips an endpoint without a free one', async () => {
    const { order, take } = await slots({ office: 1, shop: 1 });
    const office = await take(OFFICE, 'backlog', 'office');
    const shop = await take(SHOP, 'backlog', 'shop');
    const shop1 = take(SHOP, 'backlog', 'shop 1');
    void take(OFFICE, 'backlog', 'office 1');
    const fresh = take(SHOP, 'fresh', 'shop fresh');
    shop();
    await vi.waitFor(() => expect(order).toEqual(['office', 'shop', 'shop fresh']));
    (await fresh)();
    (await shop1)();
    await vi.waitFor(() => expect(order).toHaveLength(4));
    office();
    await vi.waitFor(() => expect(order).toEqual(['office', 'shop', 'shop fresh', 'shop 1', 'office 1']));
  });
});

/** A rate a minute that is spread: what leaves when, and what is said of it. */
it('spreads a backlog evenly, reports the rate as the cause, and lets a fresh scan go first', async () => {
  const place = await sendingPlace();
  for (let n = 0; n < 20; n += 1) await place.admit(`${n}.jpg`, { lane: 'backlog' });
  const rate = { count: 60, intervalMs: 60_000 };
  const sending = await place.start({ overall: { rate, spread: true } });
  await place.clock.advanceUntil(() => place.service.asked.length === 10, 100);
  const starts = place.service.asked.map(({ at }) => at);
  const gaps = starts.slice(2).map((at, index) => at - (starts[index + 1] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1_400);
  expect(sending.pacer.limitedBy()).toEqual([
    { endpoint: null, rate: '60/min', perMinute: expect.closeTo(53.9, 1) as number },
  ]);

  const since = place.clock.monotonic();
  await place.admit('fresh.jpg');
  sending.flow.wake();
  await place.clock.advanceUntil(() => sending.accepted.includes('doc-fresh.jpg'), 10);
  expect(place.clock.monotonic() - since).toBeLessThan(200);

  await place.clock.advanceUntil(() => sending.accepted.length === 21, 100);
  await place.clock.advance(70_000);
  expect(sending.pacer.limitedBy()).toEqual([]);
});

/** The pace against services that do not say what they can do. */
import { describe, expect, it } from 'vitest';
import { type Hidden, near, simulate } from './hiddenService.ts';
import { sendingPlace } from '../sending.ts';
import { send } from '../../contract/ledger/support.ts';

const MINUTE = 60_000;

describe('the unknown limit of a service', () => {
  const rows: [string, Hidden, number, number, number, number][] = [
    // name, service, configured, minutes, most it could serve, refusals allowed
    ['10 a minute', { window: { count: 10, ms: MINUTE }, latencyMs: near(400) }, 4, 120, 1_200, 20],
    ['2 a minute', { window: { count: 2, ms: MINUTE }, latencyMs: near(400) }, 4, 240, 480, 20],
    ['5 a second', { window: { count: 5, ms: 1_000 }, latencyMs: near(150) }, 8, 30, 9_000, 30],
    ['100 a minute', { window: { count: 100, ms: MINUTE }, latencyMs: near(300) }, 16, 60, 6_000, 60],
    ['2 at once', { atOnce: 2, latencyMs: near(500) }, 8, 30, 7_200, 20],
  ];

  it.each(rows)('of %s is found with few rejections', (_, hidden, configured, minutes, most, refusals) => {
    for (const seed of [1, 2]) {
      const told = simulate(hidden, configured, minutes * MINUTE, seed);
      expect(told.served.length).toBeGreaterThan(most * 0.7);
      expect(told.refused.length).toBeLessThan(refusals);
      expect(told.mostAtOnce).toBeLessThanOrEqual(configured);
      // Once found, it is met seldom: hardly any in the second half.
      const late = told.refused.filter((at) => at > (minutes * MINUTE) / 2).length;
      expect(late).toBeLessThan(refusals / 2);
    }
  });

  it('is forgotten once it is lifted', () => {
    let lifted = false;
    const hidden: Hidden = {
      get window() {
        return lifted ? { count: Infinity, ms: 1 } : { count: 10, ms: MINUTE };
      },
      latencyMs: (_, random, at) => {
        lifted = at > 30 * MINUTE;
        return near(400)(0, random);
      },
    };
    const told = simulate(hidden, 4, 120 * MINUTE);
    expect(told.pace.reduced).toBeNull();
    expect(told.pace.spacingMs).toBe(0);
    expect(told.pace.atOnce).toBe(4);
  });
});

it('a burst of rejections that is unrelated to the pace costs little more than its own duration, even if it recurs', () => {
  // Twenty seconds of every three minutes it refuses one in five.
  const isStorm = (at: number): boolean => at % 180_000 > 160_000;
  const stormy: Hidden = {
    refuses: (at, random) => isStorm(at) && random() < 0.2,
    latencyMs: () => 100,
  };
  const hour = 60 * 60_000;
  const { served } = simulate(stormy, 4, hour);
  const fair = served.filter((at) => !isStorm(at)).length;
  // All that four at once could do in the time between the storms.
  expect(fair / ((hour * 160) / 180 / 25)).toBeGreaterThan(0.75);
});

it('latency that grows with the concurrency is kept low, with the service still fully used', () => {
  // Three at once is what it can do well; each further one makes all of them slower by a quarter.
  const latencyMs = (atOnce: number, random: () => number): number =>
    near(200)(0, random) * (atOnce <= 3 ? 1 : 1.25 ** (atOnce - 3));
  const MINUTES = 30;
  const told = simulate({ latencyMs }, 16, MINUTES * 60_000);
  const most = (MINUTES * 60_000 * 3) / 200;
  expect(told.refused).toEqual([]);
  expect(told.served.length).toBeGreaterThan(most * 0.7);
  expect(told.pace.atOnce).toBeLessThan(9);
});

it('sends a fresh scan as soon as the rate allows, even if a backlog has to wait longer', async () => {
  const place = await sendingPlace();
  const { clock, ledger } = place;
  const start = clock.now();
  clock.jump(-50_000);
  for (let i = 0; i < 10; i += 1) {
    if (i === 1) clock.jump(start - 10_000 - clock.now());
    const { id } = await place.admit(`old${i}.jpg`);
    await send(ledger, id, { from: clock.now(), at: clock.now() });
  }
  clock.jump(start - clock.now());
  await place.admit('backlog.jpg', { lane: 'backlog' });
  await place.admit('fresh.jpg');
  const sending = await place.start({ overall: { rate: { count: 10, intervalMs: 60_000 } } });
  await clock.advance(9_000);
  expect(sending.accepted).toEqual([]);
  await clock.advance(2_000);
  expect(sending.accepted).toEqual(['doc-fresh.jpg']);
  await clock.advance(50_000);
  expect(sending.accepted).toEqual(['doc-fresh.jpg', 'doc-backlog.jpg']);
});

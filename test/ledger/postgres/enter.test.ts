import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/system/systemClock.ts';
import { periodStart } from '../../../src/core/domain/limits.ts';
import type { FleetLimits } from '../../../src/core/ports/fleet.ts';
import { ACCEPTANCE, OFFICE, SHOP } from '../../contract/ledger/support.ts';
import { ONE_REQUEST } from '../../delivery/sending.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { FleetPlace } from './fleetPlace.ts';

const NONE: FleetLimits = { rate: null, perDay: null, perMonth: null };
const DAY_MS = 86_400_000;

/** Records the database's time of every entry, because the ledger keeps only those that it needs. */
const KEEP_ALL = `
CREATE TABLE entered (at timestamptz NOT NULL);
CREATE FUNCTION keep_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO receiptd.entered VALUES (new.at); RETURN NULL; END $$;
CREATE TRIGGER keep_entries AFTER INSERT ON starts FOR EACH ROW EXECUTE FUNCTION keep_entry()`;

describe.skipIf(!needsPostgres())('the limits of an endpoint', () => {
  const place = FleetPlace.ofEachTest();

  it('apply to all agents together: never more than 20 in any second', async () => {
    const agents = await Promise.all(['a', 'b', 'c', 'd'].map((name) => place.open(name)));
    await place.ask(KEEP_ALL);
    const limits = { ...NONE, rate: { count: 20, intervalMs: 1_000 } };
    const until = performance.now() + 3_000;
    const entered = await Promise.all(
      agents.map(async ({ fleet }) => {
        let own = 0;
        while (performance.now() < until) {
          const wait = await fleet.enter(OFFICE, limits, 'fresh');
          if (wait === 0) own += 1;
          else await sleep(wait);
        }
        return own;
      }),
    );
    const rows = await place.ask<{ ms: string }>(
      'SELECT extract(epoch FROM at) * 1000 AS ms FROM entered ORDER BY at',
    );
    const times = rows.map(({ ms }) => Number(ms));
    expect(times).toHaveLength(entered.reduce((sum, own) => sum + own, 0));
    expect(times.length).toBeGreaterThan(20);
    const spans = times.slice(20).map((at, n) => at - (times[n] ?? 0));
    expect(Math.min(...spans)).toBeGreaterThan(1_000);
    const [kept] = await place.ask<{ count: string }>('SELECT count(*) FROM starts');
    expect(Number(kept?.count)).toBe(20);
  });

  it.each(Object.entries(ONE_REQUEST))('delay the second request: %s', async (_, [limits, atMostMs]) => {
    const [{ fleet: a }, { fleet: b }] = [await place.open('a'), await place.open('b')];
    expect(await a.enter(OFFICE, { ...NONE, ...limits }, 'fresh')).toBe(0);
    const ms = await b.enter(OFFICE, { ...NONE, ...limits }, 'fresh');
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(atMostMs);
  });

  it('reserve a share of a long window for fresh scans, separately for each endpoint', async () => {
    const [{ fleet: a }, { fleet: b }] = [await place.open('a'), await place.open('b')];
    const limits = { ...NONE, rate: { count: 10, intervalMs: 60_000 } };
    for (let n = 0; n < 9; n += 1)
      expect(await (n % 2 === 0 ? a : b).enter(OFFICE, limits, 'backlog')).toBe(0);
    expect(await a.enter(OFFICE, limits, 'backlog')).toBeGreaterThan(1_000);
    expect(await b.enter(OFFICE, limits, 'fresh')).toBe(0);
    expect(await a.enter(OFFICE, limits, 'fresh')).toBeGreaterThan(1_000);
    expect(await a.enter(SHOP, limits, 'fresh')).toBe(0);
    expect(await a.enter(OFFICE, NONE, 'fresh')).toBe(0);
  });

  it('count requests sent before a window or budget was set', async () => {
    const a = await place.open('a');
    const [first = 0, second = 0, third = 0] = await place.documents('a', 3);
    const now = Date.now();
    await a.finish(await a.begin(first, now - 40 * DAY_MS, 1), { ...ACCEPTANCE, at: now - 40 * DAY_MS });
    await a.finish(await a.begin(second, now, 1), { ...ACCEPTANCE, at: now });
    // Recorded before it is counted.
    await a.begin(third, now, 1);
    const limits = { rate: { count: 2, intervalMs: 3_600_000 }, perDay: 2, perMonth: 100 };
    expect(await a.fleet.enter(OFFICE, limits, 'fresh')).toBe(0);
    expect(await a.fleet.enter(OFFICE, limits, 'fresh')).toBeGreaterThan(3_500_000);
    const rows = await place.ask('SELECT period, used::integer FROM budgets ORDER BY period');
    expect(rows).toEqual([
      { period: 'day', used: 2 },
      { period: 'month', used: 2 },
    ]);
  });

  it('reset a budget with the day, and not again for an agent whose clock is behind', async () => {
    const noon = new Date(2026, 2, 31, 12).getTime();
    let now = noon;
    const ahead = await place.open('a', { clock: { ...systemClock, now: () => now } });
    const behind = await place.open('b', { clock: { ...systemClock, now: () => noon } });
    const limits = { ...NONE, perDay: 3, perMonth: 4 };
    for (const { fleet } of [ahead, behind, ahead])
      expect(await fleet.enter(OFFICE, limits, 'fresh')).toBe(0);
    const untilMidnight = periodStart('day', noon, 1) - noon;
    expect(await behind.fleet.enter(OFFICE, limits, 'fresh')).toBe(untilMidnight);
    now += DAY_MS;
    for (const { fleet } of [ahead, behind, ahead])
      expect(await fleet.enter(OFFICE, limits, 'fresh')).toBe(0);
    expect(await behind.fleet.enter(OFFICE, limits, 'fresh')).toBe(untilMidnight);
    now += DAY_MS;
    // The month's.
    expect(await ahead.fleet.enter(OFFICE, limits, 'fresh')).toBe(0);
    expect(await ahead.fleet.enter(OFFICE, limits, 'fresh')).toBe(periodStart('month', now, 1) - now);
  });
});

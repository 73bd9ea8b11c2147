import { describe, expect, it, vi } from 'vitest';
import { claim, OFFICE } from '../../contract/ledger/support.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { FleetPlace } from './fleetPlace.ts';

describe.skipIf(!needsPostgres())('agents that share a ledger', () => {
  const place = FleetPlace.ofEachTest();

  it('share a hold for the time that its owner states, and only if its owner shares it', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const heard: string[] = [];
    b.fleet.onSignal((signal) => heard.push(signal));
    const since = Date.now();
    const [service, endpoint] = [OFFICE.baseUrl, `${OFFICE.baseUrl}#${OFFICE.uid}`];
    const why = { reason: 'R', message: 'm', since };
    await a.putHold({ scope: 'service', key: service, ...why, until: since + 60_000, demandedUntil: null });
    const demandedUntil = since + 60_000;
    const own = { scope: 'endpoint', key: endpoint, ...why, until: since + 90_000, demandedUntil } as const;
    await a.putHold(own, 60_000);
    await vi.waitUntil(() => heard.includes('holds'), 10_000);
    const told = { scope: 'endpoint', key: endpoint, ...why, demandedUntil, agent: 'a' };
    const [{ leftMs = 0, ...first } = { leftMs: 0 }, ...more] = await b.holds();
    expect(first).toMatchObject(told);
    expect(more).toEqual([]);
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    expect(await a.holds()).toHaveLength(2);
    // b's own row is separate, so the hold of a remains.
    await b.clearHold('endpoint', endpoint);
    expect(await b.holds()).toMatchObject([told]);
    // Once the shared time is over, another agent may try; b finds that the hold has ended.
    await a.putHold(own, 0);
    expect((await b.holds()).map(({ leftMs: left = 1 }) => left <= 0)).toEqual([true]);
    await b.clearHold('endpoint', endpoint);
    expect(await b.holds()).toEqual([]);
    // If the problem lasts for `a`, the hold is its own from then on. A wait that the service asks for stays shared.
    await a.putHold({ ...own, demandedUntil: null }, 60_000);
    expect(await b.holds()).toEqual([]);
    await a.putHold(own, 60_000);
    expect(await b.holds()).toHaveLength(1);
    await b.fleet.endHolds();
    expect(await b.holds()).toEqual([]);
    expect(await a.holds()).toEqual([]);
  });

  it('begin no request while another has found the endpoint or its service on hold', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [first = 0, second = 0] = await place.documents('a', 2);
    const since = Date.now();
    const hold = {
      scope: 'service',
      key: OFFICE.baseUrl,
      reason: 'R',
      message: 'm',
      since,
      until: since + 60_000,
      demandedUntil: null,
    } as const;
    await claim(b);
    await a.putHold(hold, 60_000);
    const begun = await Promise.allSettled([b.begin(first, 2_000, 1), b.begin(second, 2_000, 1)]);
    expect(begun.map((each) => each.status === 'rejected' && each.reason)).toMatchObject([
      { code: 'DOCUMENT_HELD' },
      { code: 'DOCUMENT_HELD' },
    ]);
    expect(await place.standing(first)).toMatchObject({ state: 'queued', claimed_by: 2 });
    expect((await b.detail(first))?.attempts).toEqual([]);
    // The agent that found the problem tries first, while the others wait.
    await b.release([first]);
    await a.begin(first, 2_000, 1);
    await a.clearHold('service', OFFICE.baseUrl);
    await b.begin(second, 2_000, 1);
    expect(await place.standing(second)).toMatchObject({ state: 'uploading' });
  });

  it('pause and resume each other, across restarts', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const heard: boolean[] = [];
    b.fleet.onSignal((signal) => {
      if (signal === 'agents') heard.push(b.fleet.isPaused());
    });
    await a.fleet.setPaused('b', 'ann');
    await vi.waitFor(() => expect(heard).toContain(true), 20_000);
    expect(a.fleet.isPaused()).toBe(false);
    expect(await a.fleet.agents()).toMatchObject([{ paused: null }, { paused: { by: 'ann' } }]);
    await b.close();
    const again = await place.open('b');
    expect(again.fleet.isPaused()).toBe(true);
    await again.fleet.setPaused('b', null);
    expect(again.fleet.isPaused()).toBe(false);
    await expect(a.fleet.setPaused('z', 'ann')).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
  });
});

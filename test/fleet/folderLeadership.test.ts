import { rename } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StorageTrouble } from '../../src/core/ports/ledger.ts';
import { FolderLeadership } from '../../src/fleet/folderLeadership.ts';
import { watchingPlace } from '../intake/watching.ts';
import { FakeFleet } from '../support/fakeFleet.ts';
import { storageOf, UNREACHABLE } from './sharedAgent.ts';

describe('a shared folder', () => {
  async function shared(trouble: StorageTrouble | null = null) {
    const place = await watchingPlace();
    const fleet = new FakeFleet();
    const storage = storageOf();
    storage.become(trouble);
    const created = place.create({ ledger: () => ({ fleet, storage }) });
    const { clock, log } = place;
    // The fake names a share by its folder.
    const shares = new Map([[place.scans, place.scans]]);
    const leads = new FolderLeadership({ fleet, storage, shares, clock, log });
    const stop = new AbortController();
    const running = leads.run(created.intake, stop.signal);
    const end = async (): Promise<void> => {
      stop.abort(new Error('the test is over'));
      await running;
    };
    onTestFinished(end);
    const comesTo = (state: string) => clock.advanceUntil(() => created.intake.status.state === state);
    return { ...place, ...created, fleet, storage, comesTo, end };
  }

  it('is watched by its leader, and by the next leader once the first one gives it up', async () => {
    const place = await shared();
    place.fleet.leaders.set(place.scans, 'there');
    await place.comesTo('standby');
    expect(place.intake.status.why).toEqual({ is: 'standby', leader: 'there', isReached: true });
    await place.drop('a.jpg');
    // An agent that gives it up sends a signal; until then the ledger is not asked.
    const lead = vi.spyOn(place.fleet, 'lead');
    await place.clock.advance(9 * 60_000);
    expect(lead.mock.calls.length).toBeLessThanOrEqual(2);
    expect(await place.rows()).toEqual([]);
    place.fleet.leaders.delete(place.scans);
    place.fleet.signal('agents');
    await place.comesTo('watching');
    await place.clock.advanceUntil(async () => (await place.states())['a.jpg'] === 'queued');
    await place.end();
    expect(place.fleet.leaders.has(place.scans)).toBe(false);
  });

  it('is no longer watched once another agent leads it, and watched again when that ends', async () => {
    const place = await shared();
    await place.comesTo('watching');
    place.fleet.leaders.set(place.scans, 'there');
    place.storage.become(UNREACHABLE);
    place.storage.become(null);
    await place.comesTo('standby');
    await place.drop('a.jpg');
    await place.clock.advance(20_000);
    expect(await place.rows()).toEqual([]);
    // Nobody sends a signal.
    place.fleet.leaders.delete(place.scans);
    await place.clock.advance(5 * 60_000);
    await place.comesTo('watching');
    await place.clock.advanceUntil(async () => (await place.states())['a.jpg'] === 'queued');
  });

  it('is still watched while the ledger is unreachable, since nobody can take it over', async () => {
    const place = await shared();
    await place.comesTo('watching');
    place.storage.become(UNREACHABLE);
    await place.clock.advance(60_000);
    expect(place.intake.status.state).toBe('watching');
  });

  it('is offered to the others if its leader cannot reach it, and requested again once it can', async () => {
    const place = await shared();
    await place.comesTo('watching');
    await rename(place.scans, `${place.scans}-away`);
    await place.comesTo('missing');
    // Nobody wants it, so its leader keeps it and people are alerted.
    await place.clock.advance(60_000);
    expect(place.intake.status.state).toBe('missing');
    expect(place.fleet.leaders.get(place.scans)).toBe('here');
    const { fleet } = place;
    const endLead = fleet.endLead.bind(fleet);
    fleet.endLead = async (folder) => {
      await endLead(folder);
      fleet.leaders.set(folder, 'there');
    };
    await place.comesTo('standby');
    expect(place.intake.status.why).toEqual({ is: 'standby', leader: 'there', isReached: false });
    // A folder without a leader goes to an agent that can reach it.
    fleet.endLead = endLead;
    fleet.leaders.delete(place.scans);
    await place.clock.advance(9_000);
    expect(fleet.leaders.has(place.scans)).toBe(false);
    await rename(`${place.scans}-away`, place.scans);
    await place.comesTo('watching');
    expect(fleet.leaders.get(place.scans)).toBe('here');
  });

  it('starts while its leader is unknown, and is not watched if that is another agent', async () => {
    const place = await shared(UNREACHABLE);
    place.fleet.leaders.set(place.scans, 'there');
    await place.clock.advance(30_000);
    expect(place.intake.status.state).toBe('starting');
    place.storage.become(null);
    await place.comesTo('standby');
    expect(await place.rows()).toEqual([]);
  });

  it('that another agent leads delays no document of another folder, and its own documents for a minute only', async () => {
    const place = await shared();
    place.fleet.leaders.set(place.scans, 'there');
    await place.comesTo('standby');
    const since = place.clock.monotonic();
    expect(place.intake.isLookedThroughSince(since, false)).toBe(true);
    expect(place.intake.isLookedThroughSince(since, true)).toBe(false);
    await place.clock.advance(60_000);
    expect(place.intake.isLookedThroughSince(since, true)).toBe(true);
  });
});

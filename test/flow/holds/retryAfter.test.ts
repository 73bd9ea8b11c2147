/** How long a hold lasts if the service says so, and if clocks jump. */
import { beforeEach, describe, expect, it } from 'vitest';
import { endpointId } from '../../../src/core/domain/document.ts';
import type { Holds } from '../../../src/flow/holds.ts';
import { OFFICE, SHOP } from '../sending.ts';
import { FORBIDDEN, HOUR, sent, SLOWLY, WHY, holdsPlace } from './holdsPlace.ts';

let place: Awaited<ReturnType<typeof holdsPlace>>;
let holds: Holds;

beforeEach(async () => {
  place = await holdsPlace();
  ({ holds } = place);
});

describe('a wait requested by the service', () => {
  it('keeps its start time if the failure continues after a restart, and starts a new one after a success', async () => {
    const began = place.clock.now();
    await holds.serviceTrouble(sent(), WHY, null);
    await place.clock.advance(HOUR);
    const after = await place.restarted();
    expect(await place.ledger.holds()).toEqual([]);
    await after.serviceTrouble(sent(), WHY, null);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'service', since: began }]);
    await after.passed(OFFICE);
    await place.clock.advance(HOUR);
    await after.serviceTrouble(sent(), WHY, null);
    expect(await place.ledger.holds()).toMatchObject([{ since: began + 2 * HOUR }]);
  });

  it('does not include our own back-off, which ends with a restart', async () => {
    await holds.slowDown(sent(), SLOWLY, null);
    await holds.serviceTrouble(sent(SHOP), WHY, null);
    expect((await place.ledger.holds()).map(({ demandedUntil }) => demandedUntil)).toEqual([null, null]);
    expect((await place.restarted()).gate(OFFICE)).toEqual({ kind: 'open' });
  });

  describe('that is shorter than our own back-off', () => {
    const SECOND = 1_000;

    async function afterThreeFailures(): Promise<void> {
      await holds.slowDown(sent(), SLOWLY, null);
      for (const retryAfterMs of [null, 5 * SECOND]) {
        await holds.slowDown(await place.probing(), SLOWLY, retryAfterMs);
      }
    }

    it('waits for the back-off, and after a restart only as long as requested', async () => {
      await afterThreeFailures();
      expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 8 * SECOND });
      await place.clock.advance(2 * SECOND);
      const after = await place.restarted();
      expect(after.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 3 * SECOND });
      expect(await place.ledger.holds()).toMatchObject([{ until: place.clock.now() + 3 * SECOND }]);
    });

    it('is kept if the request comes with an answer that was still under way', async () => {
      await holds.serviceTrouble(sent(), WHY, null);
      await holds.serviceTrouble(await place.probing(), WHY, null);
      await holds.serviceTrouble(sent(), WHY, SECOND);
      expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 2 * SECOND });
      // What was under way as well, and ended well, opens nothing.
      await holds.passed(OFFICE, sent().id);
      expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
      expect((await place.restarted()).gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: SECOND });
    });
  });

  it('is never extended by a clock set back, nor longer than a day', async () => {
    await holds.slowDown(sent(), SLOWLY, HOUR);
    place.clock.jump(-10 * 24 * HOUR);
    expect((await place.restarted()).gate(OFFICE)).toMatchObject({ waitMs: HOUR });
    await place.ledger.putHold({
      scope: 'endpoint',
      key: endpointId(OFFICE),
      reason: SLOWLY.reason,
      message: '',
      since: 0,
      until: place.clock.now() + 1_000 * HOUR,
      demandedUntil: place.clock.now() + 1_000 * HOUR,
    });
    expect((await place.restarted()).gate(OFFICE)).toMatchObject({ waitMs: 24 * HOUR });
  });

  it('is obeyed even if requests under way succeed', async () => {
    await holds.slowDown(sent(), SLOWLY, HOUR);
    await holds.passed(OFFICE, sent().id);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: HOUR });
    const probe = await place.probing();
    await holds.passed(OFFICE, sent().id);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await holds.passed(OFFICE, probe.id);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is obeyed if only the second of two answers contains it, and counts as one failure', async () => {
    await holds.slowDown(sent(), SLOWLY, null);
    await holds.slowDown(sent(), SLOWLY, HOUR);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: HOUR });
    await holds.slowDown(await place.probing(), SLOWLY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 4_000 });
  });

  it('is not cut short by a shorter one, nor by a restart after that', async () => {
    await holds.serviceTrouble(sent(), WHY, HOUR);
    await holds.serviceTrouble(sent(), WHY, 10_000);
    for (const each of [holds, await place.restarted()])
      expect(each.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: HOUR });
  });

  it('outlasts a sleep of the machine, unlike an outage', async () => {
    const other = { baseUrl: 'http://127.0.0.1:10', uid: 'other' };
    await holds.serviceTrouble(sent(), WHY, HOUR);
    for (let i = 0; i < 10; i += 1) {
      const probe = sent(other);
      holds.startProbe(probe);
      await holds.serviceTrouble(probe, WHY, null);
    }
    holds.woke();
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: HOUR });
    expect(holds.gate(other)).toMatchObject({ kind: 'closed', waitMs: 1_000 });
  });

  it('of another agent is obeyed like our own, even if requests under way succeed', async () => {
    const now = place.clock.now();
    const hold = {
      scope: 'endpoint',
      key: endpointId(OFFICE),
      reason: SLOWLY.reason,
      message: '',
      since: now,
      until: now + HOUR,
    } as const;
    const others = [{ ...hold, demandedUntil: now + HOUR, agent: 'front desk', leftMs: HOUR }];
    const ours = place.create({ ...place.ledger, holds: async () => others });
    await ours.takeShared();
    await ours.passed(OFFICE, sent().id);
    expect(ours.gate(OFFICE)).toMatchObject({ kind: 'closed' });
  });

  it('can be overruled by a person', async () => {
    await holds.slowDown(sent(), SLOWLY, HOUR);
    const after = await place.restarted();
    await after.clearAll();
    expect(after.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(await place.ledger.holds()).toEqual([]);
  });
});

describe('a clock jump', () => {
  it('backward extends no wait beyond its back-off', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.slowDown(sent(SHOP), SLOWLY, HOUR);
    place.clock.jump(-24 * HOUR);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 60_000 });
    await place.clock.advance(60_000);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
    expect(holds.gate(SHOP)).toMatchObject({ waitMs: HOUR - 60_000 });
  });
});

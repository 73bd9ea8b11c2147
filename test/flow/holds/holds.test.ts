/** Trouble that concerns more than one document. */
import { beforeEach, describe, expect, it } from 'vitest';
import { endpointId } from '../../../src/core/domain/document.ts';
import { EVERYTHING } from '../../../src/core/domain/hold.ts';
import type { Holds } from '../../../src/flow/holds.ts';
import { failing, OFFICE, SHOP } from '../sending.ts';
import { FORBIDDEN, sent, WHY, holdsPlace } from './holdsPlace.ts';

let place: Awaited<ReturnType<typeof holdsPlace>>;
let holds: Holds;

beforeEach(async () => {
  place = await holdsPlace();
  ({ holds } = place);
});

describe('a hold scope', () => {
  it('waits longer after each failed probe, up to a limit', async () => {
    const waits: number[] = [];
    await holds.serviceTrouble(sent(), WHY, null);
    for (let i = 0; i < 12; i += 1) {
      waits.push(await place.untilProbe(OFFICE));
      const probe = sent();
      holds.startProbe(probe);
      await holds.serviceTrouble(probe, WHY, null);
      holds.endProbe(probe);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((s) => s * 1_000));
  });

  it('can be probed again after an inconclusive probe', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    const probe = await place.probing();
    holds.endProbe(probe);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
  });

  it('counts the failures of concurrent requests once, with one log entry', async () => {
    for (let i = 0; i < 4; i += 1) await holds.serviceTrouble(sent(), WHY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 1_000 });
    await holds.serviceTrouble(await place.probing(), WHY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 2_000 });
    expect(place.log.said('On hold')).toHaveLength(1);
    await holds.passed(OFFICE);
    await holds.passed(OFFICE);
    expect(place.log.said('No longer on hold')).toHaveLength(1);
  });

  it('is not opened by an answer that came before the hold but was recorded after it', async () => {
    const answeredAt = place.clock.monotonic();
    await place.clock.advance(500);
    await holds.holdEndpoint(sent(), WHY);
    await holds.passed(OFFICE, sent().id, answeredAt);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await holds.passed(OFFICE, sent().id, place.clock.monotonic());
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is not opened by a success that a failure followed before it was recorded', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    await place.clock.advance(100);
    const answeredAt = place.clock.monotonic();
    await place.clock.advance(20);
    // This request was in flight when the scope closed.
    await holds.serviceTrouble(sent(), WHY, null);
    await holds.passed(OFFICE, sent().id, answeredAt);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await place.clock.advance(1_000);
    const probe = await place.probing();
    await holds.passed(OFFICE, probe.id, place.clock.monotonic());
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is not probed by the probe of another scope that began before it was closed', async () => {
    await holds.holdEndpoint(sent(SHOP), FORBIDDEN);
    const waiting = await place.probing(SHOP);
    expect(holds.isProbedBy(waiting)).toBe(true);
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    expect(holds.isProbedBy(waiting)).toBe(false);
    const other = await place.probing();
    expect([waiting, other].map((each) => holds.isProbedBy(each))).toEqual([false, true]);
    await holds.passed(OFFICE);
    expect(holds.isProbedBy(waiting)).toBe(true);
  });
});

describe('a hold of the service', () => {
  it('is shared by its endpoints, and one of them probes for all', async () => {
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed' });
    const probe = await place.probing(SHOP);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await holds.passed(SHOP);
    holds.endProbe(probe);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is not released by the end of an unrelated probe', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    const ofEndpoint = await place.probing();
    await holds.serviceTrouble(sent(SHOP), WHY, null);
    await place.probing(SHOP);
    holds.endProbe(ofEndpoint);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed' });
  });

  it('ends with any answer that proves the service is reachable', async () => {
    for (const answered of [
      () => holds.holdEndpoint(sent(OFFICE), FORBIDDEN),
      () => holds.slowDown(sent(OFFICE), FORBIDDEN, null),
      () => holds.holdCredentials(sent(OFFICE), FORBIDDEN),
      () => holds.passed(OFFICE),
    ]) {
      await holds.serviceTrouble(sent(OFFICE), WHY, null);
      await answered();
      expect((await place.ledger.holds()).map(({ scope }) => scope)).not.toContain('service');
      await holds.clearAll();
    }
  });
});

describe('a command by a person', () => {
  it('clears every hold except pauses', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.holdCredentials(sent(OFFICE), FORBIDDEN);
    await holds.pause('endpoint', endpointId(SHOP), 'anna');
    await holds.clearAll();
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.gate(SHOP)).toEqual({ kind: 'paused' });
    expect(await place.ledger.holds()).toMatchObject([{ reason: 'PAUSED', key: endpointId(SHOP) }]);
  });

  it('is kept over a restart if it is a pause, unlike other holds', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    await holds.pause('endpoint', endpointId(SHOP), 'anna');
    await holds.pause('folder', '/scans', 'anna');
    holds = await place.restarted();
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.gate(SHOP)).toEqual({ kind: 'paused' });
    expect(holds.isPaused('folder', '/scans')).toBe(true);
    expect((await place.ledger.holds()).map(({ reason }) => reason)).toEqual(['PAUSED', 'PAUSED']);
  });
});

describe('a pause', () => {
  it('of everything holds every endpoint, and trouble of the service is another matter', async () => {
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    await holds.pause('service', EVERYTHING, 'anna');
    for (const endpoint of [OFFICE, SHOP]) expect(holds.gate(endpoint)).toEqual({ kind: 'paused' });
    await holds.passed(OFFICE);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'service', reason: 'PAUSED' }]);
    await holds.resume('service', EVERYTHING);
    expect(holds.gate(SHOP)).toEqual({ kind: 'open' });
  });

  it('ends by itself at its time, in a later run too', async () => {
    const until = place.clock.now() + 90_000;
    await holds.pause('service', EVERYTHING, 'anna', until);
    expect(holds.pauseEndsInMs).toBe(60_000);
    await place.clock.advance(60_000);
    holds = await place.restarted();
    expect(await holds.endPauses()).toBe(false);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'paused' });
    expect(holds.pauseEndsInMs).toBe(30_000);
    await place.clock.advance(30_000);
    expect(await holds.endPauses()).toBe(true);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(await place.ledger.holds()).toEqual([]);
    expect(holds.pauseEndsInMs).toBeNull();
  });
});

it('works while the ledger cannot be written, and leaves no stale row behind', async () => {
  let broken = false;
  holds = place.create(failing(['putHold', 'clearHold'], () => broken)(place.ledger));
  broken = true;
  await holds.serviceTrouble(sent(), WHY, null);
  expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
  broken = false;
  await holds.serviceTrouble(await place.probing(OFFICE, holds), WHY, null);
  expect(await place.ledger.holds()).toHaveLength(1);
  broken = true;
  await holds.passed(OFFICE);
  expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  broken = false;
  await holds.passed(OFFICE);
  expect(await place.ledger.holds()).toEqual([]);
});

describe('changed credentials', () => {
  const NONE = { reason: 'CREDENTIALS_MISSING', why: { is: 'heldBack' } } as const;

  it('are treated as unchanged if the check fails', async () => {
    holds = place.create(place.ledger, () => Promise.reject(new Error('the keychain is locked')));
    await holds.holdCredentials(sent(), NONE);
    expect(await holds.recheckCredentials()).toBe(false);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed' });
  });
});

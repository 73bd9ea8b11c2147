import { beforeEach, describe, expect, it } from 'vitest';
import { endpointId, type EndpointKey } from '../../../src/core/domain/document.ts';
import { Holds } from '../../../src/delivery/holds/holds.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { OFFICE, sendingPlace, SHOP, type Place } from '../sending.ts';

const WHY = { reason: 'ECONNREFUSED', message: 'It is down.' };
const FORBIDDEN = { reason: 'HTTP_403', message: 'Not allowed.' };

let place: Place;
let holds: Holds;
let next = 0;

const SLOWLY = { reason: 'HTTP_429', message: 'Slowly.' };
const HOUR = 3_600_000;

function create(ledger: Ledger = place.ledger, credentialsChanged?: () => Promise<boolean>): Holds {
  const { clock, log } = place;
  const deps = { ledger, clock, random: () => 1 - Number.EPSILON, log };
  return new Holds(credentialsChanged ? { ...deps, credentialsChanged } : deps);
}

/** As a new start of the program would find it. */
async function restarted(): Promise<Holds> {
  const after = create();
  await after.restore();
  return after;
}

function sent(endpoint: EndpointKey = OFFICE) {
  next += 1;
  return { id: next, endpoint };
}

/** Waits until the endpoint may be probed. */
async function untilProbe(endpoint: EndpointKey): Promise<number> {
  const gate = holds.gate(endpoint);
  const waitMs = gate.kind === 'closed' ? gate.waitMs : 0;
  await place.clock.advance(waitMs);
  expect(holds.gate(endpoint)).toEqual({ kind: 'probe' });
  return waitMs;
}

beforeEach(async () => {
  place = await sendingPlace();
  holds = create();
});

describe('a hold scope', () => {
  it('is open at first', () => {
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is closed by a failure, and lets one probe through after its back-off', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', outage: true });
    await untilProbe(OFFICE);
    holds.startProbe(sent());
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
  });

  it('waits longer after each failed probe, up to a limit', async () => {
    const waits: number[] = [];
    await holds.serviceTrouble(sent(), WHY, null);
    for (let i = 0; i < 12; i += 1) {
      waits.push(await untilProbe(OFFICE));
      const probe = sent();
      holds.startProbe(probe);
      await holds.serviceTrouble(probe, WHY, null);
      holds.endProbe(probe);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((s) => s * 1_000));
  });

  it('is opened by a successful probe, and starts over with a short wait', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    for (let i = 0; i < 3; i += 1) {
      await untilProbe(OFFICE);
      const probe = sent();
      holds.startProbe(probe);
      await holds.serviceTrouble(probe, WHY, null);
    }
    await untilProbe(OFFICE);
    holds.startProbe(sent());
    await holds.passed(OFFICE);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(await place.ledger.holds()).toEqual([]);
    await holds.serviceTrouble(sent(), WHY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 1_000 });
  });

  it('can be probed again after an inconclusive probe', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    await untilProbe(OFFICE);
    const probe = sent();
    holds.startProbe(probe);
    holds.endProbe(probe);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
  });

  it('counts the failures of concurrent requests once, with one log entry', async () => {
    for (let i = 0; i < 4; i += 1) await holds.serviceTrouble(sent(), WHY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 1_000 });
    await untilProbe(OFFICE);
    const probe = sent();
    holds.startProbe(probe);
    await holds.serviceTrouble(probe, WHY, null);
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

  it('lets no second probe through if an older request fails meanwhile', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    await untilProbe(OFFICE);
    const probe = sent();
    holds.startProbe(probe);
    await holds.serviceTrouble(sent(), WHY, null);
    await place.clock.advance(60_000);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await holds.serviceTrouble(probe, WHY, null);
    holds.endProbe(probe);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 2_000 });
  });

  it('is not probed by the probe of another scope that began before it was closed', async () => {
    await holds.holdEndpoint(sent(SHOP), FORBIDDEN);
    await untilProbe(SHOP);
    const waiting = sent(SHOP);
    holds.startProbe(waiting);
    expect(holds.isProbedBy(waiting)).toBe(true);
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    expect(holds.isProbedBy(waiting)).toBe(false);
    await untilProbe(OFFICE);
    const other = sent(OFFICE);
    holds.startProbe(other);
    expect([waiting, other].map((each) => holds.isProbedBy(each))).toEqual([false, true]);
    await holds.passed(OFFICE);
    expect(holds.isProbedBy(waiting)).toBe(true);
  });

  it('waits as long as the service asked, if that is longer', async () => {
    await holds.slowDown(sent(), { reason: 'HTTP_429', message: 'Slowly.' }, 90_000);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 90_000, outage: true });
    await holds.slowDown(sent(SHOP), { reason: 'HTTP_429', message: 'Slowly.' }, 1);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: 2_000 });
  });

  it('of one endpoint does not block another', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', outage: false });
    expect(holds.gate(SHOP)).toEqual({ kind: 'open' });
    expect(place.log.said('On hold')).toEqual([expect.objectContaining({ level: 'error' })]);
  });

  it('logs again if a temporary failure turns into one that needs a person', async () => {
    const slow = sent();
    await holds.slowDown(slow, { reason: 'HTTP_429', message: 'Slowly.' }, null);
    await untilProbe(OFFICE);
    holds.startProbe(slow);
    await holds.holdEndpoint(slow, FORBIDDEN);
    expect(place.log.said('On hold').map(({ level }) => level)).toEqual(['warn', 'error']);
  });
});

describe('a hold of the service', () => {
  it('is shared by its endpoints, and one of them probes for all', async () => {
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed' });
    await untilProbe(SHOP);
    const probe = sent(SHOP);
    holds.startProbe(probe);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await holds.passed(SHOP);
    holds.endProbe(probe);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is not released by the end of an unrelated probe', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await untilProbe(OFFICE);
    const ofEndpoint = sent(OFFICE);
    holds.startProbe(ofEndpoint);
    await holds.serviceTrouble(sent(SHOP), WHY, null);
    await untilProbe(SHOP);
    const ofService = sent(SHOP);
    holds.startProbe(ofService);
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

describe('a hold of the credentials', () => {
  it('blocks every endpoint until a request passes', async () => {
    await holds.holdCredentials(sent(), { reason: 'CREDENTIALS_MISSING', message: 'None.' });
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: 60_000, outage: false });
    await holds.passed(OFFICE);
    expect(holds.gate(SHOP)).toEqual({ kind: 'open' });
  });
});

describe('a command by a person', () => {
  it('clears every hold except pauses', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.holdCredentials(sent(OFFICE), FORBIDDEN);
    await holds.pauses.pause('endpoint', endpointId(SHOP), 'anna');
    await holds.clearAll();
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.gate(SHOP)).toEqual({ kind: 'paused' });
    expect(await place.ledger.holds()).toMatchObject([{ reason: 'PAUSED', key: endpointId(SHOP) }]);
  });

  it('pauses and resumes a folder or endpoint, whatever else is on hold', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.pauses.pause('endpoint', endpointId(OFFICE), 'anna');
    await holds.pauses.pause('folder', '/scans', 'anna');
    expect(holds.gate(OFFICE)).toEqual({ kind: 'paused' });
    expect(holds.pauses.folders()).toEqual(['/scans']);
    await holds.passed(OFFICE);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'paused' });
    await holds.pauses.resume('endpoint', endpointId(OFFICE));
    await holds.pauses.resume('folder', '/scans');
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.pauses.folders()).toEqual([]);
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('is kept over a restart if it is a pause, unlike other holds', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    await holds.pauses.pause('endpoint', endpointId(SHOP), 'anna');
    await holds.pauses.pause('folder', '/scans', 'anna');
    holds = create();
    await holds.restore();
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.gate(SHOP)).toEqual({ kind: 'paused' });
    expect(holds.pauses.has('folder', '/scans')).toBe(true);
    expect((await place.ledger.holds()).map(({ reason }) => reason)).toEqual(['PAUSED', 'PAUSED']);
  });
});

it('works while the ledger cannot be written, and leaves no stale row behind', async () => {
  let broken = false;
  const failing = () => Promise.reject(new Error('the disk is full'));
  const ledger: Ledger = {
    ...place.ledger,
    putHold: (hold) => (broken ? failing() : place.ledger.putHold(hold)),
    clearHold: (...all) => (broken ? failing() : place.ledger.clearHold(...all)),
  };
  holds = create(ledger);
  broken = true;
  await holds.serviceTrouble(sent(), WHY, null);
  expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
  broken = false;
  await untilProbe(OFFICE);
  const probe = sent();
  holds.startProbe(probe);
  await holds.serviceTrouble(probe, WHY, null);
  expect(await place.ledger.holds()).toHaveLength(1);
  broken = true;
  await holds.passed(OFFICE);
  expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  broken = false;
  await holds.passed(OFFICE);
  expect(await place.ledger.holds()).toEqual([]);
});

describe('a wait requested by the service', () => {
  it('is kept over a restart until it ends, while every other hold is retried at once', async () => {
    await holds.slowDown(sent(OFFICE), SLOWLY, HOUR);
    await holds.holdEndpoint(sent(SHOP), FORBIDDEN);
    await place.clock.advance(HOUR / 4);
    const after = await restarted();
    expect(after.gate(SHOP)).toEqual({ kind: 'open' });
    expect(after.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: (3 * HOUR) / 4, outage: true });
    expect(await place.ledger.holds()).toMatchObject([
      { reason: 'HTTP_429', demandedUntil: place.clock.now() + (3 * HOUR) / 4 },
    ]);
    await place.clock.advance((3 * HOUR) / 4);
    expect(after.gate(OFFICE)).toEqual({ kind: 'probe' });
    // Over by the time of the start.
    expect((await restarted()).gate(OFFICE)).toEqual({ kind: 'open' });
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('keeps its start time if the failure continues after a restart, and starts a new one after a success', async () => {
    const began = place.clock.now();
    await holds.serviceTrouble(sent(), WHY, null);
    await place.clock.advance(HOUR);
    const after = await restarted();
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
    expect((await restarted()).gate(OFFICE)).toEqual({ kind: 'open' });
  });

  describe('that is shorter than our own back-off', () => {
    const SECOND = 1_000;

    async function afterThreeFailures(): Promise<void> {
      await holds.slowDown(sent(), SLOWLY, null);
      for (const retryAfterMs of [null, 5 * SECOND]) {
        await untilProbe(OFFICE);
        const probe = sent();
        holds.startProbe(probe);
        await holds.slowDown(probe, SLOWLY, retryAfterMs);
      }
    }

    it('waits for the back-off, and after a restart only as long as requested', async () => {
      await afterThreeFailures();
      expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 8 * SECOND });
      await place.clock.advance(2 * SECOND);
      const after = await restarted();
      expect(after.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 3 * SECOND });
      expect(await place.ledger.holds()).toMatchObject([{ until: place.clock.now() + 3 * SECOND }]);
    });

    it('is kept if the request comes with an answer that was still under way', async () => {
      await holds.serviceTrouble(sent(), WHY, null);
      await untilProbe(OFFICE);
      const probe = sent();
      holds.startProbe(probe);
      await holds.serviceTrouble(probe, WHY, null);
      await holds.serviceTrouble(sent(), WHY, SECOND);
      expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 2 * SECOND });
      // What was under way as well, and ended well, opens nothing.
      await holds.passed(OFFICE, sent().id);
      expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
      expect((await restarted()).gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: SECOND });
    });
  });

  it('is never extended by a clock set back, nor longer than a day', async () => {
    await holds.slowDown(sent(), SLOWLY, HOUR);
    place.clock.jump(-10 * 24 * HOUR);
    expect((await restarted()).gate(OFFICE)).toMatchObject({ waitMs: HOUR });
    await place.ledger.putHold({
      scope: 'endpoint',
      key: endpointId(OFFICE),
      ...SLOWLY,
      since: 0,
      until: place.clock.now() + 1_000 * HOUR,
      demandedUntil: place.clock.now() + 1_000 * HOUR,
    });
    expect((await restarted()).gate(OFFICE)).toMatchObject({ waitMs: 24 * HOUR });
  });

  it('is obeyed even if requests under way succeed', async () => {
    await holds.slowDown(sent(), SLOWLY, HOUR);
    await holds.passed(OFFICE, sent().id);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: HOUR });
    await untilProbe(OFFICE);
    const probe = sent();
    holds.startProbe(probe);
    await holds.passed(OFFICE, sent().id);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await holds.passed(OFFICE, probe.id);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is obeyed if only the second of two answers contains it, and counts as one failure', async () => {
    await holds.slowDown(sent(), SLOWLY, null);
    await holds.slowDown(sent(), SLOWLY, HOUR);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: HOUR });
    const probe = sent();
    await untilProbe(OFFICE);
    holds.startProbe(probe);
    await holds.slowDown(probe, SLOWLY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 4_000 });
  });

  it('is not cut short by a shorter one, nor by a restart after that', async () => {
    await holds.serviceTrouble(sent(), WHY, HOUR);
    await holds.serviceTrouble(sent(), WHY, 10_000);
    for (const each of [holds, await restarted()])
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
      ...SLOWLY,
      since: now,
      until: now + HOUR,
    } as const;
    const others = [{ ...hold, demandedUntil: now + HOUR, agent: 'front desk', leftMs: HOUR }];
    const ours = create({ ...place.ledger, holds: async () => others });
    await ours.takeShared();
    await ours.passed(OFFICE, sent().id);
    expect(ours.gate(OFFICE)).toMatchObject({ kind: 'closed' });
  });

  it('is logged once', async () => {
    await holds.slowDown(sent(), SLOWLY, null);
    await holds.slowDown(sent(), SLOWLY, HOUR);
    await untilProbe(OFFICE);
    const probe = sent();
    holds.startProbe(probe);
    await holds.passed(OFFICE, probe.id);
    const said = place.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
    expect(said).toEqual(['On hold; retrying automatically', 'No longer on hold']);
  });

  it('can be overruled by a person', async () => {
    await holds.slowDown(sent(), SLOWLY, HOUR);
    const after = await restarted();
    await after.clearAll();
    expect(after.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(await place.ledger.holds()).toEqual([]);
  });
});

describe('a clock jump', () => {
  it('forward, as after a suspend, ends what has expired', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.slowDown(sent(SHOP), SLOWLY, 2 * HOUR);
    place.clock.jump(HOUR);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: HOUR });
  });

  it('backward extends no wait beyond its back-off', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.slowDown(sent(SHOP), SLOWLY, HOUR);
    place.clock.jump(-24 * HOUR);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 60_000 });
    await place.clock.advance(60_000);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
    expect(holds.gate(SHOP)).toMatchObject({ waitMs: HOUR - 60_000 });
  });

  it('of less than a second is ignored', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    place.clock.jump(900);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 60_000 });
  });
});

describe('changed credentials', () => {
  const NONE = { reason: 'CREDENTIALS_MISSING', message: 'None.' };

  it('are checked for every 20 seconds during a hold, and tried at once', async () => {
    let changed = false;
    let looks = 0;
    holds = create(place.ledger, async () => {
      looks += 1;
      return changed;
    });
    await holds.holdCredentials(sent(), NONE);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: 60_000, recheckMs: 20_000 });
    await place.clock.advance(20_000);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', recheckMs: 0 });
    expect(await holds.credentials.run()).toBe(false);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: 40_000, recheckMs: 20_000 });
    changed = true;
    await place.clock.advance(20_000);
    expect(await holds.credentials.run()).toBe(true);
    expect(looks).toBe(2);
    expect(holds.gate(SHOP)).toEqual({ kind: 'probe' });
  });

  it('are treated as unchanged if the check fails', async () => {
    holds = create(place.ledger, () => Promise.reject(new Error('the keychain is locked')));
    await holds.holdCredentials(sent(), NONE);
    expect(await holds.credentials.run()).toBe(false);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed' });
  });
});

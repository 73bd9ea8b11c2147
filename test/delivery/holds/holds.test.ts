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

describe('a scope', () => {
  it('is open at first', () => {
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('is closed by trouble, and lets one request through once its time has passed', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', outage: true });
    await untilProbe(OFFICE);
    holds.startProbe(sent());
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
  });

  it('waits longer each time that its probe meets with trouble, up to a limit', async () => {
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

  it('is opened by a probe that passes, and starts over with a short wait', async () => {
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

  it('may be probed again after a probe that said nothing about it', async () => {
    await holds.serviceTrouble(sent(), WHY, null);
    await untilProbe(OFFICE);
    const probe = sent();
    holds.startProbe(probe);
    holds.endProbe(probe);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
  });

  it('counts the failures of all requests in flight once, and says so once', async () => {
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

  it('is not opened by an answer that came before it, and was recorded after it', async () => {
    const answeredAt = place.clock.monotonic();
    await place.clock.advance(500);
    await holds.holdEndpoint(sent(), WHY);
    await holds.passed(OFFICE, sent().id, answeredAt);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed' });
    await holds.passed(OFFICE, sent().id, place.clock.monotonic());
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
  });

  it('lets no second probe through because a request that began before it fails meanwhile', async () => {
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

  it('is not tried by the probe of another one that began before it was closed', async () => {
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

  it('waits as long as the service asked for, if that is longer', async () => {
    await holds.slowDown(sent(), { reason: 'HTTP_429', message: 'Slowly.' }, 90_000);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 90_000, outage: true });
    await holds.slowDown(sent(SHOP), { reason: 'HTTP_429', message: 'Slowly.' }, 1);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: 2_000 });
  });

  it('of an endpoint keeps no other endpoint waiting', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', outage: false });
    expect(holds.gate(SHOP)).toEqual({ kind: 'open' });
    expect(place.log.said('On hold')).toEqual([expect.objectContaining({ level: 'error' })]);
  });

  it('says so once more when trouble that passes by itself turns into what a person has to mend', async () => {
    const slow = sent();
    await holds.slowDown(slow, { reason: 'HTTP_429', message: 'Slowly.' }, null);
    await untilProbe(OFFICE);
    holds.startProbe(slow);
    await holds.holdEndpoint(slow, FORBIDDEN);
    expect(place.log.said('On hold').map(({ level }) => level)).toEqual(['warn', 'error']);
  });
});

describe('a hold of the service', () => {
  it('is shared by its endpoints: one of them probes it for all', async () => {
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

  it('is not released by the end of a probe of something else', async () => {
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

  it('ends with any answer that says the service is there', async () => {
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

describe('the credentials', () => {
  it('keep every endpoint waiting until a request passes', async () => {
    await holds.holdCredentials(sent(), { reason: 'CREDENTIALS_MISSING', message: 'None.' });
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: 60_000, outage: false });
    await holds.passed(OFFICE);
    expect(holds.gate(SHOP)).toEqual({ kind: 'open' });
  });
});

describe('a person', () => {
  it('clears everything but pauses', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.holdCredentials(sent(OFFICE), FORBIDDEN);
    await holds.pause('endpoint', endpointId(SHOP), 'anna');
    await holds.clearAll();
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.gate(SHOP)).toEqual({ kind: 'paused' });
    expect(await place.ledger.holds()).toMatchObject([{ reason: 'PAUSED', key: endpointId(SHOP) }]);
  });

  it('pauses and resumes a folder and an endpoint, whatever else is on hold', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.pause('endpoint', endpointId(OFFICE), 'anna');
    await holds.pause('folder', '/scans', 'anna');
    expect(holds.gate(OFFICE)).toEqual({ kind: 'paused' });
    expect(holds.pausedFolders()).toEqual(['/scans']);
    await holds.passed(OFFICE);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'paused' });
    await holds.resume('endpoint', endpointId(OFFICE));
    await holds.resume('folder', '/scans');
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.pausedFolders()).toEqual([]);
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('finds a pause kept over a restart, and nothing else', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.serviceTrouble(sent(OFFICE), WHY, null);
    await holds.pause('endpoint', endpointId(SHOP), 'anna');
    await holds.pause('folder', '/scans', 'anna');
    holds = create();
    await holds.restore();
    expect(holds.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(holds.gate(SHOP)).toEqual({ kind: 'paused' });
    expect(holds.isPaused('folder', '/scans')).toBe(true);
    expect((await place.ledger.holds()).map(({ reason }) => reason)).toEqual(['PAUSED', 'PAUSED']);
  });
});

it('holds although the ledger cannot be written, and no row is left behind forever', async () => {
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

describe('what the service asked for', () => {
  it('is kept over a restart, until its time; every other hold is tried at once', async () => {
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

  it('that meets the same trouble after a restart says since when it lasts; after a good answer it is a new one', async () => {
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

  it('is not what our own back-off was: that is over with a restart', async () => {
    await holds.slowDown(sent(), SLOWLY, null);
    await holds.serviceTrouble(sent(SHOP), WHY, null);
    expect((await place.ledger.holds()).map(({ demandedUntil }) => demandedUntil)).toEqual([null, null]);
    expect((await restarted()).gate(OFFICE)).toEqual({ kind: 'open' });
  });

  describe('for less time than our own back-off', () => {
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

    it('waits for the back-off, and after a restart for what was asked', async () => {
      await afterThreeFailures();
      expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 8 * SECOND });
      await place.clock.advance(2 * SECOND);
      const after = await restarted();
      expect(after.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: 3 * SECOND });
      expect(await place.ledger.holds()).toMatchObject([{ until: place.clock.now() + 3 * SECOND }]);
    });

    it('is kept where an answer that was under way is the one that asks', async () => {
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

  it('is not made longer by a clock that was set back meanwhile, nor ever longer than a day', async () => {
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

  it('is obeyed although requests that were under way end well', async () => {
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

  it('is obeyed if only the second of two answers says it, and counts as one failure', async () => {
    await holds.slowDown(sent(), SLOWLY, null);
    await holds.slowDown(sent(), SLOWLY, HOUR);
    expect(holds.gate(OFFICE)).toMatchObject({ kind: 'closed', waitMs: HOUR });
    const probe = sent();
    await untilProbe(OFFICE);
    holds.startProbe(probe);
    await holds.slowDown(probe, SLOWLY, null);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 4_000 });
  });

  it('is said once', async () => {
    await holds.slowDown(sent(), SLOWLY, null);
    await holds.slowDown(sent(), SLOWLY, HOUR);
    await untilProbe(OFFICE);
    const probe = sent();
    holds.startProbe(probe);
    await holds.passed(OFFICE, probe.id);
    const said = place.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
    expect(said).toEqual(['On hold; retrying automatically', 'No longer on hold']);
  });

  it('is overruled by a person', async () => {
    await holds.slowDown(sent(), SLOWLY, HOUR);
    const after = await restarted();
    await after.clearAll();
    expect(after.gate(OFFICE)).toEqual({ kind: 'open' });
    expect(await place.ledger.holds()).toEqual([]);
  });
});

describe('a clock that jumps', () => {
  it('ahead, as after a sleep of the machine, ends what would have ended meanwhile', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.slowDown(sent(SHOP), SLOWLY, 2 * HOUR);
    place.clock.jump(HOUR);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: HOUR });
  });

  it('back makes nothing wait longer than its back-off', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    await holds.slowDown(sent(SHOP), SLOWLY, HOUR);
    place.clock.jump(-24 * HOUR);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 60_000 });
    await place.clock.advance(60_000);
    expect(holds.gate(OFFICE)).toEqual({ kind: 'probe' });
    expect(holds.gate(SHOP)).toMatchObject({ waitMs: HOUR - 60_000 });
  });

  it('by less than a second is none', async () => {
    await holds.holdEndpoint(sent(OFFICE), FORBIDDEN);
    place.clock.jump(900);
    expect(holds.gate(OFFICE)).toMatchObject({ waitMs: 60_000 });
  });
});

describe('other credentials', () => {
  const NONE = { reason: 'CREDENTIALS_MISSING', message: 'None.' };

  it('are looked for every 20 seconds while they are on hold, and tried at once', async () => {
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
    expect(await holds.recheckCredentials()).toBe(false);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed', waitMs: 40_000, recheckMs: 20_000 });
    changed = true;
    await place.clock.advance(20_000);
    expect(await holds.recheckCredentials()).toBe(true);
    expect(looks).toBe(2);
    expect(holds.gate(SHOP)).toEqual({ kind: 'probe' });
  });

  it('that can’t be looked for are none', async () => {
    holds = create(place.ledger, () => Promise.reject(new Error('the keychain is locked')));
    await holds.holdCredentials(sent(), NONE);
    expect(await holds.recheckCredentials()).toBe(false);
    expect(holds.gate(SHOP)).toMatchObject({ kind: 'closed' });
  });
});

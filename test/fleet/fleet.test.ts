import { noteText } from '../../src/core/domain/note.ts';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ReceiptdError, type ErrorCode } from '../../src/core/domain/errors.ts';
import { FleetWatch } from '../../src/fleet/fleetWatch.ts';
import { FolderLeadership } from '../../src/fleet/folderLeadership.ts';
import type { Hold } from '../../src/core/ports/hold.ts';
import type { Ledger, StorageTrouble } from '../../src/core/ports/ledger.ts';
import { FakeFleet } from '../support/fakeFleet.ts';
import type { RecordedLog } from '../support/recordedLog.ts';
import { accept, fault, pending, status } from '../support/scriptedService.ts';
import { OFFICE, sendingPlace, type Sending, type SendingOptions } from '../delivery/sending.ts';
import { watchingPlace } from '../intake/watching.ts';

const UNREACHABLE: StorageTrouble = {
  code: 'LEDGER_UNREACHABLE',
  message: "The ledger can't be reached.",
  hint: 'Wait.',
};

/** The storage of a shared ledger; the test makes it unreachable and reachable again. */
function storageOf() {
  const listeners = new Set<() => void>();
  let now: StorageTrouble | null = null;
  return {
    trouble: () => now,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    become(trouble: StorageTrouble | null): void {
      now = trouble;
      for (const listener of listeners) listener();
    },
  };
}

async function sharedSending(more: Partial<Ledger> | ((ledger: Ledger) => Partial<Ledger>) = {}) {
  const place = await sendingPlace();
  const fleet = new FakeFleet();
  const storage = storageOf();
  const wrap = (ledger: Ledger): Ledger => ({
    ...ledger,
    fleet,
    storage,
    ...(typeof more === 'function' ? more(ledger) : more),
  });
  const start = (options: SendingOptions = {}) => place.start({ ...options, wrap });
  function watch({ dispatcher, holds }: Sending) {
    const { clock, log } = place;
    const watching = new FleetWatch({ fleet, storage, dispatcher, holds, clock, log });
    const stop = new AbortController();
    const running = watching.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    return watching;
  }
  return { ...place, fleet, storage, start, watch };
}

function errors({ lines }: RecordedLog): unknown[] {
  return lines.filter(({ level }) => level === 'error');
}

function once<A extends unknown[], R>(code: ErrorCode, then: (...args: A) => Promise<R>) {
  let isFirst = true;
  return async (...args: A): Promise<R> => {
    if (!isFirst) return then(...args);
    isFirst = false;
    throw new ReceiptdError(code, 'Another agent has it.');
  };
}

describe('an upload request of a fleet', () => {
  it('waits until the limits of the fleet allow it, and does not ask earlier', async () => {
    const place = await sharedSending();
    place.fleet.waits = [7_000];
    await place.admit('a.jpg');
    const rate = { count: 2, intervalMs: 1_000 };
    await place.start({ endpoints: [{ key: OFFICE, limits: { rate } }] });
    await place.clock.advance(6_900);
    expect(place.fleet.entered).toHaveLength(1);
    expect(place.fleet.entered[0]).toMatchObject({ rate });
    expect(place.service.asked).toHaveLength(0);
    await place.clock.advance(1_000);
    expect(place.fleet.entered).toHaveLength(2);
    expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'accepted', attempts: 1 });
  });

  it.each([
    [60_000, [7_000, 7_500, 8_000]],
    [1_000, [7_000, 7_050, 7_100]],
  ])('asks again at a random time within a tenth of a window of %i ms', async (intervalMs, leftAt) => {
    const left: number[] = [];
    for (const drawn of [0, 0.5, 1]) {
      const place = await sharedSending();
      place.fleet.waits = [7_000];
      await place.admit('a.jpg');
      const endpoints = [{ key: OFFICE, limits: { rate: { count: 2, intervalMs } } }];
      const begun = place.clock.now();
      await place.start({ endpoints, random: () => drawn });
      while (place.fleet.entered.length < 2 && place.clock.now() < begun + 20_000)
        await place.clock.advance(10);
      left.push(place.clock.now() - begun);
    }
    // The clock advances in steps.
    expect(left.map((at, index) => at - leftAt[index]!).every((late) => late >= 0 && late < 50)).toBe(true);
  });

  it('asks for no permission if the endpoint has no limits', async () => {
    const place = await sharedSending();
    await place.admit('a.jpg');
    await place.start();
    await place.clock.advance(100);
    expect(place.fleet.entered).toEqual([]);
    expect(place.service.asked).toHaveLength(1);
  });

  it('is not sent if the lease expires after it was recorded, and is sent under the next lease', async () => {
    const place: Awaited<ReturnType<typeof sharedSending>> = await sharedSending((ledger) => ({
      begin: async (...args) => {
        const attempt = await ledger.begin(...args);
        if ((await ledger.document(args[0]))?.attempts === 1) place.fleet.leased = false;
        return attempt;
      },
    }));
    const { id } = await place.admit('a.jpg');
    await place.start();
    await place.clock.advance(3_000);
    expect(place.service.asked).toHaveLength(0);
    const detail = await place.ledger.detail(id);
    expect(detail?.document).toMatchObject({ state: 'queued', reason: 'LEASE_LOST', answerLost: false });
    expect(detail?.attempts.map(({ outcome }) => outcome)).toEqual(['notSent']);
    expect(await place.ledger.holds()).toEqual([]);
    place.fleet.leased = true;
    await place.clock.advance(2_000);
    expect(await place.ledger.document(id)).toMatchObject({ state: 'accepted', attempts: 2 });
    expect(place.service.asked).toHaveLength(1);
  });

  it('is not sent under a later lease than the one it was recorded under, since another agent may have taken it over', async () => {
    const place = await sharedSending();
    const { id } = await place.admit('a.jpg');
    place.fleet.isRenewed = true;
    await place.start();
    await place.clock.advance(200);
    expect(place.service.asked).toHaveLength(0);
    const detail = await place.ledger.detail(id);
    expect(detail?.attempts[0]).toMatchObject({ outcome: 'notSent' });
    expect(detail?.document).toMatchObject({ answerLost: false });
  });

  it.each(['DOCUMENT_TAKEN', 'AGENT_FENCED'] as const)(
    'is dropped without an error if another agent has taken the document over (%s)',
    async (code) => {
      const place = await sharedSending((ledger) => ({
        begin: once(code, (...args: Parameters<Ledger['begin']>) => ledger.begin(...args)),
      }));
      await place.admit('a.jpg');
      await place.start();
      await place.clock.advance(200);
      expect(errors(place.log)).toEqual([]);
      expect(place.log.said('Another agent has taken a document over')).toHaveLength(1);
      expect(place.service.asked).toHaveLength(0);
    },
  );

  it('leaves its attempt to the agent that took it over if the answer arrives after the lease was lost', async () => {
    const place = await sharedSending((ledger) => ({
      finish: once('AGENT_FENCED', (...args: Parameters<Ledger['finish']>) => ledger.finish(...args)),
    }));
    const { id } = await place.admit('a.jpg');
    await place.start();
    await place.clock.advance(60_000);
    expect(errors(place.log)).toEqual([]);
    // Nobody took it over here, so it is as this agent left it.
    const detail = await place.ledger.detail(id);
    expect(detail?.document.state).toBe('uploading');
    expect(detail?.attempts.map(({ finishedAt }) => finishedAt)).toEqual([null]);
    expect(place.service.asked).toHaveLength(1);
  });

  it('reports a document without bytes as lost only if the ledger marked it as lost', async () => {
    const given = { at: 0 };
    const place = await sharedSending((ledger) => ({
      markLost: async (id, _message, at) => {
        given.at = at;
        await ledger.postpone(
          id,
          at + 600_000,
          'BYTES_ELSEWHERE',
          'The agent that admitted it has them.',
          at,
        );
      },
    }));
    const { id } = await place.admit('a.jpg');
    await rm(join(place.scans, 'a.jpg'));
    await place.start();
    await place.clock.advance(60_000);
    expect(given.at).toBeGreaterThan(0);
    expect(await place.ledger.document(id)).toMatchObject({ state: 'queued', reason: 'BYTES_ELSEWHERE' });
    expect(errors(place.log)).toEqual([]);
  });
});

describe('what other agents change', () => {
  it('a paused agent sends nothing, says who paused it, and continues once it is resumed', async () => {
    const place = await sharedSending();
    place.fleet.paused = { by: 'anna', since: place.clock.now() };
    await place.admit('a.jpg');
    const watching = place.watch(await place.start());
    await place.clock.advance(5_000);
    expect(place.service.asked).toHaveLength(0);
    expect(watching.notes().map(noteText)).toEqual([
      expect.stringMatching(/^This agent is paused by anna since .*`receiptd fleet resume here`/),
    ]);
    place.fleet.paused = null;
    await place.clock.advance(2_000);
    expect(watching.notes()).toEqual([]);
    expect(place.service.asked).toHaveLength(1);
  });

  it('an agent that is paused releases its claimed documents to the others', async () => {
    const claims = new Set<number>();
    const place = await sharedSending((ledger) => ({
      claim: async (query) => {
        const claimed = await ledger.claim(query);
        for (const { id } of claimed) claims.add(id);
        return claimed;
      },
      release: async (ids) => {
        await ledger.release(ids);
        for (const id of ids) claims.delete(id);
      },
    }));
    const all = [];
    for (const name of ['a', 'b', 'c', 'd']) all.push(await place.admit(`${name}.jpg`));
    const { answer, give } = pending();
    place.service.script = (request, asked) => (asked.length === 1 ? answer : accept(request));
    place.watch(await place.start({ overall: { concurrency: 1 } }));
    await place.clock.advance(500);
    expect(claims.size).toBe(4);
    await place.fleet.setPaused('here', 'anna');
    await place.clock.advance(2_000);
    // Its request is still in flight.
    expect([...claims]).toEqual([all[0]?.id]);
    give(fault('ECONNRESET', true));
    await place.fleet.setPaused('here', null);
    await place.clock.advance(300);
    // For this agent, the service does not answer.
    expect([...claims]).toEqual([all[0]?.id]);
    await place.clock.advance(120_000);
    for (const { id } of all) expect(await place.ledger.document(id)).toMatchObject({ state: 'accepted' });
  });

  it('a pause by another agent takes effect at the signal, and so does its end', async () => {
    const place = await sharedSending();
    const sending = await place.start();
    place.watch(sending);
    await place.clock.advance(1_000);
    const key = `${OFFICE.baseUrl}#${OFFICE.uid}`;
    await place.ledger.putHold({
      scope: 'endpoint',
      key,
      reason: 'PAUSED',
      message: 'Paused by anna.',
      since: place.clock.now(),
      until: null,
      demandedUntil: null,
    });
    place.fleet.signal('holds');
    await place.clock.advance(200);
    await place.admit('a.jpg');
    sending.dispatcher.wake();
    await place.clock.advance(1_000);
    expect(place.service.asked).toHaveLength(0);
    await place.ledger.clearHold('endpoint', key, 'PAUSED');
    place.fleet.signal('holds');
    await place.clock.advance(200);
    expect(place.service.asked).toHaveLength(1);
  });

  it('a hold of another agent applies here too, until that agent has had time to retry or has ended the hold', async () => {
    const asked: Hold[] = [];
    const place = await sharedSending((ledger) => ({
      holds: async () => [...(await ledger.holds()), ...asked],
    }));
    const sending = await place.start();
    place.watch(sending);
    await place.clock.advance(1_000);
    const since = place.clock.now();
    const told: Hold = {
      scope: 'endpoint',
      key: `${OFFICE.baseUrl}#${OFFICE.uid}`,
      reason: 'HTTP_429',
      message: 'The service asked receiptd to slow down.',
      since,
      until: since + 20_000,
      demandedUntil: since + 20_000,
      agent: 'elsewhere',
      leftMs: 20_000,
    };
    asked.push(told);
    place.fleet.signal('holds');
    await place.clock.advance(1);
    await place.admit('a.jpg');
    sending.dispatcher.wake();
    await place.clock.advance(1_000);
    asked.splice(0, 1, { ...told, leftMs: -1 });
    await place.clock.advance(19_900);
    expect(place.service.asked).toHaveLength(0);
    await place.clock.advance(3_100);
    expect(place.service.asked).toHaveLength(1);
    // The other agent shows and ends it.
    expect(await place.ledger.holds()).toEqual([]);

    asked.splice(0, 1, { ...told, leftMs: 3_600_000 });
    place.fleet.signal('holds');
    await place.clock.advance(1);
    await place.admit('b.jpg');
    sending.dispatcher.wake();
    await place.clock.advance(60_000);
    expect(place.service.asked).toHaveLength(1);
    asked.pop();
    place.fleet.signal('holds');
    await place.clock.advance(200);
    expect(place.service.asked).toHaveLength(2);
  });

  it('a request waits for the end of the hold if the ledger refuses it because another agent put the service on hold', async () => {
    const asked: Hold[] = [];
    const place = await sharedSending((ledger) => ({
      holds: async () => [...(await ledger.holds()), ...asked],
      begin: async (...args: Parameters<Ledger['begin']>) => {
        if (asked.length > 0) throw new ReceiptdError('DOCUMENT_HELD', 'Another agent has found it on hold.');
        return ledger.begin(...args);
      },
    }));
    const since = place.clock.now();
    const why = { reason: 'HTTP_503', message: 'Busy.', since, until: since + 20_000, demandedUntil: null };
    asked.push({ scope: 'service', key: OFFICE.baseUrl, ...why, agent: 'elsewhere', leftMs: 20_000 });
    const { id } = await place.admit('a.jpg');
    const sending = await place.start();
    place.watch(sending);
    await place.clock.advance(15_000);
    expect(place.service.asked).toHaveLength(0);
    expect(await place.ledger.document(id)).toMatchObject({
      state: 'queued',
      attempts: 0,
      answerLost: false,
    });
    expect(errors(place.log)).toEqual([]);
    asked.pop();
    place.fleet.signal('holds');
    await place.clock.advance(200);
    expect(await place.ledger.document(id)).toMatchObject({ state: 'accepted', attempts: 1 });
  });

  it('holds that the service causes are shared with the fleet; network failures of one agent are not', async () => {
    const shared: [string, number | undefined][] = [];
    const place = await sharedSending((ledger) => ({
      putHold: (hold, sharedMs) => {
        shared.push([hold.reason, sharedMs]);
        return ledger.putHold(hold);
      },
    }));
    const answers = [fault('ECONNREFUSED', false), status(503), status(429, '', 30_000), status(403)];
    place.service.script = (request) => answers.shift() ?? accept(request);
    await place.admit('a.jpg');
    await place.start({ random: () => 1 });
    for (let step = 0; step < 60; step += 1) await place.clock.advance(5_000);
    expect(shared).toEqual([
      ['ECONNREFUSED', undefined],
      ['HTTP_503', expect.any(Number)],
      ['HTTP_429', 30_000],
      ['HTTP_403', 60_000],
    ]);
    const [, [, afterError = 0] = []] = shared;
    expect(afterError).toBeGreaterThan(250);
    expect(afterError).toBeLessThan(5_000);
  });

  it('documents that another agent queued are sent at the signal, or within a quarter of an hour if the signal was lost', async () => {
    const place = await sharedSending();
    place.watch(await place.start());
    await place.clock.advance(1_000);
    await place.admit('a.jpg');
    await place.clock.advance(1_000);
    expect(place.service.asked).toHaveLength(0);
    place.fleet.signal('queue');
    await place.clock.advance(200);
    expect(place.service.asked).toHaveLength(1);
    await place.admit('b.jpg');
    await place.clock.advance(15 * 60_000);
    expect(place.service.asked).toHaveLength(2);
  });

  it('earlier claims are released once the ledger is reachable again', async () => {
    const released: number[] = [];
    const place = await sharedSending((ledger) => ({
      release: async (ids) => {
        released.push(...ids);
        await ledger.release(ids);
      },
    }));
    const first = await place.admit('a.jpg');
    const second = await place.admit('b.jpg');
    const { answer, give } = pending();
    place.service.script = (request, asked) => (asked.length === 1 ? answer : accept(request));
    const sending = await place.start({ overall: { concurrency: 1 } });
    place.watch(sending);
    await place.clock.advance(500);
    place.storage.become(UNREACHABLE);
    await place.clock.advance(500);
    expect(released).toEqual([]);
    place.storage.become(null);
    await place.clock.advance(500);
    expect(released).toEqual([second.id]);
    give(accept({ ...first, bytes: Buffer.of(), mediaType: '', token: '' }));
    await place.clock.advance(3_000);
    for (const { id } of [first, second])
      expect(await place.ledger.document(id)).toMatchObject({ state: 'accepted' });
  });
});

describe('a shared folder', () => {
  async function shared(trouble: StorageTrouble | null = null) {
    const place = await watchingPlace();
    const fleet = new FakeFleet();
    const storage = storageOf();
    storage.become(trouble);
    const created = place.create({ ledger: (real) => ({ ...real, fleet, storage }) });
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
    expect(place.intake.status.message).toBe('Agent there picks up its scans.');
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
    expect(place.intake.status.message).toBe(
      "Agent there picks up its scans. The folder can't be reached from here.",
    );
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

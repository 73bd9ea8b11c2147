import { describe, expect, it } from 'vitest';
import { noteText } from '../../src/core/domain/note.ts';
import type { Hold } from '../../src/core/domain/hold.ts';
import { OFFICE } from '../flow/sending.ts';
import { accept, fault, status } from '../support/scriptedService.ts';
import { beginning, errors, sharedSending } from './sharedAgent.ts';

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
      message: 'anna',
      since: place.clock.now(),
      until: null,
      demandedUntil: null,
    });
    place.fleet.signal('holds');
    await place.clock.advance(200);
    await place.admit('a.jpg');
    sending.flow.wake();
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
    sending.flow.wake();
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
    sending.flow.wake();
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
      record: (take) =>
        beginning(
          ledger,
          asked.map(() => ({ kind: 'held', name: 'doc-a.jpg', scope: 'service', until: null })),
        )(take),
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
});

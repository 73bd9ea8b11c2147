/** Is the document at fault, its endpoint, or the service? */
import { expect, describe, it } from 'vitest';
import type { Answer } from '../../src/core/domain/outcome.ts';
import type { UploadRequest } from '../../src/core/ports/service.ts';
import { accept, fault, pending, status } from '../support/scriptedService.ts';
import { forTimes, OFFICE, sendingPlace, unrecorded } from './sending.ts';

describe('rejections while the ledger cannot be written', () => {
  it('still count together, and none of five documents stays failed', async () => {
    const place = await sendingPlace(5);
    // The first answers are written after the last one.
    const failures = forTimes(2);
    const wrap = unrecorded(({ ends }) => ends.length > 0 && failures());
    place.service.script = () => status(400, 'bad');
    await place.start({
      overall: { concurrency: 5 },
      endpoints: [{ key: OFFICE, limits: { concurrency: 5 } }],
      wrap,
    });
    await place.clock.advance(10_000);
    const counts = (await place.ledger.counts()).filter(({ count }) => count > 0);
    expect(counts.map(({ state }) => state)).not.toContain('failed');
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'endpoint', reason: 'MANY_REFUSALS' }]);
  });
});

describe('many rejections in a row', () => {
  it('are forgotten by nobody if an acceptance is recorded together with the last one', async () => {
    const place = await sendingPlace(6);
    const [good, bad] = [pending(), pending()];
    const answers = new Map([
      ['doc-4.jpg', good],
      ['doc-5.jpg', bad],
    ]);
    let isUp = false;
    place.service.script = (request) =>
      isUp ? accept(request) : (answers.get(request.name)?.answer ?? status(400, 'bad'));
    let write = (): void => {};
    let until = Promise.resolve();
    const limits = { concurrency: 6 };
    const sending = await place.start({
      overall: limits,
      endpoints: [{ key: OFFICE, limits }],
      wrap: (ledger) => ({
        ...ledger,
        record: async (take) => {
          await until;
          return ledger.record(take);
        },
      }),
    });
    await place.clock.advance(1_000);
    until = new Promise((resolve) => (write = resolve));
    good.give(accept({ name: 'doc-4.jpg', endpoint: OFFICE } as Parameters<typeof accept>[0]));
    await place.clock.advance(1);
    bad.give(status(400, 'bad'));
    await place.clock.advance(1);
    isUp = true;
    write();
    await place.clock.advance(5 * 60_000);
    expect(sending.accepted).toHaveLength(6);
    expect(place.log.said('Refused by the service')).toHaveLength(4);
  });

  it('hold the endpoint without failing a document, until a probe succeeds', async () => {
    const place = await sendingPlace(5);
    let broken = true;
    place.service.script = (request) => (broken ? status(400, 'bad') : accept(request));
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(10_000);
    expect(place.service.asked).toHaveLength(5);
    for (let i = 0; i < 5; i += 1) {
      expect(await place.document(`doc-${i}.jpg`)).toMatchObject({
        state: 'queued',
        reason: 'MANY_REFUSALS',
      });
    }
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'endpoint', reason: 'MANY_REFUSALS' }]);
    broken = false;
    await place.clock.advance(2 * 60_000);
    expect(sending.accepted).toHaveLength(5);
  });

  it('are probed with one document after the other: the first may be the only bad one', async () => {
    const place = await sendingPlace();
    for (const name of ['bad.jpg', '1.jpg', '2.jpg', '3.jpg', '4.jpg']) await place.admit(name);
    let broken = true;
    place.service.script = (request) =>
      broken || request.name.includes('bad') ? status(422, 'bad') : accept(request);
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(10_000);
    broken = false;
    await place.clock.advance(5 * 60_000);
    expect(sending.accepted).toHaveLength(4);
    expect(await place.document('doc-bad.jpg')).toMatchObject({ state: 'failed' });
  });

  it('fail their documents after all once others succeed', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 5; i += 1) await place.admit(`bad${i}.jpg`);
    for (let i = 0; i < 5; i += 1) await place.admit(`good${i}.jpg`);
    place.service.script = (request) => (request.name.includes('bad') ? status(422, 'bad') : accept(request));
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(3 * 3_600_000);
    expect(sending.accepted).toHaveLength(5);
    for (let i = 0; i < 5; i += 1)
      expect(await place.document(`doc-bad${i}.jpg`)).toMatchObject({ state: 'failed' });
    expect(await place.ledger.holds()).toEqual([]);
  });
});

it('a refused document that is queued again while its image is still being copied is sent again', async () => {
  const place = await sendingPlace();
  const { id } = await place.admit('a.jpg');
  let write = (): void => {};
  const until = new Promise<void>((resolve) => (write = resolve));
  place.service.script = () => status(422, 'bad');
  const { flow, accepted } = await place.start({ keeping: { mode: 'auto', beforePut: () => until } });
  await place.clock.advance(100);
  expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'failed' });
  place.service.script = accept;
  await place.ledger.retry([id], place.clock.now());
  flow.wake();
  await place.clock.advance(100);
  write();
  await place.clock.advance(1_000);
  expect(accepted).toEqual(['doc-a.jpg']);
});

it('a document that was accepted and is sent again is unconfirmed, not failed, if the service refuses its name', async () => {
  const place = await sendingPlace();
  const { id } = await place.admit('a.jpg');
  const { flow } = await place.start();
  await place.clock.advance(100);
  expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'accepted' });
  place.service.script = () => status(422, 'The name is taken.');
  await place.ledger.resend(id, place.clock.now());
  flow.wake();
  await place.clock.advance(100);
  expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'unconfirmed' });
});

describe('a document that is always answered oddly', () => {
  it.each<[what: string, odd: (request: UploadRequest) => Answer, scansEveryMs: number]>([
    ['500', () => status(500), 10_000],
    ['a reset', () => fault('ECONNRESET', true), 10_000],
    ['its name escaped', (request) => accept({ ...request, name: `${request.name}&amp;` }), 10_000],
    ['a page that blocks it', () => status(200, '<html>Blocked</html>'), 10_000],
    ['407', () => status(407), 10_000],
    // These hold the endpoint for a minute and longer.
    ['403', () => status(403), 150_000],
    ['418', () => status(418), 150_000],
  ])('(%s) is parked and blocks no other', async (_, odd, scansEveryMs) => {
    const place = await sendingPlace(['poison.jpg']);
    place.service.script = (request) => (request.name.includes('poison') ? odd(request) : accept(request));
    const sending = await place.start({ parkAfter: 3 });
    for (let i = 0; i < 10; i += 1) {
      await place.admit(`${i}.jpg`);
      sending.flow.wake();
      await place.clock.advance(scansEveryMs);
      expect(sending.accepted).toHaveLength(i + 1);
    }
    expect(await place.document('doc-poison.jpg')).toMatchObject({
      state: 'queued',
      reason: 'PARKED',
    });
    const tries = () => place.service.asked.filter(({ name }) => name.includes('poison')).length;
    const before = tries();
    await place.clock.advance(3_600_000);
    expect(tries() - before).toBe(1);
    expect(await place.ledger.holds()).toEqual([]);
    expect(place.log.said('Set aside').length).toBeGreaterThan(0);
  });

  it('blocks others only for as long as the service asks all clients to wait', async () => {
    const place = await sendingPlace(['poison.jpg']);
    const isPoison = (name: string) => name.includes('poison');
    place.service.script = ({ name, ...request }, asked) => {
      if (!isPoison(name)) return accept({ name, ...request });
      const tries = asked.filter((each) => isPoison(each.name)).length;
      return status(503, '', tries < 3 ? null : 60_000);
    };
    const sending = await place.start({ parkAfter: 3 });
    let sent = 0;
    const scan = async (): Promise<void> => {
      await place.admit(`${(sent += 1)}.jpg`);
      sending.flow.wake();
    };
    const reason = async () => (await place.document('doc-poison.jpg')).reason;
    for (let n = 0; n < 1_000 && (await reason()) !== 'PARKED'; n += 1) {
      if (sent < 200) await scan();
      await place.clock.advance(500);
    }
    expect(await reason()).toBe('PARKED');
    const parkedAt = sending.accepted.length;
    await scan();
    await place.clock.advance(40_000);
    expect(sending.accepted).toHaveLength(parkedAt);
    await place.clock.advance(30_000);
    expect(sending.accepted.length).toBeGreaterThan(parkedAt);
  });
});

it('an outage parks no document, however often each of them fails', async () => {
  const place = await sendingPlace(3);
  place.service.script = () => status(503);
  const sending = await place.start({ parkAfter: 2 });
  await place.clock.advance(30 * 60_000);
  expect(place.service.asked.length).toBeGreaterThan(6);
  expect(place.log.said('Set aside')).toEqual([]);
  place.service.script = accept;
  await place.clock.advance(10 * 60_000);
  expect(sending.accepted).toHaveLength(3);
});

it('an odd answer soon after an outage parks no document', async () => {
  const place = await sendingPlace(3);
  place.service.script = () => status(503);
  const sending = await place.start({ parkAfter: 3 });
  await place.clock.advance(30 * 60_000);
  let asked = 0;
  place.service.script = (request) => ((asked += 1) === 2 ? status(500) : accept(request));
  await place.clock.advance(20 * 60_000);
  expect(asked).toBeGreaterThan(1);
  expect(sending.accepted).toHaveLength(3);
});

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { BeginAnswer, BeginItem } from '../../src/core/messages.ts';
import { status } from '../support/scriptedService.ts';
import { ACCEPTANCE } from '../contract/ledger/support.ts';
import { begin, finish } from '../support/uploads.ts';
import { OFFICE, unrecorded } from '../flow/sending.ts';
import { beginning, errors, sharedSending } from './sharedAgent.ts';

describe('an upload request of a fleet', () => {
  it('waits until the limits of the fleet allow it, and does not ask earlier', async () => {
    const limited: BeginAnswer[] = [{ kind: 'limited', waitMs: 7_000 }];
    const asked: BeginItem[] = [];
    const place = await sharedSending((ledger) => ({ record: beginning(ledger, limited, asked) }));
    await place.admit('a.jpg');
    const rate = { count: 2, intervalMs: 1_000 };
    await place.start({ endpoints: [{ key: OFFICE, limits: { rate } }] });
    await place.clock.advance(6_900);
    expect(asked).toMatchObject([{ limit: { count: 2, windowMs: 1_050 }, budgets: [] }]);
    expect(place.service.asked).toHaveLength(0);
    await place.clock.advance(1_000);
    expect(asked).toHaveLength(2);
    expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'accepted', attempts: 1 });
  });

  it.each([
    [60_000, [7_000, 7_500, 8_000]],
    [1_000, [7_000, 7_050, 7_100]],
  ])('asks again at a random time within a tenth of a window of %i ms', async (intervalMs, leftAt) => {
    const left: number[] = [];
    for (const drawn of [0, 0.5, 1]) {
      const limited: BeginAnswer[] = [{ kind: 'limited', waitMs: 7_000 }];
      const asked: BeginItem[] = [];
      const place = await sharedSending((ledger) => ({ record: beginning(ledger, limited, asked) }));
      await place.admit('a.jpg');
      const endpoints = [{ key: OFFICE, limits: { rate: { count: 2, intervalMs } } }];
      const begun = place.clock.now();
      await place.start({ endpoints, random: () => drawn });
      while (asked.length < 2 && place.clock.now() < begun + 20_000) await place.clock.advance(10);
      left.push(place.clock.now() - begun);
    }
    // The clock advances in steps.
    expect(left.map((at, index) => at - leftAt[index]!).every((late) => late >= 0 && late < 50)).toBe(true);
  });

  it('is not sent if the lease expires after it was recorded, and is sent under the next lease', async () => {
    let isFirst = true;
    const place: Awaited<ReturnType<typeof sharedSending>> = await sharedSending((ledger) => ({
      record: async (take) => {
        const recorded = await ledger.record(take);
        const [begun] = recorded.begun.answers ?? [];
        if (begun !== undefined && isFirst) place.fleet.leased = isFirst = false;
        return recorded;
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

  it('is dropped without an error if another agent has taken the document over', async () => {
    const taken: BeginAnswer[] = [{ kind: 'taken', name: 'doc-a.jpg' }];
    const place = await sharedSending((ledger) => ({ record: beginning(ledger, taken) }));
    await place.admit('a.jpg');
    await place.start();
    await place.clock.advance(200);
    expect(errors(place.log)).toEqual([]);
    expect(place.log.said('Another agent has taken a document over')).toHaveLength(1);
  });

  it.each(['begins', 'ends'] as const)(
    'is left to the agent that took it over if the lease was lost (%s)',
    async (which) => {
      const fenced = new ReceiptdError({ code: 'AGENT_FENCED', message: 'Another agent has it.' });
      let isFirst = true;
      const lost = unrecorded((uploads) => {
        const isMeant = isFirst && uploads[which].length > 0;
        if (isMeant) isFirst = false;
        return isMeant;
      }, fenced);
      const place = await sharedSending((ledger) => ({ record: (take) => lost(ledger).record(take) }));
      const { id } = await place.admit('a.jpg');
      await place.start();
      await place.clock.advance(60_000);
      expect(errors(place.log)).toEqual([]);
      expect(place.log.said('Another agent has taken a document over')).toHaveLength(1);
      // Nobody took it over here: what was not begun is begun again, and what was sent is as this agent left it.
      expect((await place.ledger.document(id))?.state).toBe(which === 'begins' ? 'accepted' : 'uploading');
      expect(place.service.asked).toHaveLength(1);
    },
  );

  it('is made of the document as it is by then: another agent may have sent it since it was read', async () => {
    let isFirst = true;
    const place: Awaited<ReturnType<typeof sharedSending>> = await sharedSending((ledger) => ({
      heads: async (wanted) => {
        const heads = await ledger.heads(wanted);
        const id = heads[0]?.documents[0]?.id;
        if (!isFirst || id === undefined) return heads;
        isFirst = false;
        const at = place.clock.now() + 1;
        const lost = {
          state: 'queued',
          notBefore: 0,
          reason: 'R',
          message: 'm',
          isOdd: false,
        } as const;
        await finish(ledger, await begin(ledger, id, at, 1), {
          at,
          outcome: 'unknown',
          httpStatus: null,
          message: null,
          transition: { ...lost, answerLost: true },
        });
        return heads;
      },
    }));
    const { id } = await place.admit('a.jpg');
    place.service.script = () => status(422);
    await place.start();
    await place.clock.advance(1_000);
    expect(place.service.asked).toHaveLength(1);
    expect(await place.ledger.document(id)).toMatchObject({ state: 'unconfirmed', attempts: 2 });
    expect(errors(place.log)).toHaveLength(1);
  });

  it('is not made, and is no error, if the document was accepted and its file deleted since it was read', async () => {
    let isFirst = true;
    const place: Awaited<ReturnType<typeof sharedSending>> = await sharedSending((ledger) => ({
      heads: async (wanted) => {
        const heads = await ledger.heads(wanted);
        const id = heads[0]?.documents[0]?.id;
        if (!isFirst || id === undefined) return heads;
        isFirst = false;
        await finish(ledger, await begin(ledger, id, place.clock.now() + 1, 1), ACCEPTANCE);
        await rm(join(place.scans, 'a.jpg'));
        return heads;
      },
    }));
    const { id } = await place.admit('a.jpg');
    const { flow } = await place.start();
    await place.clock.advance(1_000);
    expect(place.service.asked).toEqual([]);
    expect(flow.inFlight).toBe(0);
    expect(errors(place.log)).toEqual([]);
    expect(await place.ledger.document(id)).toMatchObject({ state: 'accepted' });
  });

  it('is no error if another agent takes the document over while this one tries to queue it again', async () => {
    const place = await sharedSending((ledger) => ({
      record: async (take) => {
        const { ends, begins } = take();
        const { begun } = await ledger.record(() => ({ ends: [], begins }));
        return { ended: { answers: ends.map(() => ({ isDone: false })) }, begun };
      },
    }));
    await place.admit('a.jpg');
    place.service.script = () => {
      throw new Error('a defect');
    };
    await place.start();
    await place.clock.advance(60_000);
    expect(place.log.said('A delivery could not continue')).toHaveLength(1);
    expect(errors(place.log)).toHaveLength(1);
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

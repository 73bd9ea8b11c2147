/** From an answer of the service to what the ledger says, through the flow. */
import { expect, describe, it } from 'vitest';
import type { Answer } from '../../src/core/domain/outcome.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { accept, fault, status } from '../support/scriptedService.ts';
import { failing, sendingPlace, unrecorded } from './sending.ts';

describe('the first answer', () => {
  const record = JSON.stringify({ name: 'other', endpointUid: 'office', status: 'NEW' });
  const rows: [string, Answer, object, string | null, string][] = [
    ['403', status(403), { state: 'queued', reason: 'HTTP_403' }, 'endpoint', 'trouble'],
    ['404', status(404), { state: 'queued', reason: 'HTTP_404' }, 'endpoint', 'trouble'],
    ['410', status(410), { state: 'queued', reason: 'HTTP_410' }, 'endpoint', 'trouble'],
    ['402', status(402), { state: 'queued', reason: 'HTTP_402' }, 'endpoint', 'limited'],
    ['429', status(429), { state: 'queued', reason: 'HTTP_429' }, 'endpoint', 'limited'],
    ['418', status(418), { state: 'queued', reason: 'HTTP_418', answerLost: false }, 'endpoint', 'trouble'],
    ['202', status(202), { state: 'queued', reason: 'HTTP_202', answerLost: true }, 'endpoint', 'unknown'],
    ['400', status(400, 'no'), { state: 'failed', reason: 'HTTP_400' }, null, 'refused'],
    ['413', status(413), { state: 'failed', reason: 'HTTP_413' }, null, 'refused'],
    ['415', status(415), { state: 'failed', reason: 'HTTP_415' }, null, 'refused'],
    ['422', status(422), { state: 'failed', reason: 'HTTP_422' }, null, 'refused'],
    ['409', status(409), { state: 'unconfirmed', reason: 'HTTP_409' }, null, 'refused'],
    [
      'another name',
      status(200, record),
      { state: 'queued', reason: 'NOT_THE_SERVICE', answerLost: true, oddAnswers: 1 },
      'service',
      'unknown',
    ],
    [
      'HTML',
      status(200, '<html>'),
      { state: 'queued', reason: 'NOT_THE_SERVICE', answerLost: true, oddAnswers: 1 },
      'service',
      'unknown',
    ],
    [
      '302',
      status(302),
      { state: 'queued', reason: 'REDIRECT', answerLost: true, oddAnswers: 1 },
      'service',
      'unknown',
    ],
    [
      '407',
      status(407),
      { state: 'queued', reason: 'HTTP_407', answerLost: false, oddAnswers: 1 },
      'service',
      'trouble',
    ],
    [
      '408',
      status(408),
      { state: 'queued', reason: 'HTTP_408', answerLost: true, oddAnswers: 1 },
      'service',
      'unknown',
    ],
    [
      '500',
      status(500),
      { state: 'queued', reason: 'HTTP_500', answerLost: true, oddAnswers: 1 },
      'service',
      'unknown',
    ],
    ['503', status(503), { state: 'queued', reason: 'HTTP_503', oddAnswers: 1 }, 'service', 'unknown'],
    [
      'refused connection',
      fault('ECONNREFUSED', false),
      { state: 'queued', reason: 'ECONNREFUSED', answerLost: false, oddAnswers: 0 },
      'service',
      'notSent',
    ],
    [
      'cut connection',
      fault('ECONNRESET', true),
      { state: 'queued', reason: 'ECONNRESET', answerLost: true, oddAnswers: 1 },
      'service',
      'unknown',
    ],
  ];

  it.each(rows)(
    '%s leads to the right state, hold and recorded attempt',
    async (_, answer, document, scope, outcome) => {
      const place = await sendingPlace(['a.jpg']);
      place.service.script = () => answer;
      await place.start();
      await place.clock.advance(100);
      expect(place.service.asked).toHaveLength(1);
      expect(await place.document('doc-a.jpg')).toMatchObject({ attempts: 1, ...document });
      expect((await place.ledger.holds()).map((hold) => hold.scope)).toEqual(scope === null ? [] : [scope]);
      expect((await place.attempts('doc-a.jpg')).map((attempt) => attempt.outcome)).toEqual([outcome]);
    },
  );
});

describe('a limit set by the service', () => {
  it.each([
    { name: 'for an endpoint', httpStatus: 429 },
    { name: 'for all', httpStatus: 503 },
  ])('$name is obeyed from the answer on, even if it cannot be recorded yet', async ({ httpStatus }) => {
    const place = await sendingPlace(['0.jpg']);
    place.service.script = (request, asked) =>
      asked.length === 1 ? status(httpStatus, 'slowly', 45_000) : accept(request);
    let broken = true;
    const hold = failing(['putHold'], () => broken);
    const ends = unrecorded((uploads) => uploads.ends.length > 0 && broken);
    const wrap = (ledger: Ledger) => hold(ends(ledger));
    const sending = await place.start({ wrap });
    await place.clock.advance(1_000);
    const { id } = await place.admit('1.jpg');
    sending.flow.wake();
    await place.clock.advance(9_000);
    expect(place.service.asked).toHaveLength(1);
    expect(await place.ledger.holds()).toEqual([]);
    broken = false;
    await place.clock.advance(34_000);
    expect(place.service.asked).toHaveLength(1);
    // The next start knows of it.
    expect(await place.ledger.holds()).toMatchObject([
      { reason: `HTTP_${httpStatus}`, demandedUntil: expect.any(Number) },
    ]);
    await place.clock.advance(2_000);
    expect((await place.ledger.detail(id))?.document.state).toBe('accepted');
    expect(sending.accepted.toSorted()).toEqual(['doc-0.jpg', 'doc-1.jpg']);
    expect(await place.ledger.holds()).toEqual([]);
  });
});

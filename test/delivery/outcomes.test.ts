/** From an answer of the service to what the ledger says, through the dispatcher. */
import { expect, describe, it } from 'vitest';
import type { Answer } from '../../src/core/domain/outcome.ts';
import { openSqliteReports } from '../../src/ledger/sqlite/open.ts';
import { accept, fault, status } from '../support/scriptedService.ts';
import { failing, OFFICE, sendingPlace } from './sending.ts';

describe('a request', () => {
  it('is recorded in the ledger before it starts, under its issued name', async () => {
    const place = await sendingPlace();
    const { id } = await place.admit('a.jpg');
    const seen: unknown[] = [];
    place.service.script = async (request) => {
      const reports = await openSqliteReports({ path: place.path });
      const detail = await reports.detail(id);
      seen.push({ ...detail?.attempts[0], state: detail?.document.state, name: request.name });
      await reports.close();
      return accept(request);
    };
    await place.start();
    await place.clock.advance(100);
    expect(seen).toMatchObject([
      { finishedAt: null, state: 'uploading', name: 'doc-a.jpg', bytes: 'the text of a.jpg'.length },
    ]);
    expect(await place.document('doc-a.jpg')).toMatchObject({
      state: 'accepted',
      serviceStatus: 'PROCESSING',
      attempts: 1,
      reason: null,
    });
  });

  it('stores the record of the service verbatim, with unknown fields', async () => {
    const place = await sendingPlace();
    const { id } = await place.admit('a.jpg');
    const body = '{"name":"doc-a.jpg",  "endpointUid":"office","status":"NEW","colour":"green"}';
    place.service.script = () => status(200, body);
    await place.start();
    await place.clock.advance(100);
    expect((await place.ledger.detail(id))?.response).toBe(body);
  });
});

describe('a result that arrives between claim and request', () => {
  it('prevents a resend after a lost response, and frees the slot for others', async () => {
    const place = await sendingPlace();
    const { id } = await place.admit('a.jpg');
    let requests = 0;
    place.service.script = (request) => {
      requests += 1;
      return requests === 1 ? fault('ECONNRESET', true) : accept(request);
    };
    const posted = { baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name: 'doc-a.jpg', status: 'DONE' };
    let begun = 0;
    const { spool, pacer, dispatcher } = await place.start({
      wrap: (ledger) => ({
        ...ledger,
        begin: async (...args) => {
          begun += 1;
          if (begun === 2)
            await ledger.recordResult({ ...posted, at: place.clock.now(), payload: Buffer.from('{}') });
          return ledger.begin(...args);
        },
      }),
    });
    await place.clock.advance(120_000);
    expect(begun).toBe(2);
    expect(requests).toBe(1);
    expect(await place.document('doc-a.jpg')).toMatchObject({
      state: 'accepted',
      serviceStatus: 'DONE',
      attempts: 1,
    });
    expect(place.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(spool.hashes()).toEqual([]);
    expect(pacer.delay(OFFICE, 'fresh').ms).toBe(0);
    await place.admit('b.jpg');
    await place.ledger.resend(id, place.clock.now());
    dispatcher.wake();
    await place.clock.advance(120_000);
    expect(await place.document('doc-b.jpg')).toMatchObject({ state: 'accepted' });
    expect(requests).toBe(3);
  });
});

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
      { state: 'queued', reason: 'NOT_THE_SERVICE', answerLost: true },
      'service',
      'unknown',
    ],
    [
      'HTML',
      status(200, '<html>'),
      { state: 'queued', reason: 'NOT_THE_SERVICE', answerLost: true },
      'service',
      'unknown',
    ],
    ['302', status(302), { state: 'queued', reason: 'REDIRECT', answerLost: true }, 'service', 'unknown'],
    ['407', status(407), { state: 'queued', reason: 'HTTP_407', answerLost: false }, 'service', 'trouble'],
    ['408', status(408), { state: 'queued', reason: 'HTTP_408', answerLost: true }, 'service', 'unknown'],
    [
      '500',
      status(500),
      { state: 'queued', reason: 'HTTP_500', answerLost: true, serverErrors: 1 },
      'service',
      'unknown',
    ],
    ['503', status(503), { state: 'queued', reason: 'HTTP_503', serverErrors: 1 }, 'service', 'unknown'],
    [
      'refused connection',
      fault('ECONNREFUSED', false),
      { state: 'queued', reason: 'ECONNREFUSED', answerLost: false },
      'service',
      'notSent',
    ],
    [
      'cut connection',
      fault('ECONNRESET', true),
      { state: 'queued', reason: 'ECONNRESET', answerLost: true },
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
    const wrap = failing(['finish', 'putHold'], () => broken);
    const sending = await place.start({ wrap });
    await place.clock.advance(1_000);
    const { id } = await place.admit('1.jpg');
    sending.dispatcher.wake();
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

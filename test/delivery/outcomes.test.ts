/** From an answer of the service to what the ledger says, through the dispatcher. */
import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, describe, it } from 'vitest';
import { endpointId, type EndpointKey } from '../../src/core/domain/document.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { Answer } from '../../src/core/domain/outcome.ts';
import { openSqliteReports } from '../../src/ledger/sqlite/open.ts';
import type { Ledger, LedgerStorage, StorageTrouble } from '../../src/core/ports/ledger.ts';
import { accept, fault, pending, ScriptedTokens, status } from '../support/scriptedService.ts';
import { documentOf, OFFICE, sendingPlace, SHOP, type Place } from './sending.ts';

async function stateOf(place: Place, name: string): Promise<string> {
  return (await documentOf(place.ledger, name)).state;
}

async function attemptsOf(place: Place, name: string) {
  const { id } = await documentOf(place.ledger, name);
  return (await place.ledger.detail(id))?.attempts ?? [];
}

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
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({
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
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({
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
    expect(await stateOf(place, 'doc-b.jpg')).toBe('accepted');
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
      const place = await sendingPlace();
      await place.admit('a.jpg');
      place.service.script = () => answer;
      await place.start();
      await place.clock.advance(100);
      expect(place.service.asked).toHaveLength(1);
      expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({ attempts: 1, ...document });
      expect((await place.ledger.holds()).map((hold) => hold.scope)).toEqual(scope === null ? [] : [scope]);
      expect((await attemptsOf(place, 'doc-a.jpg')).map((attempt) => attempt.outcome)).toEqual([outcome]);
    },
  );

  it.each([400, 409, 413, 415, 422, 418])(
    'that was lost makes a later %d unconfirmed, never failed',
    async (later) => {
      const place = await sendingPlace();
      await place.admit('a.jpg');
      place.service.script = (_, asked) => (asked.length === 1 ? fault('ECONNRESET', true) : status(later));
      await place.start();
      await place.clock.advance(10_000);
      expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({
        state: 'unconfirmed',
        answerLost: true,
        attempts: 2,
      });
      expect(new Set(place.service.asked.map(({ name }) => name))).toEqual(new Set(['doc-a.jpg']));
    },
  );
});

describe('a rejected token', () => {
  it('is renewed once, and the upload repeated under the same name, with both attempts in the ledger', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    place.service.script = (request) => (request.token === 'token-1' ? status(401) : accept(request));
    await place.start();
    await place.clock.advance(100);
    expect(place.service.asked.map(({ name, token }) => [name, token])).toEqual([
      ['doc-a.jpg', 'token-1'],
      ['doc-a.jpg', 'token-2'],
    ]);
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({
      state: 'accepted',
      attempts: 2,
      answerLost: false,
    });
    expect(await attemptsOf(place, 'doc-a.jpg')).toMatchObject([
      { outcome: 'trouble', httpStatus: 401 },
      { outcome: 'accepted', httpStatus: 200 },
    ]);
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('is renewed once for all requests', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 4; i += 1) await place.admit(`${i}.jpg`);
    place.service.script = async (request) => {
      await place.clock.sleep(10);
      return request.token === 'token-1' ? status(401) : accept(request);
    };
    const sending = await place.start();
    await place.clock.advance(100);
    expect(sending.accepted).toHaveLength(4);
    expect(place.tokens.issued).toBe(2);
    expect(place.service.asked).toHaveLength(8);
  });

  it('holds the credentials if the renewed one is rejected too, until a probe passes', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 3; i += 1) await place.admit(`${i}.jpg`);
    let right = false;
    place.service.script = (request) => (right ? accept(request) : status(401));
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(1_000);
    expect(place.service.asked).toHaveLength(2);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'credentials' }]);
    expect(await documentOf(place.ledger, 'doc-0.jpg')).toMatchObject({
      state: 'queued',
      reason: 'HTTP_401',
    });
    right = true;
    await place.clock.advance(60_000);
    expect(sending.accepted).toHaveLength(3);
    expect(place.log.said('On hold')).toHaveLength(1);
  });

  it('gives back its slot if the repeated request must wait for the rate limit, and is still repeated', async () => {
    const place = await sendingPlace();
    await place.admit('o.jpg');
    const sending = await place.start({
      overall: { concurrency: 1 },
      endpoints: [{ key: OFFICE, limits: { perDay: 1 } }, { key: SHOP }],
    });
    place.service.script = (request) => (request.endpoint.uid === 'office' ? status(401) : accept(request));
    await place.clock.advance(1_000);
    await place.admit('s.jpg', { endpoint: SHOP });
    sending.dispatcher.wake();
    await place.clock.advance(1_000);
    expect(sending.accepted).toEqual(['doc-s.jpg']);
    expect(await documentOf(place.ledger, 'doc-o.jpg')).toMatchObject({
      state: 'queued',
      reason: 'HTTP_401',
    });
    // The next day's request is the replay: a second 401 in a row.
    await place.clock.advance(24 * 3_600_000);
    expect(place.service.asked.filter(({ uid }) => uid === 'office')).toHaveLength(2);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'credentials' }]);
  });

  it('leaves nothing uploading if the ledger cannot be written in between', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    let failures = 3;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      finishReplayed: async (...all) => {
        failures -= 1;
        if (failures >= 0) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.finishReplayed(...all);
      },
    });
    place.service.script = (request) => (request.token === 'token-1' ? status(401) : accept(request));
    const sending = await place.start({ wrap });
    await place.clock.advance(30_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('leaves the document queued if no new one is available', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    place.service.script = (request) => {
      if (request.token !== 'token-1') return accept(request);
      place.tokens.failure = new ReceiptdError('SERVICE_UNREACHABLE', 'No answer.');
      return status(401);
    };
    const sending = await place.start();
    await place.clock.advance(500);
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({ state: 'queued', answerLost: false });
    place.tokens.failure = null;
    await place.clock.advance(5_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });
});

describe('missing credentials', () => {
  it('send nothing, use none of the rate limit, and are checked again after a minute', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    place.tokens.failure = new ReceiptdError('CREDENTIALS_MISSING', 'There are none.');
    const sending = await place.start({ overall: { perDay: 1 } });
    await place.clock.advance(5_000);
    expect(await place.ledger.holds()).toMatchObject([
      { scope: 'credentials', reason: 'CREDENTIALS_MISSING' },
    ]);
    place.tokens.failure = null;
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
    expect(place.service.asked).toHaveLength(1);
  });
});

describe('changed credentials', () => {
  it('are tried within 30 seconds despite a back-off, and checked no more often', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    place.tokens.failure = new ReceiptdError('CREDENTIALS_REFUSED', 'They were refused.');
    let changed = false;
    let looks = 0;
    const credentialsChanged = async (): Promise<boolean> => {
      looks += 1;
      return changed;
    };
    const sending = await place.start({ credentialsChanged });
    await place.clock.advance(5 * 3_600_000);
    expect(looks).toBeGreaterThan(100);
    expect(looks).toBeLessThan((5 * 3_600) / 15);
    place.tokens.failure = null;
    changed = true;
    await place.clock.advance(30_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
    expect(place.log.said('On hold')).toHaveLength(1);
    expect(place.log.said('No longer on hold')).toHaveLength(1);
  });
});

describe('the credentials of one account', () => {
  const SHOPS = 'shops';
  const accountOf = ({ uid }: EndpointKey) => (uid === SHOP.uid ? SHOPS : null);

  async function twoAccounts(changed: (string | null)[] = []) {
    const place = await sendingPlace();
    const shops = new ScriptedTokens();
    await place.admit('a.jpg');
    await place.admit('b.jpg', { endpoint: SHOP });
    const sending = () =>
      place.start({
        endpoints: [{ key: OFFICE }, { key: SHOP }],
        accountOf,
        tokens: (endpoint) => (accountOf(endpoint) === null ? place.tokens : shops),
        credentialsChanged: async (account) => changed.includes(account),
      });
    return { place, shops, sending };
  }

  it.each([
    ['named', SHOPS, `${SHOP.baseUrl} account shops`, 'doc-a.jpg', 'doc-b.jpg'],
    ['default', null, OFFICE.baseUrl, 'doc-b.jpg', 'doc-a.jpg'],
  ])('stop its endpoints and no other: the %s account', async (_which, account, key, sent, held) => {
    const changed: (string | null)[] = [];
    const { place, shops, sending } = await twoAccounts(changed);
    const bad = account === null ? place.tokens : shops;
    bad.failure = new ReceiptdError('CREDENTIALS_REFUSED', 'They were refused.');
    const { accepted } = await sending();
    await place.clock.advance(3 * 3_600_000);
    expect(accepted).toEqual([sent]);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'credentials', key }]);
    bad.failure = null;
    // Of the other one nobody has to know.
    changed.push(account === null ? SHOPS : null);
    await place.clock.advance(60_000);
    expect(accepted).toEqual([sent]);
    changed.push(account);
    await place.clock.advance(30_000);
    expect(accepted).toEqual([sent, held]);
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('are not released by an answer to another account', async () => {
    const { place, shops, sending } = await twoAccounts();
    place.service.script = (request) => (request.endpoint.uid === SHOP.uid ? status(401) : accept(request));
    const { accepted } = await sending();
    await place.clock.advance(30_000);
    await place.admit('c.jpg');
    await place.clock.advance(10_000);
    expect(accepted).toContain('doc-a.jpg');
    expect(shops.issued).toBe(2);
    expect(place.tokens.issued).toBe(1);
    expect(await place.ledger.holds()).toMatchObject([{ key: `${SHOP.baseUrl} account shops` }]);
  });
});

describe('an endpoint without permission', () => {
  it('is put on hold, probed with one document, and then gets the rest', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 10; i += 1) await place.admit(`${i}.jpg`);
    await place.admit('s.jpg', { endpoint: SHOP });
    let allowed = false;
    const held = pending();
    place.service.script = (request, asked) => {
      if (request.endpoint.uid === 'shop') return accept(request);
      if (!allowed) return status(403, 'plan');
      return asked.length === before + 1 ? held.answer : accept(request);
    };
    let before = 0;
    const sending = await place.start({ endpoints: [{ key: OFFICE }, { key: SHOP }] });
    await place.clock.advance(20_000);
    before = place.service.asked.length;
    expect(before).toBeLessThanOrEqual(5);
    expect(sending.accepted).toEqual(['doc-s.jpg']);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'endpoint', key: endpointId(OFFICE) }]);
    expect(place.log.said('On hold')).toMatchObject([{ level: 'error' }]);

    allowed = true;
    await place.clock.advance(60_000);
    expect(place.service.asked).toHaveLength(before + 1);
    const probe = place.service.asked.at(-1);
    held.give(status(200, JSON.stringify({ name: probe?.name, endpointUid: 'office', status: 'NEW' })));
    await place.clock.advance(100);
    expect(sending.accepted).toHaveLength(11);
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('is probed at least every hour', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 3; i += 1) await place.admit(`${i}.jpg`);
    place.service.script = () => status(403);
    await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(24 * 3_600_000);
    const times = place.service.asked.map(({ at }) => at);
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(30_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(3_600_000);
    expect(await stateOf(place, 'doc-0.jpg')).toBe('queued');
  });
});

describe('a limit set by the service', () => {
  it('is obeyed for as long as requested', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 3; i += 1) await place.admit(`${i}.jpg`);
    place.service.script = (request, asked) =>
      asked.length === 1 ? status(429, 'slowly', 45_000) : accept(request);
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(44_000);
    expect(place.service.asked).toHaveLength(1);
    await place.clock.advance(2_000);
    expect(sending.accepted.toSorted()).toEqual(['doc-0.jpg', 'doc-1.jpg', 'doc-2.jpg']);
  });

  it.each([
    { name: 'for an endpoint', httpStatus: 429 },
    { name: 'for all', httpStatus: 503 },
  ])('$name is obeyed from the answer on, even if it cannot be recorded yet', async ({ httpStatus }) => {
    const place = await sendingPlace();
    await place.admit('0.jpg');
    place.service.script = (request, asked) =>
      asked.length === 1 ? status(httpStatus, 'slowly', 45_000) : accept(request);
    let broken = true;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      finish: async (...all) => {
        if (broken) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.finish(...all);
      },
      putHold: async (...all) => {
        if (broken) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.putHold(...all);
      },
    });
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

describe('rejections while the ledger cannot be written', () => {
  it('still count together, and none of five documents stays failed', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 5; i += 1) await place.admit(`${i}.jpg`);
    let calls = 0;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      // The first answers are written after the last one.
      finish: async (...all) => {
        calls += 1;
        if (calls <= 2) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.finish(...all);
      },
    });
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
  it('hold the endpoint without failing a document, until a probe succeeds', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 5; i += 1) await place.admit(`${i}.jpg`);
    let broken = true;
    place.service.script = (request) => (broken ? status(400, 'bad') : accept(request));
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(10_000);
    expect(place.service.asked).toHaveLength(5);
    for (let i = 0; i < 5; i += 1) {
      expect(await documentOf(place.ledger, `doc-${i}.jpg`)).toMatchObject({
        state: 'queued',
        reason: 'MANY_REFUSALS',
      });
    }
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'endpoint', reason: 'MANY_REFUSALS' }]);
    broken = false;
    await place.clock.advance(60_000);
    expect(sending.accepted).toHaveLength(5);
  });

  it('fail their documents after all once others succeed', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 5; i += 1) await place.admit(`bad${i}.jpg`);
    for (let i = 0; i < 5; i += 1) await place.admit(`good${i}.jpg`);
    place.service.script = (request) => (request.name.includes('bad') ? status(422, 'bad') : accept(request));
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(3 * 3_600_000);
    expect(sending.accepted).toHaveLength(5);
    for (let i = 0; i < 5; i += 1) expect(await stateOf(place, `doc-bad${i}.jpg`)).toBe('failed');
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('queue their documents again, even if the ledger cannot be written at first', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 5; i += 1) await place.admit(`${i}.jpg`);
    place.service.script = () => status(400);
    let failures = 2;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      finish: async (...all) => {
        if (all[2]) failures -= 1;
        if (all[2] && failures >= 0) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.finish(...all);
      },
    });
    await place.start({ overall: { concurrency: 1 }, wrap });
    await place.clock.advance(20_000);
    for (let i = 0; i < 5; i += 1) expect(await stateOf(place, `doc-${i}.jpg`)).toBe('queued');
  });
});

it('a document that was accepted and is sent again is unconfirmed, not failed, if the service refuses its name', async () => {
  const place = await sendingPlace();
  const { id } = await place.admit('a.jpg');
  const { dispatcher } = await place.start();
  await place.clock.advance(100);
  expect(await stateOf(place, 'doc-a.jpg')).toBe('accepted');
  place.service.script = () => status(422, 'The name is taken.');
  await place.ledger.resend(id, place.clock.now());
  dispatcher.wake();
  await place.clock.advance(100);
  expect(await stateOf(place, 'doc-a.jpg')).toBe('unconfirmed');
});

describe('a document that the service always fails on', () => {
  it('is parked and blocks no other', async () => {
    const place = await sendingPlace();
    await place.admit('poison.jpg');
    place.service.script = (request) => (request.name.includes('poison') ? status(500) : accept(request));
    const sending = await place.start({ parkAfter: 3 });
    for (let i = 0; i < 20; i += 1) {
      await place.admit(`${i}.jpg`);
      sending.dispatcher.wake();
      await place.clock.advance(10_000);
      expect(sending.accepted).toHaveLength(i + 1);
    }
    expect(await documentOf(place.ledger, 'doc-poison.jpg')).toMatchObject({
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
    const place = await sendingPlace();
    await place.admit('poison.jpg');
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
      sending.dispatcher.wake();
    };
    while ((await documentOf(place.ledger, 'doc-poison.jpg')).reason !== 'PARKED') {
      if (sent < 200) await scan();
      await place.clock.advance(500);
    }
    const parkedAt = sending.accepted.length;
    await scan();
    await place.clock.advance(40_000);
    expect(sending.accepted).toHaveLength(parkedAt);
    await place.clock.advance(30_000);
    expect(sending.accepted.length).toBeGreaterThan(parkedAt);
  });
});

it('an outage parks no document, however often each of them fails', async () => {
  const place = await sendingPlace();
  for (let n = 0; n < 3; n += 1) await place.admit(`${n}.jpg`);
  place.service.script = () => status(503);
  const sending = await place.start({ parkAfter: 2 });
  await place.clock.advance(30 * 60_000);
  expect(place.service.asked.length).toBeGreaterThan(6);
  expect(place.log.said('Set aside')).toEqual([]);
  place.service.script = accept;
  await place.clock.advance(10 * 60_000);
  expect(sending.accepted).toHaveLength(3);
});

describe('a file that is missing from its place', () => {
  it('is waited for, then recorded as lost with its hash, and queued under its name if it reappears', async () => {
    const place = await sendingPlace();
    const { sha256 } = await place.admit('a.jpg');
    await unlink(join(place.scans, 'a.jpg'));
    const sending = await place.start();
    await place.clock.advance(5_000);
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({
      state: 'queued',
      reason: 'BYTES_MISSING',
    });
    expect(sending.missing).toEqual([place.scans]);
    await place.clock.advance(15_000);
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({ state: 'lost', sha256 });
    expect(place.log.said('Lost')).toMatchObject([{ level: 'error', fields: { sha256 } }]);
    expect(place.service.asked).toEqual([]);
    await place.admit('found.jpg', { text: 'the text of a.jpg' });
    sending.dispatcher.wake();
    await place.clock.advance(1_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('is not recorded as lost if it is seen again after the places where it was seen were asked for', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    await unlink(join(place.scans, 'a.jpg'));
    const from = place.clock.monotonic();
    await place.start({
      wrap: (ledger) => ({
        ...ledger,
        sources: async (hash) => {
          const sources = await ledger.sources(hash);
          const isAgain = place.clock.monotonic() > from + 10_000 && sources.length === 1;
          if (isAgain) await place.admit('b.jpg', { text: 'the text of a.jpg' });
          return sources;
        },
      }),
    });
    await place.clock.advance(300_000);
    expect(place.log.said('Lost')).toEqual([]);
    expect(await stateOf(place, 'doc-a.jpg')).toBe('accepted');
  });

  it('is not recorded as lost if it is found elsewhere during the search', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    await rename(join(place.scans, 'a.jpg'), join(place.scans, 'b.jpg'));
    let isThrough = false;
    const wrap = (real: Ledger): Ledger => ({
      ...real,
      sources: async (sha256) => {
        const known = await real.sources(sha256);
        if (place.clock.monotonic() < 15_000 || isThrough) return known;
        await place.admit('b.jpg', { text: 'the text of a.jpg' });
        isThrough = true;
        return known;
      },
    });
    const sending = await place.start({ wrap, lookedThrough: () => isThrough });
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('is found under its new name', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    await unlink(join(place.scans, 'a.jpg'));
    const sending = await place.start();
    await place.clock.advance(1_000);
    await place.admit('b.jpg', { text: 'the text of a.jpg' });
    await place.clock.advance(20_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('is not sent if its bytes no longer match the hash', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    await writeFile(join(place.scans, 'a.jpg'), 'something else');
    await place.start();
    await place.clock.advance(60_000);
    expect(place.service.asked).toEqual([]);
    expect(await stateOf(place, 'doc-a.jpg')).toBe('lost');
  });

  it('waits for as long as its folder is unavailable', async () => {
    const place = await sendingPlace();
    const away = join(place.dir, 'share');
    await place.admit('a.jpg', { folder: away });
    await rename(away, `${away}.away`);
    const sending = await place.start();
    await place.clock.advance(2 * 3_600_000);
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({
      state: 'queued',
      reason: 'FILE_AWAY',
    });
    await rename(`${away}.away`, away);
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('gives back its share of the rate limit, even if the ledger cannot be written', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    await unlink(join(place.scans, 'a.jpg'));
    let failures = 3;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      postpone: async (...all) => {
        failures -= 1;
        if (failures >= 0) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.postpone(...all);
      },
    });
    const sending = await place.start({ overall: { perDay: 1 }, wrap });
    await place.clock.advance(12_000);
    await writeFile(join(place.scans, 'a.jpg'), 'the text of a.jpg');
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });
});

describe('a ledger that cannot be written', () => {
  it('keeps the response until it can, and resends nothing meanwhile', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 3; i += 1) await place.admit(`${i}.jpg`);
    let broken = true;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      finish: async (...all) => {
        if (broken) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.finish(...all);
      },
    });
    const sending = await place.start({ wrap });
    await place.clock.advance(3_600_000);
    expect(place.service.asked).toHaveLength(3);
    expect(sending.accepted).toEqual([]);
    expect(place.log.said('An answer could not be recorded')).toHaveLength(3);
    broken = false;
    await place.clock.advance(5_000);
    expect(sending.accepted).toHaveLength(3);
    expect(place.service.asked).toHaveLength(3);
  });

  it('blocks sending until the attempt is recorded, then lets it resume', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    let broken = true;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      begin: async (...all) => {
        if (broken) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.begin(...all);
      },
    });
    const sending = await place.start({ overall: { perDay: 1 }, wrap });
    await place.clock.advance(60_000);
    expect(place.service.asked).toEqual([]);
    broken = false;
    await place.clock.advance(10_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('is read again after a brief read failure', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    let failures = 1;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      claim: async (query) => {
        failures -= 1;
        if (failures >= 0) throw new ReceiptdError('LEDGER_DAMAGED', 'It could not be read.');
        return ledger.claim(query);
      },
    });
    const sending = await place.start({ wrap });
    await place.clock.advance(10_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });
});

describe('a ledger that reports that it cannot be written', () => {
  it('stops new requests without an extra complaint, and sending resumes by itself', async () => {
    const place = await sendingPlace();
    let trouble: StorageTrouble | null = null;
    let changed = (): void => {};
    const storage: LedgerStorage = {
      trouble: () => trouble,
      onChange: (listener) => {
        changed = listener;
        return () => {};
      },
    };
    let failing = false;
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      storage,
      begin: async (...all) => {
        if (failing) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return ledger.begin(...all);
      },
    });
    const held = pending();
    place.service.script = (request) => (request.name === 'doc-0.jpg' ? held.answer : accept(request));
    await place.admit('0.jpg');
    const sending = await place.start({ wrap });
    await place.clock.advance(100);
    failing = true;
    trouble = { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Make room.' };
    changed();
    for (let i = 1; i < 6; i += 1) await place.admit(`${i}.jpg`);
    sending.dispatcher.wake();
    await place.clock.advance(3_600_000);
    expect(place.service.asked).toHaveLength(1);
    expect(sending.gate.sendsSoon({ endpoint: OFFICE, folder: place.scans })).toBe(false);
    // What is under way is recorded anyway.
    held.give(accept({ name: 'doc-0.jpg', endpoint: OFFICE } as Parameters<typeof accept>[0]));
    await place.clock.advance(10);
    expect(sending.accepted).toEqual(['doc-0.jpg']);
    expect(sending.idles.at(-1)?.why).toBe('hold');
    failing = false;
    trouble = null;
    changed();
    await place.clock.advance(10);
    expect(sending.accepted).toHaveLength(6);
    expect(place.log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('stops new requests even if it fails while the queue is read', async () => {
    const place = await sendingPlace();
    let trouble: StorageTrouble | null = null;
    let fills = true;
    const storage: LedgerStorage = { trouble: () => trouble, onChange: () => () => {} };
    await place.admit('a.jpg');
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      storage,
      claim: async (query) => {
        const claimed = await ledger.claim(query);
        if (fills) trouble = { code: 'DISK_FULL', message: 'Full.', hint: 'Make room.' };
        return claimed;
      },
    });
    const sending = await place.start({ wrap });
    await place.clock.advance(60_000);
    expect(place.service.asked).toEqual([]);
    expect(sending.idles.at(-1)?.why).toBe('hold');
    fills = false;
    trouble = null;
    sending.dispatcher.wake();
    await place.clock.advance(100);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('stops new requests in the middle of a backlog', async () => {
    const place = await sendingPlace();
    let trouble: StorageTrouble | null = null;
    const storage: LedgerStorage = { trouble: () => trouble, onChange: () => () => {} };
    for (let i = 0; i < 40; i += 1) await place.admit(`${i}.jpg`, { lane: 'backlog' });
    place.service.script = (request, asked) => {
      if (asked.length === 5) trouble = { code: 'DISK_FULL', message: 'Full.', hint: 'Make room.' };
      return accept(request);
    };
    await place.start({ overall: { concurrency: 2 }, wrap: (ledger) => ({ ...ledger, storage }) });
    await place.clock.advance(60_000);
    expect(place.service.asked.length).toBeGreaterThanOrEqual(5);
    expect(place.service.asked.length).toBeLessThan(8);
  });
});

describe('a bug after a request has begun', () => {
  it('leaves the document queued under its name, as possibly stored already', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    await place.admit('b.jpg');
    let broken = true;
    place.service.script = (request) => {
      if (request.name === 'doc-a.jpg' && broken) throw new Error('a defect');
      return accept(request);
    };
    const sending = await place.start();
    await place.clock.advance(10_000);
    expect(sending.accepted).toEqual(['doc-b.jpg']);
    expect(await documentOf(place.ledger, 'doc-a.jpg')).toMatchObject({
      state: 'queued',
      reason: 'INTERRUPTED',
      answerLost: true,
      attempts: 1,
    });
    expect(await attemptsOf(place, 'doc-a.jpg')).toMatchObject([{ outcome: 'unknown' }]);
    broken = false;
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-b.jpg', 'doc-a.jpg']);
  });

  it('is retried less and less often if it recurs, and never in a tight loop', async () => {
    const place = await sendingPlace();
    await place.admit('a.jpg');
    place.service.script = () => {
      throw new Error('a defect');
    };
    await place.start();
    await place.clock.advance(24 * 3_600_000);
    expect(place.service.asked.length).toBeGreaterThan(10);
    expect(place.service.asked.length).toBeLessThan(60);
  });
});

describe('the queue', () => {
  it('forgets no document that falls due between two checks', async () => {
    const place = await sendingPlace();
    await place.clock.advance(0.7);
    await place.admit('a.jpg');
    await place.admit('b.jpg');
    await unlink(join(place.scans, 'b.jpg'));
    const held = pending();
    place.service.script = (request) => (request.name === 'doc-a.jpg' ? held.answer : accept(request));
    const sending = await place.start();
    await place.clock.advance(0);
    const { notBefore } = await documentOf(place.ledger, 'doc-b.jpg');
    expect(notBefore).toBeGreaterThan(0);
    await writeFile(join(place.scans, 'b.jpg'), 'the text of b.jpg');
    // Now the wall clock, in whole milliseconds, has reached it, and the monotonic one not quite.
    await place.clock.advance(notBefore - place.clock.now() - 0.5);
    held.give(accept({ name: 'doc-a.jpg', endpoint: OFFICE } as Parameters<typeof accept>[0]));
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg', 'doc-b.jpg']);
  });

  it('forgets no document if a timer fires early, as timers in Node may', async () => {
    const place = await sendingPlace();
    const sleep = place.clock.sleep.bind(place.clock);
    place.clock.sleep = (ms, signal) => sleep(Math.max(0, ms - 0.6), signal);
    await place.clock.advance(0.7);
    await place.admit('a.jpg');
    await unlink(join(place.scans, 'a.jpg'));
    const sending = await place.start();
    await place.clock.advance(10);
    await writeFile(join(place.scans, 'a.jpg'), 'the text of a.jpg');
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('sends fresh scans before the backlog, alternating between folders, each in order of arrival', async () => {
    const place = await sendingPlace();
    const other = join(place.dir, 'other');
    for (let i = 0; i < 4; i += 1) await place.admit(`b${i}.jpg`, { lane: 'backlog' });
    for (let i = 0; i < 4; i += 1) await place.admit(`x${i}.jpg`, { folder: other });
    for (let i = 0; i < 4; i += 1) await place.admit(`y${i}.jpg`);
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(1_000);
    const order = sending.accepted.map((name) => name.slice(4, 6));
    expect(order.slice(8)).toEqual(['b0', 'b1', 'b2', 'b3']);
    expect(order.filter((name) => name.startsWith('x'))).toEqual(['x0', 'x1', 'x2', 'x3']);
    expect(order.filter((name) => name.startsWith('y'))).toEqual(['y0', 'y1', 'y2', 'y3']);
    for (let i = 0; i < 8; i += 2) expect(new Set([order[i]?.[0], order[i + 1]?.[0]])).toEqual(new Set('xy'));
  });

  it('sends nothing of a paused folder or endpoint, not even documents claimed in advance', async () => {
    const place = await sendingPlace();
    const other = join(place.dir, 'other');
    for (let i = 0; i < 10; i += 1) {
      await place.admit(`p${i}.jpg`);
      await place.admit(`o${i}.jpg`, { folder: other });
    }
    place.service.script = async (request) => {
      await place.clock.sleep(1_000);
      return accept(request);
    };
    const sending = await place.start({ overall: { concurrency: 2 } });
    await place.clock.advance(500);
    await sending.holds.pauses.pause('folder', place.scans, 'anna');
    await sending.dispatcher.forgetClaims();
    await place.clock.advance(60_000);
    const ofPaused = () => sending.accepted.filter((name) => name.startsWith('doc-p')).length;
    expect(ofPaused()).toBeLessThanOrEqual(2);
    expect(sending.accepted.filter((name) => name.startsWith('doc-o'))).toHaveLength(10);
    await sending.holds.pauses.resume('folder', place.scans);
    await sending.holds.pauses.pause('endpoint', endpointId(OFFICE), 'anna');
    await sending.dispatcher.forgetClaims();
    const before = ofPaused();
    await place.clock.advance(60_000);
    expect(ofPaused()).toBe(before);
    await sending.holds.pauses.resume('endpoint', endpointId(OFFICE));
    await sending.dispatcher.forgetClaims();
    await place.clock.advance(60_000);
    expect(sending.accepted).toHaveLength(20);
  });

  it('reports why nothing is sent', async () => {
    const place = await sendingPlace();
    const sending = await place.start({ overall: { perDay: 1 } });
    const why = () => sending.idles.at(-1)?.why;
    await place.clock.advance(100);
    expect(why()).toBe('done');
    await place.admit('a.jpg');
    await place.admit('b.jpg');
    place.service.script = () => fault('ECONNREFUSED', false);
    sending.dispatcher.wake();
    await place.clock.advance(100);
    expect(why()).toBe('outage');
    place.service.script = accept;
    await place.clock.advance(24 * 3_600_000);
    expect(sending.accepted).toHaveLength(1);
    expect(why()).toBe('hold');
    await place.clock.advance(24 * 3_600_000);
    expect(why()).toBe('done');
    expect(place.clock.sleeping).toBe(0);
  });
});

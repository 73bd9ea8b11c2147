/** Tokens and credentials that the service rejects, or that are missing. */
import { expect, describe, it } from 'vitest';
import type { EndpointKey } from '../../src/core/domain/document.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { accept, pending, ScriptedTokens, status } from '../support/scriptedService.ts';
import { OFFICE, sendingPlace, SHOP } from './sending.ts';

it('a replay goes on although the ledger went away between the commit of the 401 and its answer', async () => {
  const place = await sendingPlace(1);
  place.service.script = (request) => (request.token === 'token-1' ? status(401) : accept(request));
  let isLost = false;
  const sending = await place.start({
    wrap: (ledger) => ({
      ...ledger,
      record: async (take) => {
        const uploads = take();
        const recorded = await ledger.record(() => uploads);
        if (isLost || uploads.ends.length === 0) return recorded;
        isLost = true;
        throw new ReceiptdError({ code: 'LEDGER_UNREACHABLE', message: 'The connection was lost.' });
      },
    }),
  });
  await place.clock.advance(5 * 60_000);
  expect(sending.accepted).toEqual(['doc-0.jpg']);
});

describe('a rejected token', () => {
  it('is renewed once, and the upload repeated under the same name, with both attempts in the ledger', async () => {
    const place = await sendingPlace(['a.jpg']);
    place.service.script = (request) => (request.token === 'token-1' ? status(401) : accept(request));
    await place.start();
    await place.clock.advance(100);
    expect(place.service.asked.map(({ name, token }) => [name, token])).toEqual([
      ['doc-a.jpg', 'token-1'],
      ['doc-a.jpg', 'token-2'],
    ]);
    expect(await place.document('doc-a.jpg')).toMatchObject({
      state: 'accepted',
      attempts: 2,
      answerLost: false,
    });
    expect(await place.attempts('doc-a.jpg')).toMatchObject([
      { outcome: 'trouble', httpStatus: 401 },
      { outcome: 'accepted', httpStatus: 200 },
    ]);
    expect(await place.ledger.holds()).toEqual([]);
  });

  it('gives back its slot if the repeated request must wait for the rate limit, and is still repeated', async () => {
    const place = await sendingPlace(['o.jpg']);
    const sending = await place.start({
      overall: { concurrency: 1 },
      endpoints: [{ key: OFFICE, limits: { rate: { count: 1, intervalMs: 60_000 } } }, { key: SHOP }],
    });
    place.service.script = (request) => (request.endpoint.uid === 'office' ? status(401) : accept(request));
    await place.clock.advance(1_000);
    await place.admit('s.jpg', { endpoint: SHOP });
    sending.flow.wake();
    await place.clock.advance(1_000);
    expect(sending.accepted).toEqual(['doc-s.jpg']);
    expect(await place.document('doc-o.jpg')).toMatchObject({
      state: 'queued',
      reason: 'HTTP_401',
    });
    // The next minute's request is the replay: a second 401 in a row.
    await place.clock.advance(65_000);
    expect(place.service.asked.filter(({ uid }) => uid === 'office')).toHaveLength(2);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'credentials' }]);
  });

  it('is renewed no second time if the repeated request had to wait for a hold', async () => {
    const place = await sendingPlace(['a.jpg', 'b.jpg']);
    const slow = pending();
    place.service.script = (request, asked) => {
      if (request.name === 'doc-b.jpg') return asked.length <= 2 ? status(429, '', 60_000) : accept(request);
      return asked.length <= 2 ? slow.answer : status(401);
    };
    const { holds } = await place.start();
    await place.clock.advanceUntil(() => holds.gate(OFFICE).kind === 'closed', 1);
    slow.give(status(401));
    await place.clock.advance(90_000);
    expect(place.service.asked.filter(({ name }) => name === 'doc-a.jpg')).toHaveLength(2);
    expect(place.tokens.refusals).toEqual(['token-1']);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'credentials' }]);
  });

  it('leaves the document queued if no new one is available', async () => {
    const place = await sendingPlace(['a.jpg']);
    place.service.script = (request) => {
      if (request.token !== 'token-1') return accept(request);
      place.tokens.failure = new ReceiptdError({ code: 'SERVICE_UNREACHABLE', message: 'No answer.' });
      return status(401);
    };
    const sending = await place.start();
    await place.clock.advance(500);
    expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'queued', answerLost: false });
    place.tokens.failure = null;
    await place.clock.advance(5_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });
});

describe('missing credentials', () => {
  it('send nothing, use none of the rate limit, and are checked again after a minute', async () => {
    const place = await sendingPlace(['a.jpg']);
    place.tokens.failure = new ReceiptdError({ code: 'CREDENTIALS_MISSING', message: 'There are none.' });
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

it('waits as long as the token route asks', async () => {
  const place = await sendingPlace(['a.jpg']);
  place.tokens.failure = new ReceiptdError(
    { code: 'SERVICE_ANSWER', message: 'Busy.' },
    { retryAfterMs: 45_000 },
  );
  const sending = await place.start();
  await place.clock.advance(1_000);
  place.tokens.failure = null;
  await place.clock.advance(43_000);
  expect(sending.accepted).toEqual([]);
  await place.clock.advance(1_000);
  expect(sending.accepted).toEqual(['doc-a.jpg']);
});

describe('changed credentials', () => {
  it('are tried within seconds at first, and later within 30 seconds, despite a back-off, and checked no more often', async () => {
    const place = await sendingPlace(['a.jpg']);
    place.tokens.failure = new ReceiptdError({ code: 'CREDENTIALS_REFUSED', message: 'They were refused.' });
    let changed = false;
    let looks = 0;
    const credentialsChanged = async (): Promise<boolean> => {
      looks += 1;
      return changed;
    };
    const sending = await place.start({ credentialsChanged });
    await place.clock.advance(5_000);
    expect(looks).toBeGreaterThan(1);
    await place.clock.advance(1_200_000);
    expect(looks).toBeGreaterThan(1_200 / 35);
    // Each back-off begins with some looks in quick succession.
    expect(looks).toBeLessThan(1_200 / 10);
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
    bad.failure = new ReceiptdError({ code: 'CREDENTIALS_REFUSED', message: 'They were refused.' });
    const { accepted } = await sending();
    // By now the back-off is much longer than what follows.
    await place.clock.advance(1_200_000);
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

/** Tokens and credentials that the service rejects, or that are missing. */
import { expect, describe, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { accept, status } from '../support/scriptedService.ts';
import { failing, forTimes, OFFICE, sendingPlace, SHOP } from './sending.ts';

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
      endpoints: [{ key: OFFICE, limits: { perDay: 1 } }, { key: SHOP }],
    });
    place.service.script = (request) => (request.endpoint.uid === 'office' ? status(401) : accept(request));
    await place.clock.advance(1_000);
    await place.admit('s.jpg', { endpoint: SHOP });
    sending.dispatcher.wake();
    await place.clock.advance(1_000);
    expect(sending.accepted).toEqual(['doc-s.jpg']);
    expect(await place.document('doc-o.jpg')).toMatchObject({
      state: 'queued',
      reason: 'HTTP_401',
    });
    // The next day's request is the replay: a second 401 in a row.
    await place.clock.advance(24 * 3_600_000);
    expect(place.service.asked.filter(({ uid }) => uid === 'office')).toHaveLength(2);
    expect(await place.ledger.holds()).toMatchObject([{ scope: 'credentials' }]);
  });

  it('leaves nothing uploading if the ledger cannot be written in between', async () => {
    const place = await sendingPlace(['a.jpg']);
    const wrap = failing(['finishReplayed'], forTimes(3));
    place.service.script = (request) => (request.token === 'token-1' ? status(401) : accept(request));
    const sending = await place.start({ wrap });
    await place.clock.advance(30_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });
});

it('waits as long as the token route asks', async () => {
  const place = await sendingPlace(['a.jpg']);
  place.tokens.failure = new ReceiptdError('SERVICE_ANSWER', 'Busy.', { retryAfterMs: 45_000 });
  const sending = await place.start();
  await place.clock.advance(1_000);
  place.tokens.failure = null;
  await place.clock.advance(43_000);
  expect(sending.accepted).toEqual([]);
  await place.clock.advance(1_000);
  expect(sending.accepted).toEqual(['doc-a.jpg']);
});

describe('changed credentials', () => {
  it('are tried within 30 seconds despite a back-off, and checked no more often', async () => {
    const place = await sendingPlace(['a.jpg']);
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

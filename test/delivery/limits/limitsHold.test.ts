import { expect, it } from 'vitest';
import { OFFICE, sendingPlace, SHOP } from '../sending.ts';
import { send } from '../../contract/ledger/support.ts';

it('takes no slots of other endpoints for an endpoint at its limit', async () => {
  const place = await sendingPlace();
  // As if a run before had just used up the whole window.
  for (const name of ['x.jpg', 'y.jpg']) {
    const { id } = await place.admit(name);
    const attempt = await place.ledger.begin(id, place.clock.now(), 1);
    const transition = { state: 'failed', reason: 'HTTP_400', message: 'No.' } as const;
    const end = { at: place.clock.now(), outcome: 'refused', httpStatus: 400, message: null } as const;
    await place.ledger.finish(attempt, { ...end, transition });
  }
  for (let i = 0; i < 20; i += 1) await place.admit(`o${i}.jpg`);
  for (let i = 0; i < 5; i += 1) await place.admit(`s${i}.jpg`, { endpoint: SHOP });
  const sending = await place.start({
    overall: { concurrency: 2 },
    endpoints: [{ key: OFFICE, limits: { rate: { count: 2, intervalMs: 60_000 } } }, { key: SHOP }],
  });
  await place.clock.advance(1_000);
  expect(sending.accepted.toSorted()).toEqual([0, 1, 2, 3, 4].map((i) => `doc-s${i}.jpg`));
  await place.clock.advance(61_000);
  expect(sending.accepted).toHaveLength(7);
});

it('sends a fresh scan as soon as the rate allows, even if a backlog has to wait longer', async () => {
  const place = await sendingPlace();
  const { clock, ledger } = place;
  const start = clock.now();
  clock.jump(-50_000);
  for (let i = 0; i < 10; i += 1) {
    if (i === 1) clock.jump(start - 10_000 - clock.now());
    const { id } = await place.admit(`old${i}.jpg`);
    await send(ledger, id, { from: clock.now(), at: clock.now() });
  }
  clock.jump(start - clock.now());
  await place.admit('backlog.jpg', { lane: 'backlog' });
  await place.admit('fresh.jpg');
  const sending = await place.start({ overall: { rate: { count: 10, intervalMs: 60_000 } } });
  await clock.advance(9_000);
  expect(sending.accepted).toEqual([]);
  await clock.advance(2_000);
  expect(sending.accepted).toEqual(['doc-fresh.jpg']);
  await clock.advance(50_000);
  expect(sending.accepted).toEqual(['doc-fresh.jpg', 'doc-backlog.jpg']);
});

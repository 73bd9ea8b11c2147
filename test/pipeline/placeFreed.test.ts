import { expect, it } from 'vitest';
import type { Ledger } from '../../src/ports/ledger.ts';
import { sendingPlace } from './sending.ts';

/** Holds what the service said back from the ledger until `go`. */
function slow(): { readonly wrap: (ledger: Ledger) => Ledger; readonly go: () => void } {
  let go = (): void => {};
  const told = new Promise<void>((resolve) => (go = resolve));
  const wrap = (ledger: Ledger): Ledger => ({
    ...ledger,
    finish: (...result) => told.then(() => ledger.finish(...result)),
  });
  return { wrap, go: () => go() };
}

it('an upload that the service has keeps no other waiting while it is recorded', async () => {
  const place = await sendingPlace();
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await place.admit(name);
  const { wrap, go } = slow();
  const sending = await place.start({ overall: { concurrency: 1 }, wrap });
  await place.clock.advance(1_000);
  expect(place.service.asked).toHaveLength(3);
  expect(sending.accepted).toHaveLength(0);
  expect(sending.dispatcher.inFlight).toBe(3);
  go();
  await place.clock.advance(1_000);
  expect(sending.accepted).toHaveLength(3);
  expect(sending.dispatcher.inFlight).toBe(0);
});

it('no more than some are sent while nothing can be recorded', async () => {
  const place = await sendingPlace();
  for (let i = 0; i < 50; i += 1) await place.admit(`${i}.jpg`);
  const { wrap, go } = slow();
  const sending = await place.start({ wrap });
  await place.clock.advance(5_000);
  expect(place.service.asked.length).toBeLessThan(50);
  go();
  await place.clock.advance(5_000);
  expect(sending.accepted).toHaveLength(50);
});

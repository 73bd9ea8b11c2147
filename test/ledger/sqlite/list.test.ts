import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admission, rowsOf, send } from '../../contract/ledger/support.ts';
import { createPlace } from './place.ts';

let place: Awaited<ReturnType<typeof createPlace>>;
beforeEach(async () => {
  place = await createPlace();
});
afterEach(() => place.remove());

describe('list', () => {
  it('shows exactly the unaccepted documents, among any number of accepted ones', async () => {
    const ledger = await place.open();
    for (let n = 0; n < 300; n += 1) {
      const { document } = await ledger.admit(admission(`f${n}`, `${n}`, { at: 1_000 + n }));
      if (n % 100 === 7) continue;
      await send(ledger, document.id);
    }
    const names = async (states?: ('queued' | 'accepted' | 'lost' | 'rejected')[]) =>
      (await rowsOf(ledger, states ? { states } : {})).map(({ name }) => name);
    expect(await names(['queued'])).toEqual(['doc-7', 'doc-107', 'doc-207']);
    expect(await names(['lost', 'queued'])).toEqual(['doc-7', 'doc-107', 'doc-207']);
    expect(await names(['rejected'])).toEqual([]);
    expect(await names(['accepted'])).toHaveLength(297);
    // Growing windows omit none, and show none twice.
    expect(await names()).toEqual(Array.from({ length: 300 }, (_, n) => `doc-${n}`));
    await ledger.close();
  });
});

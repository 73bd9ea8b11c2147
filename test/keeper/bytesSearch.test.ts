/** Documents whose bytes are not where they were. */
import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, describe, it } from 'vitest';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { failing, forTimes, sendingPlace } from '../flow/sending.ts';

describe('a file that is missing from its place', () => {
  it('is waited for, then recorded as lost with its hash, and queued under its name if it reappears', async () => {
    const place = await sendingPlace();
    const { sha256 } = await place.admit('a.jpg');
    await unlink(join(place.scans, 'a.jpg'));
    const sending = await place.start();
    await place.clock.advance(5_000);
    expect(await place.document('doc-a.jpg')).toMatchObject({
      state: 'queued',
      reason: 'BYTES_MISSING',
    });
    expect(sending.missing).toEqual([place.scans]);
    await place.clock.advance(15_000);
    expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'lost', sha256 });
    expect(place.log.said('Lost')).toMatchObject([{ level: 'error', fields: { sha256 } }]);
    expect(place.service.asked).toEqual([]);
    await place.admit('found.jpg', { text: 'the text of a.jpg' });
    sending.flow.wake();
    await place.clock.advance(1_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('is not recorded as lost if it is seen again after the places where it was seen were asked for', async () => {
    const place = await sendingPlace(['a.jpg']);
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
    expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'accepted' });
  });

  it('is not recorded as lost if it is found elsewhere during the search', async () => {
    const place = await sendingPlace(['a.jpg']);
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

  it('is not sent if its bytes no longer match the hash', async () => {
    const place = await sendingPlace(['a.jpg']);
    await writeFile(join(place.scans, 'a.jpg'), 'something else');
    await place.start();
    await place.clock.advance(60_000);
    expect(place.service.asked).toEqual([]);
    expect(await place.document('doc-a.jpg')).toMatchObject({ state: 'lost' });
  });

  it('waits for as long as its folder is unavailable', async () => {
    const place = await sendingPlace();
    const away = join(place.dir, 'share');
    await place.admit('a.jpg', { folder: away });
    await rename(away, `${away}.away`);
    const sending = await place.start();
    await place.clock.advance(900_000);
    expect(await place.document('doc-a.jpg')).toMatchObject({
      state: 'queued',
      reason: 'FILE_AWAY',
    });
    await rename(`${away}.away`, away);
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('gives back its share of the rate limit, even if the ledger cannot be written', async () => {
    const place = await sendingPlace(['a.jpg']);
    await unlink(join(place.scans, 'a.jpg'));
    const wrap = failing(['postpone'], forTimes(3));
    const sending = await place.start({ overall: { perDay: 1 }, wrap });
    await place.clock.advance(12_000);
    await writeFile(join(place.scans, 'a.jpg'), 'the text of a.jpg');
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });
});

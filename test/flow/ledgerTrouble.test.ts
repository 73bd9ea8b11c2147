/** Sending while the ledger cannot be written. */
import { expect, describe, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { Ledger, LedgerStorage, StorageTrouble } from '../../src/core/ports/ledger.ts';
import { accept, pending } from '../support/scriptedService.ts';
import { failing, forTimes, OFFICE, sendingPlace, unrecorded } from './sending.ts';

describe('a ledger that cannot be written', () => {
  it('keeps the response until it can, and resends nothing meanwhile', async () => {
    const place = await sendingPlace(3);
    let broken = true;
    const wrap = unrecorded(({ ends }) => ends.length > 0 && broken);
    const sending = await place.start({ wrap });
    await place.clock.advance(180_000);
    expect(place.service.asked).not.toEqual([]);
    expect(sending.accepted).toEqual([]);
    expect(place.log.said('An answer could not be recorded')).toHaveLength(1);
    broken = false;
    await place.clock.advance(5_000);
    expect(sending.accepted).toHaveLength(3);
    expect(place.service.asked).toHaveLength(3);
  });

  it('keeps the response if it fails in the middle of a transaction', async () => {
    const place = await sendingPlace(3);
    const full = new ReceiptdError({ code: 'DISK_FULL', message: 'The disk is full.' });
    const isFull = forTimes(3);
    const wrap = (ledger: Ledger): Ledger => ({
      ...ledger,
      record: async (take) => {
        const { ends, begins } = take();
        if (ends.length === 0 || !isFull()) return ledger.record(() => ({ ends, begins }));
        const { begun } = await ledger.record(() => ({ ends: [], begins }));
        return { ended: { answers: ends.map(() => ({ fault: full })) }, begun };
      },
    });
    const sending = await place.start({ wrap });
    await place.clock.advance(60_000);
    expect(sending.accepted).toHaveLength(3);
    expect(place.service.asked).toHaveLength(3);
    expect(place.log.said('An answer could not be recorded')).toHaveLength(1);
  });

  it('blocks sending until the attempt is recorded, then lets it resume', async () => {
    const place = await sendingPlace(['a.jpg']);
    let broken = true;
    const wrap = unrecorded(({ begins }) => begins.length > 0 && broken);
    const sending = await place.start({ overall: { perDay: 1 }, wrap });
    await place.clock.advance(60_000);
    expect(place.service.asked).toEqual([]);
    broken = false;
    await place.clock.advance(10_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('is read again after a brief read failure', async () => {
    const place = await sendingPlace(['a.jpg']);
    const damaged = new ReceiptdError({ code: 'LEDGER_DAMAGED', message: 'It could not be read.' });
    const wrap = failing(['heads'], forTimes(1), damaged);
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
    const guarded = unrecorded(({ begins }) => failing && begins.length > 0);
    const wrap = (ledger: Ledger): Ledger => ({ ...guarded(ledger), storage });
    const held = pending();
    place.service.script = (request) => (request.name === 'doc-0.jpg' ? held.answer : accept(request));
    await place.admit('0.jpg');
    const sending = await place.start({ wrap });
    await place.clock.advance(100);
    failing = true;
    trouble = { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Make room.' };
    changed();
    for (let i = 1; i < 6; i += 1) await place.admit(`${i}.jpg`);
    sending.flow.wake();
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

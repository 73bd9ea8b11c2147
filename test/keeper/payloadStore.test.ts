/** Where the bytes of a document are until it is accepted. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { OFFICE } from '../flow/sending.ts';
import { DAY, keepingPlace } from './keepingPlace.ts';

it('makes no copy of an image that is sent within a second', async () => {
  const place = await keepingPlace();
  for (let i = 0; i < 20; i += 1) {
    const document = await place.mustArrive(`s${i}.jpg`);
    await place.clock.advance(900);
    expect(place.given).toHaveLength(i);
    expect((await place.deliver(document, 'accepted'))?.toString()).toBe(`the text of s${i}.jpg`);
    expect(place.given).toHaveLength(i + 1);
  }
  await place.clock.advance(DAY);
  expect(place.puts).toEqual([]);
});

it('copies an image that is not sent within a second, and the copy outlives the file', async () => {
  const place = await keepingPlace();
  const document = await place.mustArrive('s.jpg');
  await place.clock.advance(999);
  expect(place.puts).toEqual([]);
  await place.clock.advance(1);
  expect(place.spool.hashes()).toEqual([document.sha256]);
  expect(place.given).toEqual(['the text of s.jpg']);
  await rm(join(place.scans, 's.jpg'));
  expect((await place.deliver(document, 'accepted'))?.toString()).toBe('the text of s.jpg');
  expect(await place.files()).toBe(0);
});

it('copies an image whose upload hangs for a second, and gives its memory back only once that has ended', async () => {
  const place = await keepingPlace();
  const document = await place.mustArrive('s.jpg');
  // Not read by a request yet: it may wait for a token or a slot.
  expect(place.payloads.take(document.id)).toBeDefined();
  place.memory.add(1_000_000);
  const waits = place.memory.take(1);
  await place.clock.advance(1_000);
  expect([await place.files(), place.given]).toEqual([1, []]);
  await place.sweep();
  expect([await place.files(), place.given]).toEqual([1, []]);
  await place.record(document, 'accepted');
  place.payloads.accepted(document);
  await place.payloads.close();
  expect([await place.files(), place.given]).toEqual([0, ['the text of s.jpg']]);
  place.memory.giveBack(1_000_000);
  await waits;
});

it('copies an image that cannot be sent before its admission completes', async () => {
  const place = await keepingPlace();
  place.gate.open = false;
  const document = await place.mustArrive('s.jpg');
  expect(await place.files()).toBe(1);
  expect(place.payloads.take(document.id)).toBeUndefined();
});

it('copies an image at once if its upload was not accepted', async () => {
  const place = await keepingPlace();
  const queued = await place.mustArrive('q.jpg');
  const failed = await place.mustArrive('f.jpg');
  await place.deliver(queued, 'queued');
  expect(place.spool.hashes()).toEqual([queued.sha256]);
  await place.deliver(failed, 'failed');
  expect(place.spool.hashes()).toEqual([queued.sha256, failed.sha256]);
});

it('always: copies first, and reads the image only once', async () => {
  const place = await keepingPlace({ mode: 'always' });
  const document = await place.mustArrive('s.jpg');
  expect(await place.files()).toBe(1);
  expect(place.given).toEqual([]);
  await place.clock.advance(1_000);
  expect(place.given).toEqual(['the text of s.jpg']);
  await place.deliver(document, 'accepted');
  expect(await place.files()).toBe(0);
});

it('always: copies an image without a copy before sending it', async () => {
  const place = await keepingPlace({ mode: 'always' });
  const document = await place.admit('old.jpg');
  await place.payloads.read(document);
  expect(place.spool.has(document.sha256)).toBe(true);
});

it('never: makes no copy in any case', async () => {
  const place = await keepingPlace({ mode: 'never' });
  const waits = await place.mustArrive('s.jpg');
  place.gate.open = false;
  await place.deliver(waits, 'queued');
  await place.mustArrive('t.jpg');
  await place.clock.advance(60_000);
  await place.sweep();
  await place.payloads.close();
  expect(place.puts).toEqual([]);
  expect(place.payloads.take(waits.id)).toBeDefined();
});

it('a full spool blocks only images that cannot be sent at once, with one incident until there is room', async () => {
  const place = await keepingPlace({ spoolLimit: 50 });
  place.gate.open = false;
  const kept = await place.mustArrive('a.jpg', 'x'.repeat(40));
  expect(place.payloads.hasRoom({ endpoint: OFFICE, folder: place.scans }, 20)).toBe(false);
  expect(await place.arrive('b.jpg', 'y'.repeat(20))).toBeNull();
  expect(await place.arrive('b.jpg', 'y'.repeat(20))).toBeNull();
  expect((await place.ledger.counts()).reduce((sum, { count }) => sum + count, 0)).toBe(1);
  expect(place.incidents.list()).toMatchObject([{ code: 'SPOOL_FULL' }]);
  expect(place.log.said('A problem began')).toHaveLength(1);
  place.gate.open = true;
  expect(place.payloads.hasRoom({ endpoint: OFFICE, folder: place.scans }, 20)).toBe(true);
  await place.mustArrive('b.jpg', 'y'.repeat(20));
  await place.deliver(kept, 'accepted');
  expect(place.incidents.list()).toEqual([]);
});

it('admits concurrent arrivals only as far as the spool has room', async () => {
  const place = await keepingPlace({ spoolLimit: 105 });
  place.gate.open = false;
  const arrived = await Promise.all(
    Array.from({ length: 20 }, (_, i) => place.arrive(`s${i}.jpg`, String(i).padStart(10, '0'))),
  );
  expect(arrived.filter((each) => each !== null)).toHaveLength(10);
  expect(await place.files()).toBe(10);
  expect((await place.ledger.counts()).reduce((sum, { count }) => sum + count, 0)).toBe(10);
});

it('releases the reserved room if an admission fails', async () => {
  const place = await keepingPlace({ spoolLimit: 50, memoryLimit: 50 });
  const image = { endpoint: OFFICE, folder: place.scans, bytes: Buffer.alloc(40) };
  for (const isOpen of [true, false, true, false]) {
    place.gate.open = isOpen;
    const failing = place.payloads.keep(image, () => Promise.reject(new Error('the ledger')));
    await expect(failing).rejects.toThrow('the ledger');
  }
  place.gate.open = true;
  await place.mustArrive('a.jpg', 'x'.repeat(40));
  place.gate.open = false;
  await place.mustArrive('b.jpg', 'y'.repeat(40));
});

function failingWhile(disk: { failing: boolean }) {
  return async (): Promise<void> => {
    if (disk.failing)
      throw new ReceiptdError({ code: 'SPOOL_UNWRITABLE', message: "The spool can't be written (ENOSPC)." });
  };
}

it('auto: reports a failing disk, keeps admitting, and makes the copies once the disk is writable', async () => {
  const disk = { failing: true };
  const place = await keepingPlace({ beforePut: failingWhile(disk) });
  place.gate.open = false;
  const documents = [await place.mustArrive('a.jpg'), await place.mustArrive('b.jpg')];
  const [incident] = place.incidents.list();
  expect(incident).toMatchObject({ code: 'SPOOL_UNWRITABLE', params: { keepsScans: false } });
  await place.clock.advance(60_000);
  expect(place.log.said('A problem began')).toHaveLength(1);
  disk.failing = false;
  await place.clock.advance(6_000);
  expect([...place.spool.hashes()].toSorted()).toEqual(documents.map((each) => each.sha256).toSorted());
  expect(place.incidents.list()).toEqual([]);
});

it('always: admits nothing until a failing disk is writable', async () => {
  const disk = { failing: true };
  const place = await keepingPlace({ mode: 'always', beforePut: failingWhile(disk) });
  expect(await place.arrive('first.jpg')).toBeNull();
  expect(place.incidents.list()).toMatchObject([{ params: { keepsScans: true } }]);
  for (let i = 0; i < 5; i += 1) {
    expect(await place.arrive(`s${i}.jpg`)).toBeNull();
    await place.clock.advance(7_000);
  }
  disk.failing = false;
  await place.clock.advance(7_000);
  const document = await place.mustArrive('s0.jpg');
  expect(place.spool.has(document.sha256)).toBe(true);
  expect(place.incidents.list()).toEqual([]);
});

it('copies what is in the cache on shutdown', async () => {
  const place = await keepingPlace();
  const document = await place.mustArrive('s.jpg');
  await place.payloads.close();
  expect(place.spool.has(document.sha256)).toBe(true);
});

it('returns the memory of an image once it is in the spool, or if it is already known', async () => {
  const place = await keepingPlace();
  place.gate.open = false;
  const first = await place.mustArrive('s0.jpg');
  expect(place.given).toEqual(['the text of s0.jpg']);
  place.gate.open = true;
  const image = { endpoint: OFFICE, folder: place.scans, bytes: Buffer.from('the same again') };
  await place.payloads.keep(image, () => Promise.resolve({ kind: 'duplicate', document: first }));
  expect(place.given).toEqual(['the text of s0.jpg', 'the same again']);
});

it('does not return memory after a failed copy, because the disk may still read it', async () => {
  const place = await keepingPlace({ beforePut: failingWhile({ failing: true }) });
  place.gate.open = false;
  const document = await place.mustArrive('s0.jpg');
  await place.deliver(document, 'accepted');
  expect(place.given).toEqual([]);
});

it('releases the memory of a document that left the queue if there is no spool', async () => {
  const { mustArrive, payloads, memory } = await keepingPlace({ mode: 'never', memoryLimit: 100 });
  const document = await mustArrive('s.jpg', 'x'.repeat(60));
  expect(payloads.take(document.id)).toBeDefined();
  await payloads.returned(document, false);
  expect(payloads.take(document.id)).toBeDefined();
  await payloads.returned(document, true);
  expect(payloads.take(document.id)).toBeUndefined();
  expect(memory.take(60)).toBeUndefined();
  expect(memory.take(60)).toBeDefined();
});

/** Where the bytes of a document are until it is accepted, on a real spool and a real ledger. */
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Document, EndpointKey } from '../../../src/core/domain/document.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { locateBytes, type OpenFolder } from '../../../src/delivery/payload/locateBytes.ts';
import { PayloadCache } from '../../../src/delivery/payload/payloadCache.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { runSpoolSweep, sweepSpool } from '../../../src/delivery/payload/spoolSweep.ts';
import { ByteBudget } from '../../../src/delivery/payload/byteBudget.ts';
import type { Spool } from '../../../src/core/ports/spool.ts';
import { settle } from '../../support/fakeClock.ts';
import { keeping, type KeepingOptions } from './keeping.ts';
import { OFFICE, sendingPlace, SHOP } from '../sending.ts';

const DAY = 24 * 3_600_000;

async function keepingPlace(options: KeepingOptions = {}) {
  const place = await sendingPlace();
  const gate = { open: true };
  const kept = await keeping(place, { mode: 'auto', canSend: () => gate.open, ...options });
  const { payloads, spool, spoolDir } = kept;
  const { ledger, clock, open, log, scans } = place;

  /** A scan comes to rest and is admitted, if there is room for it. */
  async function arrive(name: string, text = `the text of ${name}`, endpoint: EndpointKey = OFFICE) {
    const image = { endpoint, folder: scans, bytes: Buffer.from(text) };
    const admitted = await payloads.keep(image, async () => {
      const document = await place.admit(name, { text, endpoint });
      return { kind: document.attempts > 0 ? 'known' : 'queued', document };
    });
    return admitted?.document ?? null;
  }

  async function mustArrive(name: string, text?: string, endpoint?: EndpointKey): Promise<Document> {
    const document = await arrive(name, text, endpoint);
    if (!document) throw new Error(`${name} was not admitted`);
    return document;
  }

  /** As delivery does it; `state` is what came of it. */
  async function deliver(
    document: Document,
    state: 'accepted' | 'failed' | 'queued',
  ): Promise<Buffer | null> {
    const inHand = payloads.take(document.id);
    const found = await locateBytes(document, { ledger, spool, open });
    const bytes = inHand ?? (found.kind === 'bytes' ? found.bytes : null);
    if (!bytes) return null;
    await payloads.sending(document, bytes);
    const attempt = await ledger.begin(document.id, clock.now(), bytes.length);
    const why = { reason: 'TEST', message: 'as the test says' };
    await ledger.finish(attempt, {
      at: clock.now(),
      outcome: state === 'accepted' ? 'accepted' : 'refused',
      httpStatus: 200,
      message: null,
      transition:
        state === 'accepted'
          ? { state, serviceStatus: 'PROCESSING', response: '{}' }
          : state === 'failed'
            ? { state, ...why }
            : { state, ...why, notBefore: 0, answerLost: false, serverError: false },
    });
    if (state === 'accepted') payloads.accepted(document, null);
    else await payloads.returned(document, bytes);
    await settle();
    return bytes;
  }

  const sweep = () =>
    sweepSpool(
      { payloads, spool, ledger, open, memory: new ByteBudget(1e6), clock, log, keepFailedMs: DAY },
      new AbortController().signal,
    );
  const files = async () =>
    (await readdir(spoolDir, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
      .length;
  return { ...place, ...kept, gate, arrive, mustArrive, deliver, sweep, files };
}

it('makes no copy of an image that is sent within a second', async () => {
  const place = await keepingPlace();
  for (let i = 0; i < 20; i += 1) {
    const document = await place.mustArrive(`s${i}.jpg`);
    await place.clock.advance(900);
    expect(place.hand.has(document.id)).toBe(true);
    expect((await place.deliver(document, 'accepted'))?.toString()).toBe(`the text of s${i}.jpg`);
    expect(place.hand.has(document.id)).toBe(false);
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
  expect(place.hand.has(document.id)).toBe(false);
  await rm(join(place.scans, 's.jpg'));
  expect((await place.deliver(document, 'accepted'))?.toString()).toBe('the text of s.jpg');
  expect(await place.files()).toBe(0);
});

it('copies an image whose upload hangs for a second', async () => {
  const place = await keepingPlace();
  const document = await place.mustArrive('s.jpg');
  const bytes = place.payloads.take(document.id);
  expect(bytes).toBeDefined();
  await place.payloads.sending(document, bytes as Buffer);
  await place.clock.advance(1_000);
  expect(await place.files()).toBe(1);
});

it('copies an image that cannot be sent before its admission completes', async () => {
  const place = await keepingPlace();
  place.gate.open = false;
  const document = await place.mustArrive('s.jpg');
  expect(await place.files()).toBe(1);
  expect(place.hand.has(document.id)).toBe(false);
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
  expect(place.hand.has(document.id)).toBe(true);
  await place.clock.advance(1_000);
  expect(place.hand.has(document.id)).toBe(false);
  await place.deliver(document, 'accepted');
  expect(await place.files()).toBe(0);
});

it('always: copies an image without a copy before sending it', async () => {
  const place = await keepingPlace({ mode: 'always' });
  const document = await place.admit('old.jpg');
  const found = await locateBytes(document, place);
  if (found.kind !== 'bytes') throw new Error('not there');
  await place.payloads.sending(document, found.bytes);
  expect(place.spool.has(document.sha256)).toBe(true);
});

it('never: makes no copy in any case', async () => {
  const place = await keepingPlace({ mode: 'never' });
  const waits = await place.mustArrive('s.jpg');
  place.gate.open = false;
  await place.deliver(waits, 'queued');
  await place.mustArrive('t.jpg');
  await place.clock.advance(DAY);
  await place.sweep();
  await place.payloads.close();
  expect(place.puts).toEqual([]);
  expect(place.hand.has(waits.id)).toBe(true);
});

it('keeps a copy until the last endpoint that needs it has the image', async () => {
  const place = await keepingPlace();
  place.gate.open = false;
  const office = await place.mustArrive('s.jpg', 'the same');
  const shop = await place.mustArrive('t.jpg', 'the same', SHOP);
  expect(await place.files()).toBe(1);
  await place.deliver(office, 'accepted');
  expect(await place.files()).toBe(1);
  await place.deliver(shop, 'accepted');
  expect(await place.files()).toBe(0);
});

it('ends with a copy if the image is admitted for another endpoint while its copy is removed', async () => {
  const place = await keepingPlace();
  place.gate.open = false;
  for (let round = 0; round < 50; round += 1) {
    const office = await place.mustArrive(`s${round}.jpg`, `same ${round}`);
    const [shop] = await Promise.all([
      place.mustArrive(`t${round}.jpg`, `same ${round}`, SHOP),
      place.deliver(office, 'accepted'),
    ]);
    await settle();
    expect(place.spool.has(shop.sha256)).toBe(true);
    expect((await place.spool.read(shop.sha256))?.toString()).toBe(`same ${round}`);
  }
});

it('waits for a full cache while uploads are flowing, without a copy', async () => {
  const place = await keepingPlace({ handLimit: 30 });
  const first = await place.mustArrive('a.jpg', 'x'.repeat(20));
  await place.deliver(first, 'accepted');
  const second = await place.mustArrive('b.jpg', 'y'.repeat(20));
  let third: Document | null = null;
  const coming = place.mustArrive('c.jpg', 'z'.repeat(20)).then((document) => (third = document));
  await place.clock.advance(500);
  expect(third).toBeNull();
  await place.deliver(second, 'accepted');
  await coming;
  expect(place.puts).toEqual([]);
});

it('causes no leak warning in Node if a dozen images wait for a full cache', async () => {
  const place = await keepingPlace({ handLimit: 30 });
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  await place.deliver(await place.mustArrive('a.jpg', 'x'.repeat(20)), 'accepted');
  await place.mustArrive('b.jpg', 'y'.repeat(20));
  const names = Array.from({ length: 12 }, (_, n) => `${n}.jpg`);
  const coming = Promise.all(names.map((name) => place.mustArrive(name, name.padStart(20, '0'))));
  await place.clock.advance(2_000);
  await coming;
  await settle();
  expect(warnings).toEqual([]);
});

it('waits at most a second for a full cache, and not at all if no uploads are flowing', async () => {
  const place = await keepingPlace({ handLimit: 30 });
  await place.deliver(await place.mustArrive('a.jpg', 'x'.repeat(20)), 'accepted');
  await place.mustArrive('b.jpg', 'y'.repeat(20));
  let third: Document | null = null;
  const coming = place.mustArrive('c.jpg', 'z'.repeat(21)).then((document) => (third = document));
  await place.clock.advance(999);
  expect(third).toBeNull();
  await place.clock.advance(1);
  await coming;
  expect(place.spool.usedBytes).toBe(20);
  await place.clock.advance(5_000);
  await place.mustArrive('d.jpg', 'd'.repeat(20));
  const fifth = await place.mustArrive('e.jpg', 'e'.repeat(20));
  expect(place.spool.has(fifth.sha256)).toBe(true);
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
  expect(place.log.said('The spool is full')).toHaveLength(1);
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
  const place = await keepingPlace({ spoolLimit: 50, handLimit: 50 });
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

function failingWhile(state: { failing: boolean }): (real: Spool) => Spool {
  return (real) => ({
    has: (hash) => real.has(hash),
    fits: (bytes) => real.fits(bytes),
    get usedBytes() {
      return real.usedBytes;
    },
    limitBytes: real.limitBytes,
    read: (hash) => real.read(hash),
    remove: (hash) => real.remove(hash),
    hashes: () => real.hashes(),
    put: (hash, bytes) =>
      state.failing
        ? Promise.reject(new ReceiptdError('SPOOL_UNWRITABLE', "The spool can't be written (ENOSPC)."))
        : real.put(hash, bytes),
  });
}

it('auto: reports a failing disk, keeps admitting, and makes the copies once the disk is writable', async () => {
  const disk = { failing: true };
  const place = await keepingPlace({ spool: failingWhile(disk) });
  place.gate.open = false;
  const documents = [await place.mustArrive('a.jpg'), await place.mustArrive('b.jpg')];
  const [incident] = place.incidents.list();
  expect(incident?.code).toBe('SPOOL_UNWRITABLE');
  expect(incident?.message).toContain('without a copy');
  await place.clock.advance(60_000);
  expect(place.log.said("The spool can't be written")).toHaveLength(1);
  disk.failing = false;
  await place.clock.advance(6_000);
  expect([...place.spool.hashes()].toSorted()).toEqual(documents.map((each) => each.sha256).toSorted());
  expect(place.incidents.list()).toEqual([]);
});

it('always: admits nothing more until a failing disk is writable', async () => {
  const disk = { failing: true };
  const place = await keepingPlace({ mode: 'always', spool: failingWhile(disk) });
  await place.mustArrive('first.jpg');
  expect(place.incidents.list()[0]?.message).toContain('New scans stay in their folders');
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

it('reads from the spool before the folder, and does not take an unreadable copy for a missing one', async () => {
  const place = await keepingPlace();
  place.gate.open = false;
  const document = await place.mustArrive('s.jpg');
  await writeFile(join(place.scans, 's.jpg'), 'overwritten');
  expect(await locateBytes(document, place)).toEqual({
    kind: 'bytes',
    bytes: Buffer.from('the text of s.jpg'),
  });
  const trouble = new ReceiptdError('SPOOL_UNWRITABLE', "The spool can't be read (EMFILE).");
  const spool = { read: () => Promise.reject(trouble) };
  expect(await locateBytes(document, { ...place, spool })).toEqual({
    kind: 'away',
    message: trouble.message,
  });
  const path = join(place.spoolDir, document.sha256.slice(0, 2), document.sha256);
  await chmod(path, 0o600);
  await writeFile(path, 'damaged');
  expect(await locateBytes(document, place)).toMatchObject({ kind: 'gone' });
});

it('keeps the copy of a failed document for as long as configured', async () => {
  const place = await keepingPlace();
  const document = await place.mustArrive('s.jpg');
  await place.deliver(document, 'failed');
  await rm(join(place.scans, 's.jpg'));
  await place.clock.advance(DAY - 1_000);
  await place.sweep();
  expect(await locateBytes(document, place)).toMatchObject({ kind: 'bytes' });
  await place.clock.advance(2_000);
  await place.sweep();
  expect(await place.files()).toBe(0);
});

it('the sweep removes unneeded copies and makes missing ones', async () => {
  const place = await keepingPlace();
  const stray = Buffer.from('nobody knows this');
  await place.spool.put(sha256(stray), stray);
  const waits = await place.admit('waits.jpg');
  const gone = await place.admit('gone.jpg');
  await rm(join(place.scans, 'gone.jpg'));
  const inHand = await place.mustArrive('hand.jpg');
  await place.sweep();
  // Admitted within this second: it may be sent yet.
  expect(place.spool.hashes()).toEqual([]);
  place.gate.open = false;
  await place.sweep();
  expect(place.spool.hashes()).toEqual([waits.sha256]);
  expect(place.spool.has(gone.sha256)).toBe(false);
  expect(place.hand.has(inHand.id)).toBe(true);
});

it('the sweep leaves no copy of an image that is accepted while it reads the original', async () => {
  const place = await keepingPlace();
  const { payloads, spool, ledger, clock, log } = place;
  const document = await place.admit('s.jpg');
  await clock.advance(2_000);
  const open: OpenFolder = (path) => {
    const real = place.open(path);
    return {
      ...real,
      read: async (...args) => {
        const read = await real.read(...args);
        await place.deliver(document, 'accepted');
        return read;
      },
    };
  };
  const memory = new ByteBudget(1e6);
  const { signal } = new AbortController();
  await sweepSpool({ payloads, spool, ledger, open, memory, clock, log, keepFailedMs: DAY }, signal);
  expect(await place.files()).toBe(0);
});

it('the sweep copies what waits although an original before it is gone', async () => {
  const place = await keepingPlace();
  for (const name of ['gone.jpg', 'there.jpg']) await place.admit(name);
  await rm(join(place.scans, 'gone.jpg'));
  place.gate.open = false;
  await place.sweep();
  expect(place.spool.hashes()).toEqual([sha256(Buffer.from('the text of there.jpg'))]);
});

it('the sweep leaves room for new scans', async () => {
  const place = await keepingPlace({ spoolLimit: 1_000 });
  for (let i = 0; i < 20; i += 1) await place.admit(`s${i}.jpg`, { text: String(i).padStart(100, '0') });
  place.gate.open = false;
  await place.sweep();
  expect(place.spool.usedBytes).toBe(900);
  expect(place.incidents.list()).toEqual([]);
  await place.mustArrive('new.jpg');
});

it('sweeps a full spool within half a minute after other agents sent its images', async () => {
  const place = await keepingPlace({ spoolLimit: 200 });
  const { payloads, spool, ledger, clock, log, open } = place;
  const stop = new AbortController();
  const memory = new ByteBudget(1e6);
  const deps = { payloads, spool, ledger, open, memory, clock, log, keepFailedMs: DAY };
  const sweeping = runSpoolSweep(deps, stop.signal);
  await settle();
  place.gate.open = false;
  const first = await place.mustArrive('s0.jpg', '0'.repeat(100));
  await place.mustArrive('s1.jpg', '1'.repeat(100));
  expect(await place.arrive('s2.jpg', '2'.repeat(100))).toBeNull();
  expect(place.incidents.list()).toMatchObject([{ code: 'SPOOL_FULL' }]);
  // As another agent does: this one's keeper hears nothing of it.
  const attempt = await ledger.begin(first.id, clock.now(), 100);
  await ledger.finish(attempt, {
    at: clock.now(),
    outcome: 'accepted',
    httpStatus: 202,
    message: null,
    transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{}' },
  });
  await clock.advanceUntil(() => place.incidents.list().length === 0, 1_000);
  expect(await place.files()).toBe(1);
  await place.mustArrive('s2.jpg', '2'.repeat(100));
  stop.abort();
  await sweeping;
});

it('returns the memory of an image once it is in the spool, or if it is already known', async () => {
  const given: string[] = [];
  const giveBack = (bytes: Buffer): void => void given.push(bytes.toString());
  const place = await keepingPlace({ buffers: { giveBack } });
  place.gate.open = false;
  const first = await place.mustArrive('s0.jpg');
  expect(given).toEqual(['the text of s0.jpg']);
  place.gate.open = true;
  const image = { endpoint: OFFICE, folder: place.scans, bytes: Buffer.from('the same again') };
  await place.payloads.keep(image, () => Promise.resolve({ kind: 'duplicate', document: first }));
  expect(given).toEqual(['the text of s0.jpg', 'the same again']);
});

it('returns the memory of a cached image once it was copied after a long wait', async () => {
  const given: string[] = [];
  const giveBack = (bytes: Buffer): void => void given.push(bytes.toString());
  const place = await keepingPlace({ buffers: { giveBack } });
  const document = await place.mustArrive('s0.jpg');
  expect(given).toEqual([]);
  await place.clock.advanceUntil(() => place.spool.has(document.sha256), 100);
  await settle();
  expect(given).toEqual(['the text of s0.jpg']);
  expect(place.payloads.take(document.id)).toBeUndefined();
});

it('does not return memory after a failed copy, because the disk may still read it', async () => {
  const given: Buffer[] = [];
  const giveBack = (bytes: Buffer): void => void given.push(bytes);
  const full = new ReceiptdError('SPOOL_UNWRITABLE', 'No.');
  const place = await keepingPlace({
    buffers: { giveBack },
    spool: (real) => ({ ...real, put: () => Promise.reject(full) }),
  });
  place.gate.open = false;
  const document = await place.mustArrive('s0.jpg');
  await place.deliver(document, 'accepted');
  expect(given).toEqual([]);
});

it('an image larger than the whole cache keeps no other image out of it', async () => {
  const cache = new PayloadCache(new FakeClock(), 100);
  expect(cache.reserve(60)).toBe(true);
  expect(await Promise.race([cache.reserveSoon(200), Promise.resolve('waits')])).toBe(false);
  expect(cache.reserve(30)).toBe(true);
});

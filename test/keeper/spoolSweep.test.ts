/** Copies that are missing, and copies that nothing needs. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256 } from '../../src/core/sha256.ts';
import { locateBytes, type OpenFolder } from '../../src/keeper/locateBytes.ts';
import { settle } from '../support/fakeClock.ts';
import { DAY, keepingPlace } from './keepingPlace.ts';

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
  const inMemory = await place.mustArrive('memory.jpg');
  await place.sweep();
  // Admitted within this second: it may be sent yet.
  expect(place.spool.hashes()).toEqual([]);
  place.gate.open = false;
  await place.sweep();
  expect(place.spool.hashes()).toEqual([waits.sha256]);
  expect(place.spool.has(gone.sha256)).toBe(false);
  expect(place.payloads.take(inMemory.id)).toBeDefined();
});

it('the sweep leaves no copy of an image that is accepted while it reads the original', async () => {
  let isAccepted = false;
  const open: OpenFolder = (path) => {
    const real = place.open(path);
    return {
      ...real,
      read: async (...args) => {
        const read = await real.read(...args);
        if (isAccepted) return read;
        isAccepted = true;
        await place.deliver(document, 'accepted');
        return read;
      },
    };
  };
  const place = await keepingPlace({ open });
  const document = await place.admit('s.jpg');
  await place.clock.advance(2_000);
  await place.sweep();
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
  const stop = new AbortController();
  const sweeping = place.payloads.runSweeps(stop.signal);
  await settle();
  place.gate.open = false;
  const first = await place.mustArrive('s0.jpg', '0'.repeat(100));
  await place.mustArrive('s1.jpg', '1'.repeat(100));
  expect(await place.arrive('s2.jpg', '2'.repeat(100))).toBeNull();
  expect(place.incidents.list()).toMatchObject([{ code: 'SPOOL_FULL' }]);
  // As another agent does: this one's store hears nothing of it.
  await place.record(first, 'accepted');
  await place.clock.advanceUntil(() => place.incidents.list().length === 0, 1_000);
  expect(await place.files()).toBe(1);
  await place.mustArrive('s2.jpg', '2'.repeat(100));
  stop.abort();
  await sweeping;
});

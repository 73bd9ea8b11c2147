import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { watchingPlace } from '../watching.ts';

it('a long directory is compared in the order in which the ledger keeps names, and what is gone is found', async () => {
  const place = await watchingPlace();
  const names = Array.from({ length: 1_200 }, (_, index) => `SCAN${index}.jpg`);
  for (const name of names) await writeFile(join(place.scans, name), '');
  const asked: string[] = [];
  const told: string[] = [];
  const folder = (real: WatchedFolder): WatchedFolder => ({
    ...real,
    statEach: async (dir, chunk) => {
      asked.push(...chunk);
      return real.statEach(dir, chunk);
    },
  });
  const ledger = (real: Ledger): Ledger => ({
    ...real,
    knownFrom: async (...span) => {
      const files = await real.knownFrom(...span);
      told.push(...files.map(({ name }) => name));
      return files;
    },
  });
  await place.once({ ledger, folder, settings: { existing: { kind: 'skip' } } });
  expect(asked).toEqual(names.toSorted());
  expect(told).toEqual(asked);
  for (const name of ['SCAN0.jpg', 'SCAN700.jpg', 'SCAN999.jpg']) await unlink(join(place.scans, name));
  await place.once({ settings: { existing: { kind: 'skip' } } });
  const current: string[] = [];
  for await (const batch of place.ledger.namesIn(place.scans, '')) current.push(...batch);
  expect(current).toHaveLength(1_197);
  expect(current).not.toContain('SCAN700.jpg');
});

it('a file is sent although one with an invalid name looks like it, which is sent once it is renamed', async () => {
  const place = await watchingPlace();
  await place.drop('scan-\uFFFD.jpg');
  const bytes = await place.drop('other.jpg');
  const invalid = Buffer.concat([
    Buffer.from(`${place.scans}/scan-`),
    Buffer.from([0xe4]),
    Buffer.from('.jpg'),
  ]);
  await rename(join(place.scans, 'other.jpg'), invalid);
  await place.once();
  expect(await place.states()).toEqual({ 'scan-\uFFFD.jpg': 'queued', 'scan-%E4.jpg': 'unreadable' });
  await rename(invalid, join(place.scans, 'scan-ä.jpg'));
  const { admitted } = await place.once();
  expect(admitted.map(({ document }) => document.size)).toEqual([bytes.length]);
  expect(await place.states()).toEqual({ 'scan-\uFFFD.jpg': 'queued', 'scan-ä.jpg': 'queued' });
});

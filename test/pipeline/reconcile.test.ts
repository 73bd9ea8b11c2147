import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Ledger } from '../../src/ports/ledger.ts';
import { watchingPlace } from './watching.ts';

it('a long directory is compared in the order in which the ledger keeps names, and what is gone is found', async () => {
  const place = await watchingPlace();
  const names = Array.from({ length: 1_200 }, (_, index) => `SCAN${index}.jpg`);
  for (const name of names) await writeFile(join(place.scans, name), '');
  const asked: string[] = [];
  const ledger = (real: Ledger): Ledger => ({
    ...real,
    knownIn: async (folder, dir, chunk) => {
      asked.push(...chunk);
      return real.knownIn(folder, dir, chunk);
    },
  });
  await place.once({ ledger, settings: { existing: { kind: 'skip' } } });
  expect(asked).toEqual(names.toSorted());
  for (const name of ['SCAN0.jpg', 'SCAN700.jpg', 'SCAN999.jpg']) await unlink(join(place.scans, name));
  await place.once({ settings: { existing: { kind: 'skip' } } });
  const current: string[] = [];
  for await (const batch of place.ledger.namesIn(place.scans, '')) current.push(...batch);
  expect(current).toHaveLength(1_197);
  expect(current).not.toContain('SCAN700.jpg');
});

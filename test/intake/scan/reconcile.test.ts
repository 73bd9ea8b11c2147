import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { reconcile } from '../../../src/intake/scan/reconcile.ts';
import { Settling } from '../../../src/intake/settle/settling.ts';
import { watchingPlace } from '../watching.ts';

it("a long directory is compared in the ledger's order of names, and missing files are found", async () => {
  const place = await watchingPlace();
  const names = Array.from({ length: 1_200 }, (_, index) => `SCAN${index}.jpg`);
  for (const name of names) await writeFile(join(place.scans, name), '');
  const asked: string[] = [];
  const told: string[] = [];
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    statEach: async (dir, chunk) => {
      asked.push(...chunk);
      return real.statEach(dir, chunk);
    },
  });
  const ledger = (real: Ledger): Partial<Ledger> => ({
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

it('a file is sent despite another whose invalid name looks the same, which is sent once renamed', async () => {
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

it('no file counts as gone if its folder goes away while the file is being looked for', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  await place.once();
  await unlink(join(place.scans, 'a.jpg'));
  let isAway = false;
  const { folder, settings } = place.create({
    folder: (real) => ({
      stat: async (path) => {
        isAway = true;
        return real.stat(path);
      },
    }),
  });
  const settling = new Settling(place.clock, settings.settle, 10);
  const { ledger, clock } = place;
  const ignore = (): void => {};
  const on = { onSeen: ignore, onMissed: ignore, onUnreadableDir: ignore };
  await reconcile(
    { folder, settings, settling, ledger, clock, isInPlace: async () => !isAway, restedMs: () => 0, ...on },
    { lane: 'fresh', full: true, under: '' },
    new AbortController().signal,
  );
  expect(isAway).toBe(true);
  expect((await ledger.knownIn(place.scans, '', ['a.jpg'])).size).toBe(1);
});

it('a directory that can’t be listed does not keep others from being compared', async () => {
  const place = await watchingPlace();
  await place.drop('open/a.jpg');
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    async *list(...all) {
      yield { dir: 'shut', files: [], unreadableDirs: [{ path: 'shut', code: 'EACCES' }] };
      yield* real.list(...all);
    },
  });
  const { admitted, intake } = await place.once({ folder, settings: { recursive: true } });
  expect(admitted).toHaveLength(1);
  expect(intake.unreadableDirs).toBe(1);
});

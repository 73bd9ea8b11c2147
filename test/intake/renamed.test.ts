import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WatchedFolder } from '../../src/core/ports/folder.ts';
import { sendingPlace } from '../flow/sending.ts';
import { watchingPlace, type WatchOptions } from './watching.ts';

/** A document without a copy whose file was renamed while no agent ran; then the whole way from the folder to the service. */
async function renamedPlace() {
  const place = await sendingPlace();
  const watched = await watchingPlace(place);
  await watched.drop('a.jpg');
  const { admitted } = await watched.once();
  await rename(join(place.scans, 'a.jpg'), join(place.scans, 'b.jpg'));
  const document = () => place.ledger.document(admitted[0]?.document.id ?? 0);
  const run = async (watch: WatchOptions) => {
    const { payloads, flow } = await place.start({
      lookedThrough: (folder, since) => started.intake.isLookedThroughSince(since, folder === place.scans),
    });
    const started: ReturnType<typeof watched.start> = watched.start({
      ...watch,
      deps: { payloads, onAdmitted: () => flow.wake() },
    });
    return started;
  };
  const isMissing = async () => (await document())?.reason === 'BYTES_MISSING';
  const isAccepted = async () => (await document())?.state === 'accepted';
  return { ...place, run, isMissing, isAccepted };
}

it('a renamed file is not lost during the listing that will find it', async () => {
  const place = await renamedPlace();
  let goOn = (): void => {};
  const slow = new Promise<void>((resolve) => (goOn = resolve));
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    async *list(...all) {
      await slow;
      yield* real.list(...all);
    },
  });
  await place.run({ folder });
  await place.clock.advanceUntil(place.isMissing);
  // Longer than a folder may stay without a complete listing.
  await place.clock.advance(900_000);
  expect(await place.isMissing()).toBe(true);
  goOn();
  await place.clock.advanceUntil(place.isAccepted, 1_000);
  expect(place.log.said('Lost')).toEqual([]);
});

it('a renamed file is not lost before it is at rest under its new name', async () => {
  const place = await renamedPlace();
  const settle = { shortMs: 300_000, longMs: 300_000, patienceMs: 600_000 };
  await place.run({ settings: { settle } });
  await place.clock.advanceUntil(place.isMissing);
  await place.clock.advance(240_000);
  expect(await place.isMissing()).toBe(true);
  await place.clock.advanceUntil(place.isAccepted, 1_000);
  expect(place.log.said('Lost')).toEqual([]);
});

it('a missing file is lost, even while another stays incomplete', async () => {
  const place = await renamedPlace();
  await unlink(join(place.scans, 'b.jpg'));
  await writeFile(join(place.scans, 'c.jpg'), Buffer.from([0xff, 0xd8, 0xff]));
  const settle = { shortMs: 200, longMs: 5_000, patienceMs: 24 * 3_600_000 };
  const { intake, watching } = await place.run({ settings: { settle, watch: 'poll' } });
  await watching();
  const from = place.clock.monotonic();
  await place.clock.advanceUntil(() => place.log.said('Lost').length === 1, 5_000);
  expect(intake.status.settling).toBe(1);
  expect(place.clock.monotonic() - from).toBeGreaterThan(9 * 60_000);
  expect(place.clock.monotonic() - from).toBeLessThan(12 * 60_000);
});

it('an unreachable folder delays only its own documents', async () => {
  const place = await watchingPlace();
  const { intake } = place.start({
    settings: { path: `${place.scans}-away` },
    opened: { path: `${place.scans}-away` },
  });
  const isThrough = (isOwn: boolean) => intake.isLookedThroughSince(0, isOwn);
  expect([isThrough(false), isThrough(true)]).toEqual([false, false]);
  await place.clock.advanceUntil(() => intake.status.state === 'missing');
  expect([isThrough(false), isThrough(true)]).toEqual([true, false]);
});

it('a watched folder is listed soon on request, and then counts as scanned', async () => {
  const place = await watchingPlace();
  const { intake } = await place.watch({ deps: { reconcileEveryMs: 24 * 3_600_000 } });
  const since = place.clock.monotonic();
  expect(intake.isLookedThroughSince(since, false)).toBe(false);
  await place.clock.advanceUntil(() => intake.isLookedThroughSince(since, false));
  expect(place.clock.monotonic() - since).toBeLessThan(60_000);
});

it('a folder of a single run counts as scanned without another listing', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  const { intake } = await place.once();
  expect(intake.isLookedThroughSince(place.clock.monotonic(), true)).toBe(true);
});

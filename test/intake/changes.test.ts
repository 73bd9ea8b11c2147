import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WatchedFolder } from '../../src/core/ports/folder.ts';
import { drawReceipt } from '../support/images.ts';
import { Changes, WatchLimit } from '../../src/intake/changes.ts';
import { hintsByHand, watchingPlace } from './watching.ts';

/** A folder whose listings block at their end until `go`, with hints sent by the test. */
async function held() {
  const place = await watchingPlace();
  let listings = 0;
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    async *list(...all) {
      yield* real.list(...all);
      listings += 1;
      await gate;
    },
  });
  const { hints, hint } = hintsByHand();
  const tell = (name: string) => hint(join(place.scans, name));
  return { place, go, tell, listings: () => listings, options: { folder, deps: { hints } } };
}

it('a scan reported by an event is admitted as fresh during the first listing', async () => {
  const { place, go, tell, listings, options } = await held();
  await place.drop('old.jpg');
  // The folder counts as watched before, so this listing compares.
  await place.once();
  const { intake, admitted, watching } = place.start(options);
  await place.clock.advanceUntil(() => listings() === 1);
  const hash = await place.drop('new.jpg');
  tell('new.jpg');
  await place.clock.advanceUntil(() => admitted.length === 1);
  expect(admitted[0]?.document).toMatchObject({ lane: 'fresh', size: hash.length });
  expect(intake.status.state).toBe('starting');
  go();
  await watching();
  await place.clock.advance(120_000);
  expect(await place.states()).toEqual({ 'old.jpg': 'queued', 'new.jpg': 'queued' });
});

it('a known file deleted during a listing is gone, and its replacement is not', async () => {
  const { place, go, tell, listings, options } = await held();
  for (const name of ['a.jpg', 'b.jpg']) await place.drop(name);
  await place.once();
  const { watching } = place.start(options);
  await place.clock.advanceUntil(() => listings() === 1);
  const { rm } = await import('node:fs/promises');
  await rm(join(place.scans, 'a.jpg'));
  tell('a.jpg');
  const known = (path: string) => place.ledger.known({ folder: place.scans, path });
  await place.clock.advanceUntil(async () => (await known('a.jpg')) === null);
  await place.drop('a.jpg', 'another');
  tell('a.jpg');
  await place.clock.advanceUntil(async () => (await known('a.jpg')) !== null);
  go();
  await watching();
  expect(await known('a.jpg')).not.toBeNull();
  expect(await known('b.jpg')).not.toBeNull();
});

it('a fresh scan is admitted although files not at rest keep a listing waiting', async () => {
  const { place, go, tell, options } = await held();
  go();
  await place.once();
  for (let i = 0; i < 800; i += 1) await writeFile(join(place.scans, `${i}.jpg`), 'not at rest');
  const { intake, admitted } = place.start(options);
  await place.clock.advanceUntil(() => intake.status.settling >= 500, 1);
  await writeFile(join(place.scans, 'new.jpg'), await drawReceipt({ type: 'jpeg', seed: 'new' }));
  tell('new.jpg');
  await place.clock.advanceUntil(() => admitted.length === 1, 20);
  expect(intake.status.state).toBe('starting');
});

it('a file hinted at during the first watch counts as existing', async () => {
  const { place, go, tell, listings, options } = await held();
  await place.drop('old.jpg');
  const { watching } = place.start({ ...options, settings: { existing: { kind: 'skip' } } });
  await place.clock.advanceUntil(() => listings() === 1);
  tell('old.jpg');
  await place.clock.advance(10_000);
  go();
  await watching();
  await place.clock.advance(10_000);
  expect(await place.states()).toEqual({ 'old.jpg': 'skipped' });
});

it('an error during a look ends the watch, which then starts over, as it does between listings', async () => {
  const { place, go, tell, listings, options } = await held();
  await place.once();
  let broken = true;
  const { admitted } = place.start({
    ...options,
    ledger: (real) => ({
      knownIn: async (...names) => {
        if (broken) throw new Error('The look went wrong.');
        return real.knownIn(...names);
      },
    }),
  });
  await place.clock.advanceUntil(() => listings() === 1);
  await place.drop('new.jpg');
  tell('new.jpg');
  await place.clock.advance(1_000);
  broken = false;
  go();
  await place.clock.advanceUntil(() => admitted.length === 1);
  expect(place.log.said('The folder could not be listed')).toHaveLength(1);
});

it('the directories of too many names are listed, and everything is compared', async () => {
  const { scans, clock, log, incidents } = await watchingPlace();
  let lost = 0;
  const changes = new Changes({
    hints: hintsByHand().hints,
    settings: { path: scans, recursive: true },
    watchLimit: new WatchLimit(incidents),
    clock,
    log,
    onChange: () => {},
    onLost: () => (lost += 1),
  });
  for (let n = 0; n < 1_000; n += 1) changes.add(`a/${n}.jpg`);
  expect([lost, changes.takeDirs()]).toEqual([0, []]);
  changes.add('b/one.jpg');
  expect([lost, changes.takeDirs()]).toEqual([1, ['b']]);
  expect([...changes.takeNames()].map(([dir, names]) => [dir, names.size])).toEqual([['a', 1_000]]);
});

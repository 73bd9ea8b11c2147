import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FolderHints, WatchedFolder } from '../../../src/core/ports/folder.ts';
import { HintQueue } from '../../../src/intake/watch/hintQueue.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { drawReceipt } from '../../support/images.ts';
import { watchingPlace } from '../watching.ts';

/** A folder whose listings wait at their end until that is said, and hints of the test's own. */
async function held() {
  const place = await watchingPlace();
  let listings = 0;
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const folder = (real: WatchedFolder): WatchedFolder => ({
    ...real,
    async *list(...all) {
      yield* real.list(...all);
      listings += 1;
      await gate;
    },
  });
  let onHint = (_path: string): void => {};
  const hints: FolderHints = {
    watch: async (_path, _recursive, told) => {
      onHint = told;
      return { close: async () => {} };
    },
  };
  const tell = (name: string) => onHint(join(place.scans, name));
  return { place, go, tell, listings: () => listings, options: { folder, deps: { hints } } };
}

it('a scan that an event tells of is admitted while the first listing is under way, and is fresh', async () => {
  const { place, go, tell, listings, options } = await held();
  await place.drop('old.jpg');
  // Known to be watched, so that the listing is the one that compares.
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

it('a known file that goes while a listing is under way is gone, and the one that it is replaced by is not', async () => {
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

it('a fresh scan is admitted although files that are not at rest keep a listing waiting', async () => {
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

it('what is hinted at while the folder is watched for the first time counts as what lay in it', async () => {
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

it('a look that goes wrong ends the watch, as it does between listings, and it starts over', async () => {
  const { place, go, tell, listings, options } = await held();
  await place.once();
  let broken = true;
  const { admitted } = place.start({
    ...options,
    ledger: (real) => ({
      ...real,
      known: async (file) => {
        if (broken) throw new Error('The look went wrong.');
        return real.known(file);
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

it('more files than are looked at one by one have their directories listed, and compared in full', () => {
  let missed = 0;
  const hints = new HintQueue({
    clock: new FakeClock(),
    handleHint: async () => null,
    onHandled: () => {},
    onMissed: () => (missed += 1),
    mayHandle: () => true,
  });
  for (let n = 0; n < 1_000; n += 1) hints.add(`a/${n}.jpg`);
  expect([missed, hints.takeDirs()]).toEqual([0, []]);
  hints.add('b/one.jpg');
  expect([missed, hints.takeDirs()]).toEqual([1, ['b']]);
});

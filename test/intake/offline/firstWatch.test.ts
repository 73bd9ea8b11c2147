/** The first watch of a folder waits for a shared ledger; files that arrive meanwhile are new, not existing. */
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Existing } from '../../../src/core/domain/settings.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { eventually } from '../../support/fakeClock.ts';
import { offlinePlace } from './agent.ts';

type Place = Awaited<ReturnType<typeof offlinePlace>>;
type Agent = Awaited<ReturnType<Place['start']>>;

const SKIP = { existing: { kind: 'skip' as const } };
const FAR = 60 * 60_000;

const watching = (agent: Agent) => eventually(() => agent.intakes[0]?.status.state === 'watching');
const waits = (agent: Agent, count: number) => eventually(() => agent.deferred.waiting().length === count);

/** Drops a file and waits until the file system's clock has moved on. */
async function old(place: Place, name = 'old.jpg'): Promise<void> {
  await place.drop(name);
  const { ctimeMs } = await stat(join(place.scans, name));
  await eventually(() => Date.now() > ctimeMs + 20);
}

const ONLY_FRESH = { 'old.jpg': 'skipped', 'fresh.jpg': 'accepted' };

/** What became of the files once the ledger was back and `fresh.jpg` was sent. */
async function afterwards(place: Place, agent: Agent): Promise<Record<string, string>> {
  agent.comeBack();
  await watching(agent);
  await eventually(async () => (await place.states())['fresh.jpg'] === 'accepted');
  return place.states();
}

it.each<{ name: string; existing: Existing }>([
  { name: 'skip', existing: { kind: 'skip' } },
  { name: 'since', existing: { kind: 'since', at: Date.now() + FAR, text: 'tomorrow' } },
])('a file that `spool: never` leaves in its folder is sent with `existing: $name`', async ({ existing }) => {
  const place = await offlinePlace();
  await old(place);
  const agent = await place.start({ isAway: true, spool: 'never', folder: { existing } });
  await eventually(() => agent.away.calls.has('folderMark'));
  await place.drop('fresh.jpg');
  // Like a program that preserves times when it copies.
  await utimes(join(place.scans, 'fresh.jpg'), 1_000, 1_000);
  expect(await afterwards(place, agent)).toEqual(ONLY_FRESH);
});

it('a file that arrives in a polled folder after the last look is sent', async () => {
  const place = await offlinePlace();
  await old(place);
  // Only the first look is due during this test.
  const polled = { folder: { ...SKIP, watch: 'poll' as const }, pollEveryMs: FAR };
  const agent = await place.start({ isAway: true, ...polled });
  await eventually(() => agent.looks.includes('old.jpg'));
  await place.drop('fresh.jpg');
  expect(await afterwards(place, agent)).toEqual(ONLY_FRESH);
});

it('a file left undecided because the spool is full is sent', async () => {
  const place = await offlinePlace();
  await old(place);
  const agent = await place.start({ isAway: true, spoolLimit: 1, folder: SKIP });
  const names = Array.from({ length: 5 }, (_, n) => `${n}.jpg`);
  for (const name of names) await place.drop(name);
  await eventually(() => agent.incidents.list().some(({ code }) => code === 'SPOOL_FULL'));
  expect(agent.deferred.waiting()).toEqual([]);
  agent.comeBack();
  await watching(agent);
  await eventually(async () => {
    const states = await place.states();
    return names.every((name) => states[name] === 'accepted');
  });
  expect((await place.states())['old.jpg']).toBe('skipped');
});

it('a file that arrives during a failed attempt to open the ledger is new', async () => {
  const place = await offlinePlace();
  await old(place);
  const agent = await place.start({
    isAway: true,
    folder: SKIP,
    opening: async () => {
      await place.drop('fresh.jpg');
      // Otherwise the file system may stamp it with the tick in which the attempt ends.
      const { ctimeMs } = await stat(join(place.scans, 'fresh.jpg'));
      await eventually(() => Date.now() > ctimeMs + 50);
    },
  });
  await waits(agent, 1);
  expect(await afterwards(place, agent)).toEqual(ONLY_FRESH);
});

it('a new configuration forgets neither when the agent went offline nor that a folder was not watched before', async () => {
  const place = await offlinePlace();
  await old(place);
  const settle = { shortMs: FAR, longMs: FAR, patienceMs: FAR };
  const former = await place.start({ isAway: true, folder: { ...SKIP, settle } });
  await place.drop('fresh.jpg');
  await eventually(() => former.intakes[0]?.status.settling === 1);
  const { ctimeMs } = await stat(join(place.scans, 'fresh.jpg'));
  await eventually(() => Date.now() > ctimeMs + 50);
  await former.stop();
  const next = await place.start({ isAway: true, folder: SKIP, remembered: former.remembered });
  await waits(next, 1);
  expect(await afterwards(place, next)).toEqual(ONLY_FRESH);
});

it('a file that was in a folder before a new configuration added it is old, even if the ledger was already offline', async () => {
  const place = await offlinePlace();
  const elsewhere = join(place.dir, 'elsewhere');
  await mkdir(elsewhere);
  const other = await place.start({ isAway: true, folder: { ...SKIP, path: elsewhere } });
  await old(place);
  await other.stop();
  const next = await place.start({ isAway: true, folder: SKIP, remembered: other.remembered });
  await place.drop('fresh.jpg');
  await waits(next, 1);
  expect(await afterwards(place, next)).toEqual(ONLY_FRESH);
});

it('while the ledger is online, a file that arrives between startup and the first listing is no existing one either', async () => {
  const place = await offlinePlace();
  await old(place);
  const agent = await place.start({ folder: SKIP, opening: () => place.drop('fresh.jpg') });
  await watching(agent);
  await eventually(async () => (await place.states())['fresh.jpg'] === 'accepted');
  expect(await place.states()).toEqual(ONLY_FRESH);
});

it('an image that a killed agent replayed before the first watch stays one document', async () => {
  const place = await offlinePlace();
  const agent = await place.start({ isAway: true, folder: SKIP });
  await place.drop('fresh.jpg');
  await waits(agent, 1);
  const [image] = agent.deferred.waiting();
  if (!image) throw new Error('nothing was deferred');
  // Does what a replay does before the kill.
  const { folder, path, identity, ...rest } = image;
  await place.real.admit({ ...rest, file: { folder, path, identity }, naming: ['fresh'] });
  await agent.deferred.admitted(image);
  await agent.stop();
  const next = await place.start({ folder: SKIP });
  await watching(next);
  await eventually(async () => (await place.states())['fresh.jpg'] === 'accepted');
  expect(await place.rows()).toHaveLength(1);
});

/** A folder on a file system with this mark. */
const lying =
  (on: () => string) =>
  (real: WatchedFolder): WatchedFolder => ({
    ...real,
    availability: async () => {
      const found = await real.availability();
      if (found.state !== 'present') return found;
      return { ...found, token: `${found.token} ${on()}`, fileSystem: { ...found.fileSystem, mark: on() } };
    },
  });

it('a share that was mounted while the ledger was offline is the folder, even if its new file is gone', async () => {
  const place = await offlinePlace();
  let on = 'the disk below';
  const agent = await place.start({ seen: lying(() => on) });
  await watching(agent);
  agent.leave();
  on = 'the share';
  await place.drop('first.jpg');
  await waits(agent, 1);
  await rm(join(place.scans, 'first.jpg'));
  agent.comeBack();
  await eventually(async () => (await place.states())['first.jpg'] === 'accepted');
  await place.drop('second.jpg');
  await eventually(async () => (await place.states())['second.jpg'] === 'accepted');
  await watching(agent);
  expect(agent.incidents.list()).toEqual([]);
  expect(await place.real.folderMark(place.scans)).toBe('the share');
});

it("files scanned into an unmounted folder while the ledger is offline do not make the share's files count as gone", async () => {
  const place = await offlinePlace();
  let on = 'the share';
  const agent = await place.start({ seen: lying(() => on) });
  await place.drop('on the share.jpg');
  await eventually(async () => (await place.states())['on the share.jpg'] === 'accepted');
  agent.leave();
  on = 'the disk below';
  await rename(join(place.scans, 'on the share.jpg'), join(place.dir, 'on the share.jpg'));
  await place.drop('below.jpg');
  await waits(agent, 1);
  agent.comeBack();
  await eventually(async () => (await place.states())['below.jpg'] === 'accepted');
  await eventually(() => agent.intakes[0]?.status.state === 'unreachable');
  expect(agent.incidents.list().map(({ code }) => code)).toEqual(['FOLDER_UNREACHABLE']);
  const known = await place.real.known({ folder: place.scans, path: 'on the share.jpg' });
  expect(known?.verdict).toBe('document');
});

it('an image from a share that is unmounted when the ledger returns does not block the share once it is mounted again', async () => {
  const place = await offlinePlace();
  let on = 'the share';
  const admitted: unknown[] = [];
  const agent = await place.start({
    isAway: true,
    seen: lying(() => on),
    deferred: (real) => ({
      admitted: async (image) => {
        const known = await place.real.known({ folder: place.scans, path: image.path });
        admitted.push({ on: await place.real.folderMark(place.scans), known });
        on = 'the share';
        await real.admitted(image);
      },
    }),
  });
  await place.drop('a.jpg');
  await waits(agent, 1);
  await rm(join(place.scans, 'a.jpg'));
  on = 'the disk below';
  agent.comeBack();
  await eventually(async () => (await place.states())['a.jpg'] === 'accepted');
  await place.drop('b.jpg');
  await eventually(async () => (await place.states())['b.jpg'] === 'accepted');
  await watching(agent);
  expect(admitted).toEqual([{ on: 'the disk below', known: null }]);
  expect(place.log.said(`${place.scans} is unreachable`)).toEqual([]);
  expect(await place.real.folderMark(place.scans)).toBe('the share');
});

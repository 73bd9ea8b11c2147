/** While a shared ledger is offline, images are deferred locally; they are named and sent once it is back. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { FileIdentity } from '../../../src/core/domain/document.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { eventually } from '../../support/fakeClock.ts';
import { offlinePlace, texts } from './agent.ts';

type Agent = Awaited<ReturnType<Awaited<ReturnType<typeof offlinePlace>>['start']>>;

const watching = (agent: Agent) => eventually(() => agent.intakes[0]?.status.state === 'watching');
const waits = (agent: Agent, count: number) => eventually(() => agent.deferred.waiting().length === count);

it.each([
  // The remainder of the longest tick, given that the test's own file system takes up to 10 ms of it.
  { fileSystem: 'ext4', behindNs: 5_000_000n },
  { fileSystem: 'vfat', behindNs: 1_900_000_000n },
])(
  'a file that arrives right after startup is new, although $fileSystem gives it an earlier time',
  async (kind) => {
    const place = await offlinePlace();
    const agent = await place.start({
      isAway: true,
      folder: { existing: { kind: 'skip' } },
      seen: (real) => onFileSystem(kind.fileSystem, false, withTimes(real, -kind.behindNs)),
    });
    const fresh = await place.drop('fresh.jpg');
    await waits(agent, 1);
    agent.comeBack();
    await eventually(async () => (await place.states())['fresh.jpg'] === 'accepted');
    expect(place.received()).toEqual(texts([fresh]));
  },
);

it('existing files are not read again; on a share, its own clock decides which exist', async () => {
  const place = await offlinePlace();
  // The server's clock is an hour behind, so its new files look older than the start of the outage.
  const HOUR_NS = 3_600_000_000_000n;
  const agent = await place.start({
    seen: (real) => onFileSystem('nfs', true, withTimes(real, -HOUR_NS)),
  });
  for (let i = 0; i < 20; i += 1) await place.drop(`${i}.jpg`);
  await eventually(() => place.service.asked.length === 20);
  // After the longest tick of a share's clock.
  const last = await place.drop('last.jpg');
  await eventually(() => place.service.asked.length === 21);
  await eventually(async () => (await stat(join(place.scans, 'last.jpg'))).ctimeMs + 2_500 < Date.now());
  agent.leave();
  agent.reads.length = 0;
  const fresh = await place.drop('fresh.jpg');
  await waits(agent, 1);
  expect(agent.deferred.waiting().map(({ path }) => path)).toEqual(['fresh.jpg']);
  expect(agent.reads.filter((path) => path !== 'fresh.jpg' && path !== 'last.jpg').length).toBeLessThan(20);
  agent.comeBack();
  await eventually(() => place.service.asked.length === 22);
  expect(place.received()).toContain(fresh.toString('latin1'));
  expect(place.received()).toContain(last.toString('latin1'));
});

function onFileSystem(name: string, network: boolean, real: WatchedFolder): WatchedFolder {
  return {
    ...real,
    availability: async () => {
      const found = await real.availability();
      if (found.state !== 'present') return found;
      return { ...found, fileSystem: { ...found.fileSystem, name, network } };
    },
  };
}

/** A folder whose file system shifts every timestamp by this much. */
function withTimes(real: WatchedFolder, laterNs: bigint): WatchedFolder {
  const shifted = <T>(found: T): T => {
    if (typeof found !== 'object' || found === null || !('identity' in found)) return found;
    const identity = found.identity as FileIdentity;
    const { mtimeNs, ctimeNs } = identity;
    return { ...found, identity: { ...identity, mtimeNs: mtimeNs + laterNs, ctimeNs: ctimeNs + laterNs } };
  };
  return {
    ...real,
    stat: async (path) => shifted(await real.stat(path)),
    statEach: async (dir, names) => (await real.statEach(dir, names)).map(shifted),
    read: async (path, limit, options) => shifted(await real.read(path, limit, options)),
  };
}

it('images that do not fit a full spool stay in their folder, are reported, and are sent once the ledger is back', async () => {
  const place = await offlinePlace();
  const agent = await place.start({ spoolLimit: 6_000 });
  await watching(agent);
  agent.leave();
  const images = [];
  for (let i = 0; i < 8; i += 1) images.push(await place.drop(`${i}.jpg`));
  await eventually(() => agent.incidents.list().some(({ code }) => code === 'SPOOL_FULL'));
  const deferred = agent.deferred.waiting().length;
  expect(deferred).toBeLessThan(8);
  agent.comeBack();
  await eventually(() => place.service.asked.length === 8);
  expect(place.received()).toEqual(texts(images));
  await eventually(() => agent.incidents.list().length === 0);
});

it('an unwritable journal raises one incident, and the file waits in its folder', async () => {
  const place = await offlinePlace();
  let isFull = true;
  const agent = await place.start({
    deferred: (real) => ({
      defer: (image) =>
        isFull
          ? Promise.reject(
              new ReceiptdError({
                code: 'DISK_FULL',
                message: 'The disk is full.',
                hint: 'Free some space.',
              }),
            )
          : real.defer(image),
    }),
  });
  await watching(agent);
  agent.leave();
  const image = await place.drop('a.jpg');
  await eventually(() => agent.incidents.list().some(({ key }) => key === 'deferredJournal'));
  expect(agent.incidents.list().find(({ key }) => key === 'deferredJournal')).toMatchObject({
    code: 'DISK_FULL',
    params: { detail: 'The disk is full. Free some space.' },
  });
  isFull = false;
  await waits(agent, 1);
  expect(agent.incidents.list().map(({ key }) => key)).toEqual(['storage']);
  agent.comeBack();
  await eventually(() => place.service.asked.length === 1);
  expect(place.received()).toEqual(texts([image]));
});

it('a deferred image is named by the template of its folder, or of its endpoint if the folder was removed', async () => {
  const place = await offlinePlace();
  const first = await place.start();
  await watching(first);
  first.leave();
  await place.drop('a.jpg');
  await waits(first, 1);
  await first.stop();
  const { folder } = first;
  const elsewhere = { ...folder, path: join(place.dir, 'other'), template: parseTemplate('other-{stem}') };
  const second = await place.start({ folders: [elsewhere] });
  await eventually(() => place.service.asked.length === 1);
  expect(place.service.asked[0]?.name).toBe('other-a');
  await waits(second, 0);
});

it('a deferred duplicate is recognized and its copy removed; an image that can’t be named delays no others', async () => {
  const place = await offlinePlace();
  let isOdd = true;
  const agent = await place.start({
    admit: (real) => (admission) =>
      isOdd && admission.file.path === 'odd.jpg'
        ? Promise.reject(
            new ReceiptdError({ code: 'TEMPLATE_INVALID', message: 'Every name is taken.', hint: 'None.' }),
          )
        : real(admission),
  });
  const known = await place.drop('known.jpg');
  await eventually(async () => (await place.states())['known.jpg'] === 'accepted');
  await eventually(async () => (await place.copies()).length === 0);
  agent.leave();
  await place.drop('again.jpg', 'known.jpg');
  const odd = await place.drop('odd.jpg');
  const good = await place.drop('good.jpg');
  await waits(agent, 3);
  agent.comeBack();
  await eventually(() => place.service.asked.length === 2);
  expect(place.received()).toEqual(texts([known, good]));
  await eventually(() => place.log.said('A deferred image could not be recorded').length === 1);
  await eventually(async () => (await place.states())['again.jpg'] === 'duplicate');
  // It keeps waiting, with its bytes, for a template that can name it.
  await waits(agent, 1);
  await eventually(async () => (await place.copies()).length === 1);
  isOdd = false;
  await agent.stop();
  const next = await place.start();
  await waits(next, 0);
  await eventually(() => place.service.asked.length === 3);
  expect(place.received()).toEqual(texts([known, good, odd]));
});

it('an image being deferred keeps its copy when another one with the same bytes no longer needs it', async () => {
  const place = await offlinePlace();
  let isDeferring = false;
  let write = (): void => {};
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const agent = await place.start({
    deferred: (real) => ({
      defer: async (image) => {
        isDeferring = image.path === 'second.jpg';
        if (isDeferring) await written;
        return real.defer(image);
      },
    }),
  });
  // Must come before the agent stops, which waits for running work.
  onTestFinished(() => write());
  await watching(agent);
  agent.leave();
  await place.drop('first.jpg', 'same');
  await waits(agent, 1);
  await place.drop('second.jpg', 'same');
  await eventually(() => isDeferring);
  agent.comeBack();
  await eventually(async () => (await place.states())['first.jpg'] === 'accepted');
  // Once this one has been sent, the copy of the first has been checked.
  await place.drop('third.jpg');
  await eventually(async () => (await place.states())['third.jpg'] === 'accepted');
  expect(await place.copies()).toHaveLength(1);
  write();
  await eventually(async () => (await place.states())['second.jpg'] === 'duplicate');
  await eventually(async () => (await place.copies()).length === 0);
});

import { appendFile, open, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { drawReceipt, preallocated, withTrailer } from '../support/images.ts';
import { prepare, sha256, storedOnce, until } from './support/agent.ts';

/** Longer than a file without a structure would have to be at rest. */
const PAUSE_MS = 400;

test('a file is sent once and complete, however it is written', async () => {
  const site = await prepare();
  const { sandbox } = site;
  const agent = await site.quickStart();
  const inbox = (name: string) => site.file('inbox', name);
  const jpeg = (seed: string, more = {}) => drawReceipt({ type: 'jpeg', seed, ...more });

  // Ten pieces; the first one contains a thumbnail, which is a complete JPEG.
  const pieces = await jpeg('pieces', { exifThumbnail: true, width: 300, height: 500 });
  const slowly = async () => {
    const length = Math.ceil(pieces.length / 10);
    for (let at = 0; at < pieces.length; at += length) {
      await appendFile(inbox('pieces.jpg'), pieces.subarray(at, at + length));
      expect(sandbox.received().filter(({ name }) => name.startsWith('pieces'))).toEqual([]);
      if (at + length < pieces.length) await sleep(PAUSE_MS);
    }
  };

  // Its size is right from the beginning, but its bytes arrive late.
  const allocated = await jpeg('allocated', { width: 300, height: 500 });
  const inPlace = async () => {
    const half = Math.floor(allocated.length / 2);
    await writeFile(inbox('allocated.jpg'), preallocated(allocated, half));
    await sleep(PAUSE_MS);
    const file = await open(inbox('allocated.jpg'), 'r+');
    await file.write(allocated, half, allocated.length - half, half);
    await file.close();
  };

  const padded = withTrailer(await jpeg('padded'), 4096);
  const thumbnail = await jpeg('thumbnail', { exifThumbnail: true });
  const moved = await jpeg('moved');
  const finished = await jpeg('finished');
  const atOnce = async () => {
    await writeFile(inbox('padded.jpg'), padded);
    await writeFile(inbox('thumbnail.jpg'), thumbnail);
    await writeFile(site.file('elsewhere.jpg'), moved);
    await rename(site.file('elsewhere.jpg'), inbox('moved.jpg'));
    await writeFile(inbox('finished.jpg.part'), finished);
    await until(() => sandbox.stats().stored === 3, 'the three that are complete');
    expect((await site.list()).map(({ path }) => path)).not.toContain(inbox('finished.jpg.part'));
    await rename(inbox('finished.jpg.part'), inbox('finished.jpg'));
  };

  await Promise.all([slowly(), inPlace(), atOnce()]);
  const expected = [pieces, allocated, padded, thumbnail, moved, finished];
  await until(() => sandbox.stats().stored === expected.length);
  await until(async () => (await site.list('--state', 'accepted')).length === expected.length);
  expect(await agent.stop()).toMatchObject({ status: 0 });

  expect((await storedOnce(site)).size).toBe(expected.length);
  expect(
    sandbox
      .received()
      .map((each) => each.sha256)
      .toSorted(),
  ).toEqual(expected.map(sha256).toSorted());
  expect(sandbox.stats().uploadArrivals).toHaveLength(expected.length);
  const stems = (await site.list()).map(({ name }) => name?.replace(/-[0-9a-f]{12}$/, ''));
  expect(stems.toSorted()).toEqual(['allocated', 'finished', 'moved', 'padded', 'pieces', 'thumbnail']);
});

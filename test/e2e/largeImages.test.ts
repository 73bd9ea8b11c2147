import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/core/sha256.ts';
import { drawReceipt, withTrailer } from '../support/images.ts';
import { prepare } from './support/agent.ts';

/** Sends so many large images of different sizes. Resolves the images, and who read and hashed how many bytes. */
async function sent(count: number) {
  const site = await prepare();
  const drawn = await drawReceipt({ type: 'jpeg', seed: 'large' });
  const images = Array.from({ length: count }, (_, at) => withTrailer(drawn, 400_000 + at));
  for (const [at, bytes] of images.entries()) await writeFile(site.file('inbox', `${at}.jpg`), bytes);
  site.env = {
    ...site.env,
    NODE_OPTIONS: `--import=${new URL('support/tellWork.mjs', import.meta.url).href}`,
    E2E_WORK: site.file('work'),
  };
  expect(await site.once()).toMatchObject({ status: 0 });
  const received = site.sandbox.received().map((each) => each.sha256);
  expect(received.toSorted()).toEqual(images.map(sha256).toSorted());
  const work = (await readFile(site.file('work'), 'utf8')).trim().split('\n');
  return { images, work };
}

test('a single large image is read once and hashed once, without another thread', async () => {
  const { images, work } = await sent(1);
  const size = images[0]?.length;
  expect(work).toEqual([`read of ${size} in the main thread`, `hash of ${size} in the main thread`]);
});

test('many large images are read once and hashed once, most of them outside the main thread', async () => {
  const { images, work } = await sent(40);
  for (const what of ['read', 'hash']) {
    const done = work.filter((line) => line.startsWith(what));
    const sizes = done.map((line) => Number(line.split(' ')[2]));
    expect(sizes.toSorted()).toEqual(images.map(({ length }) => length).toSorted());
    expect(done.filter((line) => line.includes('other')).length).toBeGreaterThan(20);
  }
});

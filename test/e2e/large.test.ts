import { writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { insertJpegSegment } from '../support/handmadeImages.ts';
import { drawReceipt, withTrailer } from '../support/images.ts';
import { prepare, type Site, storedOnce, until } from './support/agent.ts';
import { sha256 } from '../../src/core/sha256.ts';
import { dial, perform, signIn } from '../console/server/browser.ts';

const FILES = 150;
const MOST_MEMORY_MB = 200;

test(`${FILES} files dropped at once are all delivered, in bounded memory`, async () => {
  const site = await prepare({ delivery: { concurrency: 16 } });
  const agent = await site.start();
  const slip = await drawReceipt({ type: 'jpeg', seed: 'burst', width: 32, height: 48 });

  const started = performance.now();
  for (let n = 0; n < FILES; n += 1) {
    const counted = insertJpegSegment(slip, 0xfe, Buffer.from(`number ${n}`));
    writeFileSync(site.file('inbox', `SCAN${String(n).padStart(5, '0')}.jpg`), counted);
  }
  const droppedMs = performance.now() - started;
  await until(() => site.sandbox.stats().stored === FILES, 'all to arrive', 240_000);
  await until(() => site.sandbox.stats().uploadsInFlight === 0);
  const seconds = (performance.now() - started) / 1000;
  const memory = await agent.peakMemoryMb();
  console.info(
    `${FILES} files: dropped in ${(droppedMs / 1000).toFixed(1)} s, delivered in ${seconds.toFixed(1)} s, ` +
      `peak memory ${memory.toFixed(0)} MB`,
  );

  expect(await agent.stop()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(FILES);
  expect(site.sandbox.stats()).toMatchObject({ stored: FILES, repeats: 0 });
  expect(memory).toBeLessThan(MOST_MEMORY_MB);
});

/** Sends so many large images of different sizes. Resolves the images, and who read and hashed how many bytes. */
describe('large images', () => {
  async function sent(count: number) {
    // What waits for a second is copied and read again, which a busy machine would decide.
    const site = await prepare({ spool: 'never' });
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
});

describe('many at once', () => {
  const MANY = 16;

  async function scans(site: Site, folders: number, each: number): Promise<Record<string, unknown>[]> {
    const paths = Array.from({ length: folders }, (_, n) => site.file(`inbox-${n}`));
    for (const path of paths) {
      await mkdir(path, { recursive: true });
      for (let n = 0; n < each; n += 1)
        await writeFile(`${path}/scan-${n}.jpg`, await drawReceipt({ type: 'jpeg', seed: `${path} ${n}` }));
    }
    return paths.map((path) => ({ path, endpoint: 'office' }));
  }

  /** Messages of Node.js itself; all other lines are JSON. */
  const warningsIn = (stderr: string): string[] =>
    stderr.split('\n').filter((line) => line.includes('Warning:'));

  // Node.js warns of a leak if one signal or emitter has more than ten listeners.
  test('an agent with many folders, uploads and console requests at once causes no leak warning', async () => {
    const site = await prepare();
    const folders = await scans(site, MANY, 2);
    await site.configure({ folders, delivery: { concurrency: MANY } });
    site.env = { ...site.env, NODE_OPTIONS: '--trace-warnings' };
    const agent = await site.start();
    const link = (await site.quickMust('console', '--no-open')).trim();
    const { origin, host } = new URL(link);
    const cookie = await signIn(link);
    const streams = await Promise.all(
      Array.from({ length: MANY }, async () => {
        const socket = await dial(origin);
        socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
        const [first] = (await once(socket, 'data')) as [Buffer];
        expect(first.toString()).toMatch(/^HTTP\/1.1 200/);
        return socket;
      }),
    );
    await until(() => site.sandbox.received().length === 2 * MANY, 'all scans to be sent');
    const answers = await Promise.all(
      Array.from({ length: MANY }, () => perform(origin, cookie, 'overview')),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const socket of streams) socket.destroy();
    const { stderr, status } = await agent.stop();
    expect([status, warningsIn(stderr)]).toEqual([0, []]);
  });

  test('`send` of many files at once causes no leak warning', async () => {
    const site = await prepare();
    const folders = await scans(site, MANY, 1);
    await site.configure({ delivery: { concurrency: MANY } });
    site.env = { ...site.env, NODE_OPTIONS: '--trace-warnings' };
    const files = folders.map(({ path }) => `${String(path)}/scan-0.jpg`);
    const { status, stderr } = await site.run('send', '--endpoint', 'office', ...files);
    expect([status, warningsIn(stderr)]).toEqual([0, []]);
    expect(site.sandbox.received().length).toBe(MANY);
  });
});

import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dial, perform, signIn } from '../console/server/browser.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type Site } from './support/agent.ts';

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
  const folders = await scans(site, MANY, 4);
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
  await until(() => site.sandbox.received().length === 4 * MANY, 'all scans to be sent');
  const answers = await Promise.all(Array.from({ length: MANY }, () => perform(origin, cookie, 'overview')));
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

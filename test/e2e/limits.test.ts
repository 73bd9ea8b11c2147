import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { OFFICE, DEPOT, prepare, storedOnce, until, type Site } from './support/agent.ts';

async function drop(site: Site, folder: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const image = await drawReceipt({ type: 'jpeg', seed: `${folder} ${n}` });
    await writeFile(site.file(folder, `scan ${n}.jpg`), image);
  }
}

test('rate and concurrency limits hold at the service, even across a kill and a restart', async () => {
  const site = await prepare({ delivery: { rate: '5/s', concurrency: 2 } });
  const { sandbox } = site;
  // The sandbox runs in this process; when the process is delayed, arrivals look closer together than they were.
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();
  sandbox.misbehave({ kind: 'delay', delayMs: 150 });
  const agent = await site.start();
  await drop(site, 'inbox', 16);
  await until(() => sandbox.arrivals().length >= 9);
  await agent.kill();
  const next = await site.quickStart();
  await until(() => sandbox.stats().stored === 16);
  await until(async () => (await site.list('--state', 'accepted')).length === 16);
  await next.stop();
  stalls.disable();

  const arrivals = sandbox.arrivals();
  const stallMs = stalls.max / 1e6;
  const sixth = arrivals.slice(5).map((at, index) => at - (arrivals[index] ?? 0));
  expect(sixth.length).toBeGreaterThanOrEqual(16 - 5);
  expect(Math.min(...sixth)).toBeGreaterThan(1000 - stallMs);
  expect(sandbox.stats().maxConcurrentUploads).toBe(2);
  expect((await storedOnce(site)).size).toBe(16);
});

test('an endpoint has its own limits, and does not slow another one down', async () => {
  const site = await prepare({ delivery: { concurrency: 6 } });
  await site.configure({
    endpoints: { office: { uid: OFFICE, concurrency: 1 }, depot: { uid: DEPOT, concurrency: 3 } },
    folders: [
      { path: site.file('a'), endpoint: 'office' },
      { path: site.file('b'), endpoint: 'depot' },
    ],
    delivery: { concurrency: 8 },
  });
  await drop(site, 'a', 4);
  await drop(site, 'b', 9);
  site.sandbox.misbehave({ kind: 'delay', delayMs: 300 });
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect(site.sandbox.stats().maxConcurrentUploadsByEndpoint).toEqual({ [OFFICE]: 1, [DEPOT]: 3 });
});

test('a daily budget holds across restarts; the other documents wait', async () => {
  const site = await prepare({ delivery: { perDay: 5 } });
  await drop(site, 'inbox', 8);
  site.sandbox.misbehave({ kind: 'status', status: 503, times: 1 });
  // Five requests in total, of which one failed.
  expect(await site.quickOnce()).toMatchObject({ status: 4, stdout: '4 accepted, 4 waiting.\n' });
  expect(site.sandbox.arrivals()).toHaveLength(5);
  expect(await site.quickOnce()).toMatchObject({ status: 4 });
  expect(site.sandbox.arrivals()).toHaveLength(5);

  await site.configure({ delivery: { perDay: 9 } });
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect(site.sandbox.arrivals()).toHaveLength(9);
  expect((await storedOnce(site)).size).toBe(8);
});

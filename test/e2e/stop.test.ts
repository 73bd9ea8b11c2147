import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, storedOnce, until, type Site } from './support/agent.ts';

async function drop(site: Site, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await writeFile(site.file('inbox', `${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `stop ${n}` }));
  }
}

test('a stop finishes uploads in flight and leaves the rest queued', async () => {
  const site = await prepare({ delivery: { concurrency: 3 } });
  const { sandbox } = site;
  await drop(site, 8);
  sandbox.misbehave({ kind: 'delay', delayMs: 2_000 });
  const agent = await site.start();
  await until(() => sandbox.stats().uploadsInFlight === 3);
  await until(async () => (await site.list()).length === 8);
  // Files that arrive after the signal are left to the next start.
  agent.signal('SIGTERM');
  await agent.logged('Stopping');
  await writeFile(site.file('inbox', 'late.jpg'), await drawReceipt({ type: 'jpeg', seed: 'late' }));
  expect(await agent.ended).toMatchObject({ status: 0, signal: null });

  const rows = await site.list();
  const inFlight = rows.filter(({ state }) => state === 'accepted');
  expect(inFlight.length).toBe(sandbox.stats().stored);
  expect(inFlight.length).toBeGreaterThanOrEqual(3);
  expect(inFlight.length).toBeLessThan(8);
  expect(rows.filter(({ state }) => state === 'queued')).toHaveLength(8 - inFlight.length);
  expect(rows.some(({ answerLost }) => answerLost)).toBe(false);

  sandbox.behave();
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(9);
  expect(sandbox.stats().repeats).toBe(0);
});

test.each(['a second signal', 'the end of the grace'])('%s ends what is in flight', async (which) => {
  const bySignal = which === 'a second signal';
  const site = await prepare({ delivery: { concurrency: 2, grace: bySignal ? '1h' : '300ms' } });
  const { sandbox } = site;
  await drop(site, 3);
  sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer', store: true });
  const agent = await site.start();
  await until(() => sandbox.stats().stored === 2);
  agent.signal('SIGINT');
  await agent.logged('Stopping');
  if (bySignal) agent.signal('SIGINT');
  expect(await agent.ended).toMatchObject(
    bySignal ? { status: null, signal: 'SIGINT' } : { status: 0, signal: null },
  );

  sandbox.behave();
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(3);
  const lost = (await site.list()).filter(({ answerLost }) => answerLost);
  expect(lost.map(({ attempts }) => attempts)).toEqual([2, 2]);
});

test('a kill leaves nothing behind that blocks the next start, and two never run at once', async () => {
  const site = await prepare();
  const first = await site.start();
  expect(await site.look('run')).toMatchObject({ status: 6 });
  await first.kill();
  const second = await site.quickStart();
  await drop(site, 1);
  await until(() => site.sandbox.stats().stored === 1);
  expect(await site.quickMust('status')).toContain(`process ${process.pid}`);
  expect(await second.stop()).toMatchObject({ status: 0 });
});

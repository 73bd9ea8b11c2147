import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { eventually } from '../support/fakeClock.ts';
import { drawReceipt } from '../support/images.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';
import { tempDir } from '../support/tempDir.ts';
import { agentHere, CREDENTIALS } from './agent.ts';

const OFFICE = '11111111-2222-4333-8444-555555555555';

/** The real agent and a real service. */
async function agent(first: object) {
  const sandbox = await startSandbox({
    dir: join(tempDir('swaps', memoryDirectory()), 'sandbox'),
    credentials: CREDENTIALS,
    endpoints: [{ uid: OFFICE, name: 'Office' }],
  });
  onTestFinished(() => sandbox.close());
  const sections = { service: { baseUrl: sandbox.url }, endpoints: { office: { uid: OFFICE } } };
  const { inbox, log, lasting, start } = await agentHere(sections, first);
  return {
    sandbox,
    ledger: lasting.ledger,
    log,
    inbox,
    ...(await start()),
    async drop(name: string): Promise<void> {
      await writeFile(
        join(inbox, name),
        await drawReceipt({ type: 'jpeg', seed: name, width: 32, height: 48 }),
      );
    },
  };
}

/** Names by hash; fails if an image is stored twice. */
function stored({ sandbox }: Awaited<ReturnType<typeof agent>>): number {
  const all = sandbox.received();
  expect(new Set(all.map(({ sha256 }) => sha256)).size).toBe(all.length);
  return all.length;
}

it('a rate holds across five changes under load, and everything is sent once', async () => {
  const COUNT = 30;
  const here = await agent({ delivery: { rate: '10/s', concurrency: 8 } });
  for (let n = 0; n < COUNT; n += 1) await here.drop(`${n}.jpg`);
  for (let swap = 1; swap <= 5; swap += 1) {
    await eventually(() => here.sandbox.stats().stored >= swap * 5);
    await here.replace({ delivery: { rate: '10/s', concurrency: 8, parkAfter: 5 + swap } });
  }
  await eventually(() => here.sandbox.stats().stored === COUNT);
  const arrivals = here.sandbox.arrivals();
  const most = Math.max(
    ...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + 1_000).length),
  );
  expect(most).toBeLessThanOrEqual(10);
  expect(most).toBeGreaterThan(5);
  expect(stored(here)).toBe(COUNT);
  expect(here.sandbox.stats().repeats).toBe(0);
  await here.end();
});

it('an upload that outlasts the grace is sent again under its name', async () => {
  const here = await agent({ delivery: { grace: '100ms' } });
  here.sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer', store: true });
  await here.drop('a.jpg');
  await eventually(() => here.sandbox.stats().stored === 1);
  const [before] = here.sandbox.received();
  await here.replace({ folders: [{ path: here.inbox, name: 'other-{hash}' }] });
  here.sandbox.behave();
  await eventually(async () => (await here.ledger.counts()).some(({ state }) => state === 'accepted'));
  expect(stored(here)).toBe(1);
  expect(here.sandbox.received()).toMatchObject([{ name: before?.name }]);
  expect(here.sandbox.stats().repeats).toBe(1);
  await here.end();
});

it('five changes leave no file, watcher, timer or connection behind', async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux lists what a process has open');
  const here = await agent({});
  for (const dir of ['a', 'b', 'c']) await mkdir(join(here.inbox, dir));
  const open = async () => (await readdir('/proc/self/fd')).length;
  const held = async () => {
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    return { files: await open(), timers };
  };
  const swap = async (n: number): Promise<void> => {
    await here.replace({ delivery: { parkAfter: 10 + n } });
    await eventually(() =>
      here.generations.current.status().folders.every(({ state }) => state === 'watching'),
    );
    if (n % 5 !== 0) return;
    await here.drop(join('b', `${n}.jpg`));
    await eventually(() => here.sandbox.received().some(({ name }) => name.startsWith(`${n}-`)));
    await eventually(() => here.generations.current.status().inFlight === 0);
  };
  for (let n = 0; n <= 5; n += 1) await swap(n);
  const before = await held();
  for (let n = 6; n <= 10; n += 1) await swap(n);
  // Connections close once the other side has noticed; forgotten ones would be idle for much longer.
  const deadline = performance.now() + 15_000;
  await eventually(async () => {
    const now = await held();
    const isAsBefore = now.files <= before.files && now.timers <= before.timers + 2;
    return isAsBefore || performance.now() > deadline;
  });
  expect(performance.now()).toBeLessThan(deadline);
  expect(stored(here)).toBe(3);
  await here.end();
});

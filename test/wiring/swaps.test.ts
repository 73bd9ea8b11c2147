import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { composeGeneration, type Running } from '../../src/wiring/generation.ts';
import { composeProcessScope } from '../../src/wiring/processScope.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { Generations } from '../../src/daemon/generations.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { createRedactor } from '../../src/logs/redact.ts';
import { eventually } from '../support/fakeClock.ts';
import { drawReceipt } from '../support/images.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { ledgerThread } from '../ledger/sqlite/thread/place.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';

const OFFICE = '11111111-2222-4333-8444-555555555555';
const credentials = { clientId: 'swaps', clientSecret: 'swaps-secret' };

/** The real agent in this process: a real ledger, folder and service. */
async function agent(first: object) {
  const dir = await mkdtemp(join(memoryDirectory(), 'receiptd-swaps-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const inbox = join(dir, 'inbox');
  await mkdir(inbox);
  await mkdir(join(dir, 'state'));
  const sandbox = await startSandbox({
    dir: join(dir, 'sandbox'),
    credentials,
    endpoints: [{ uid: OFFICE, name: 'Office' }],
  });
  onTestFinished(() => sandbox.close());
  const configOf = (keys: object): Config => {
    const text = JSON.stringify({
      service: { baseUrl: sandbox.url },
      endpoints: { office: { uid: OFFICE } },
      folders: [{ path: inbox, recursive: true }],
      stateDir: join(dir, 'state'),
      ...keys,
    });
    const where = { env: {}, platform: process.platform, home: dir, cwd: dir, isRoot: false };
    return parseConfig(text, join(dir, 'receiptd.yaml'), where);
  };
  const log = new RecordedLog();
  const env = { RECEIPTD_CLIENT_ID: credentials.clientId, RECEIPTD_CLIENT_SECRET: credentials.clientSecret };
  const lasting = await composeProcessScope(configOf(first), {
    env,
    log,
    secrets: createRedactor(),
    version: 'test',
    ledgerThread: await ledgerThread(),
  });
  const { clock, ledger } = lasting;
  const compose = (config: Config) => composeGeneration(config, lasting, { once: false });
  const generations = await Generations.start<Config, Running>(configOf(first), { compose, clock, log });
  const stop = new AbortController();
  const running = generations.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error('the test is over'));
    await running;
    await generations.close();
    await ledger.close();
  };
  return {
    sandbox,
    ledger,
    log,
    generations,
    inbox,
    end,
    replace: (keys: object) => generations.replace(configOf(keys)),
    async drop(name: string): Promise<void> {
      await writeFile(
        join(inbox, name),
        await drawReceipt({ type: 'jpeg', seed: name, width: 32, height: 48 }),
      );
    },
  };
}

/** Names by hash, each of which there has to be once. */
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
  await here.replace({ delivery: { grace: '10s' }, folders: [{ path: here.inbox, name: 'other-{hash}' }] });
  here.sandbox.behave();
  await eventually(async () => (await here.ledger.counts()).some(({ state }) => state === 'accepted'));
  const [document] = here.sandbox.received();
  expect(document?.name).toMatch(/^a-/);
  expect(stored(here)).toBe(1);
  expect(here.log.said('Uploads were interrupted')).toHaveLength(1);
  await here.end();
});

it('ten changes leave no file, watcher, timer or connection behind', async ({ skip }) => {
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
  for (let n = 6; n <= 15; n += 1) await swap(n);
  // Connections close when the other side has heard of it; those that were forgotten would be idle for far longer.
  const deadline = performance.now() + 15_000;
  await eventually(async () => {
    const now = await held();
    const isAsBefore = now.files <= before.files && now.timers <= before.timers + 2;
    return isAsBefore || performance.now() > deadline;
  });
  expect(performance.now()).toBeLessThan(deadline);
  expect(stored(here)).toBe(4);
  await here.end();
});

import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acquireInstanceLock } from '../../src/state-dir/instanceLock.ts';
import { guardStateDir } from '../../src/daemon/stateDirGuard.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { asOwnerOf } from '../support/ordinaryUser.ts';

async function running(stop: AbortSignal) {
  const stateDir = await mkdtemp(join(tmpdir(), 'receiptd-place-'));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const lock = await acquireInstanceLock(stateDir);
  onTestFinished(() => lock.release());
  const clock = new FakeClock();
  const untilStopped = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const done = guardStateDir(lock, stateDir, clock, stop, untilStopped);
  return { stateDir, clock, done };
}

test('the guard stops an agent whose state directory is removed, and reports why', async () => {
  const { stateDir, clock, done } = await running(new AbortController().signal);
  const refused = done.catch((error: unknown) => error);
  await rename(stateDir, `${stateDir}-moved`);
  onTestFinished(() => rm(`${stateDir}-moved`, { recursive: true, force: true }));
  await clock.advance(10_000);
  expect(await refused).toMatchObject({ code: 'STATE_UNWRITABLE' });
});

test('the guard says if an agent was stopped because it could no longer access its state directory', async () => {
  const { stateDir, clock, done } = await running(new AbortController().signal);
  const refused = done.catch((error: unknown) => error);
  await asOwnerOf(stateDir, async () => {
    await chmod(stateDir, 0o000);
    onTestFinished(() => chmod(stateDir, 0o700));
    await clock.advance(10_000);
    expect(await refused).toMatchObject({
      code: 'STATE_UNWRITABLE',
      message: expect.stringContaining('could no longer be accessed (EACCES)'),
    });
  });
});

test('the guard lets an agent run until it is stopped if its state directory stays', async () => {
  const stop = new AbortController();
  const { clock, done } = await running(stop.signal);
  await clock.advance(60_000);
  stop.abort();
  await expect(done).resolves.toBeUndefined();
});

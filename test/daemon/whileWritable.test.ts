import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, test } from 'vitest';
import { whileWritable } from '../../src/daemon/whileWritable.ts';
import type { StorageTrouble } from '../../src/core/ports/ledger.ts';
import { SlowDisk } from '../../src/daemon/slowDisk.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { acquireInstanceLock } from '../../src/state-dir/instanceLock.ts';
import { guardStateDir } from '../../src/daemon/stateDirGuard.ts';
import { asOwnerOf } from '../support/ordinaryUser.ts';

function storage(trouble: StorageTrouble | null = null) {
  const listeners = new Set<() => void>();
  return {
    listeners,
    is: (now: StorageTrouble | null): void => {
      trouble = now;
      for (const listener of listeners) listener();
    },
    trouble: () => trouble,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
const FULL: StorageTrouble = { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Free some space.' };
const ENDED: StorageTrouble = {
  code: 'LEDGER_WRITE_FAILED',
  message: 'Its thread has ended.',
  hint: 'It is started again.',
  isForGood: true,
};
const REFUSAL = { code: ENDED.code, message: ENDED.message, hint: ENDED.hint };

const untilStopped = (stop: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (stop.aborted) resolve('stopped');
    else stop.addEventListener('abort', () => resolve('stopped'), { once: true });
  });

it('the wait outlasts temporary trouble, and ends when it is stopped', async () => {
  const watched = storage();
  const stop = new AbortController();
  const done = whileWritable(watched, stop.signal, untilStopped);
  watched.is(FULL);
  watched.is(null);
  stop.abort();
  await expect(done).resolves.toBe('stopped');
  expect(watched.listeners.size).toBe(0);
});

it('permanent trouble stops the work and gives the reason, even if it began earlier', async () => {
  const watched = storage();
  const later = whileWritable(watched, new AbortController().signal, untilStopped);
  watched.is(ENDED);
  await expect(later).rejects.toMatchObject(REFUSAL);
  expect(watched.listeners.size).toBe(0);
  const before = whileWritable(storage(ENDED), new AbortController().signal, untilStopped);
  await expect(before).rejects.toMatchObject(REFUSAL);
});

function disk() {
  const incidents = new OpenIncidents({ clock: new FakeClock(), log: new RecordedLog() });
  const slow = new SlowDisk('/var/lib/receiptd', incidents);
  return (...ms: number[]) => {
    for (const each of ms) slow.synced(each);
    return incidents.list().map(({ code, params }) => ({ code, params }));
  };
}

it('the agent reports a disk that stays slow once, and its recovery once', () => {
  const took = disk();
  expect(took(2_000, 2_000, 2_000, 2_000)).toEqual([]);
  const [said] = took(2_400);
  const params = { stateDir: '/var/lib/receiptd', seconds: 2, answers: true };
  expect(said).toEqual({ code: 'DISK_SLOW', params });
  expect(took(9_000, 1_000)).toEqual([said]);
  expect(took(10, 10, 10, 10)).toEqual([said]);
  expect(took(10)).toEqual([]);
});

it('the agent reports a disk that does not answer once, and its recovery once', async () => {
  const clock = new FakeClock();
  const log = new RecordedLog();
  const incidents = new OpenIncidents({ clock, log });
  const stop = new AbortController();
  let ms = 0;
  const watching = new SlowDisk('/var/lib/receiptd', incidents).watch(
    { silentMs: () => ms },
    clock,
    stop.signal,
  );
  const said = () => incidents.list().map(({ code, params }) => ({ code, params }));
  ms = 29_000;
  await clock.advance(10_000);
  expect(said()).toEqual([]);
  ms = 39_000;
  await clock.advance(30_000);
  expect(said()).toEqual([
    { code: 'DISK_SLOW', params: { stateDir: '/var/lib/receiptd', seconds: 30, answers: false } },
  ]);
  expect(log.said('A problem began')).toHaveLength(1);
  ms = 0;
  await clock.advance(10_000);
  expect(said()).toEqual([]);
  stop.abort();
  await watching;
});

it('the agent reports nothing about a disk that is slow now and then', () => {
  expect(disk()(10, 3_000, 3_000, 3_000, 3_000, 400, 3_000, 3_000, 3_000, 3_000, 10)).toEqual([]);
});

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

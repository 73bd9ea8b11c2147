import { beforeEach, describe, expect, it } from 'vitest';
import type { FileIdentity } from '../../src/core/domain/document.ts';
import { UnstableFiles, type UnstableFile } from '../../src/intake/stability.ts';
import { FakeClock } from '../support/fakeClock.ts';

const TIMES = { shortMs: 200, longMs: 5_000, patienceMs: 60_000 };

let clock: FakeClock;
let unstable: UnstableFiles;

function identity(n: number): FileIdentity {
  return { size: n, mtimeNs: BigInt(n), ctimeNs: BigInt(n), inode: 1n };
}

function takeOne(): UnstableFile {
  const [file, ...others] = unstable.takeDue(10);
  expect(others).toEqual([]);
  if (!file) throw new Error('nothing is due');
  return file;
}

beforeEach(() => {
  clock = new FakeClock();
  unstable = new UnstableFiles(clock, TIMES, { capacity: 3 });
});

describe('a file', () => {
  it('is due after the short quiet time, which restarts at every change', async () => {
    unstable.see('a', identity(1), 'fresh');
    await clock.advance(150);
    unstable.see('a', identity(2), 'fresh');
    await clock.advance(150);
    expect(unstable.takeDue(10)).toEqual([]);
    expect(unstable.nextDueIn()).toBe(50);
    await clock.advance(50);
    expect(takeOne().identity).toEqual(identity(2));
  });

  it('is not taken twice while it is being examined', async () => {
    unstable.see('a', identity(1), 'fresh');
    await clock.advance(200);
    const file = takeOne();
    expect(unstable.takeDue(10)).toEqual([]);
    expect(unstable.nextDueIn()).toBeNull();
    unstable.keep(file);
    expect(unstable.takeDue(10)).toHaveLength(1);
  });

  it('is due sooner by the time that it has already been at rest', async () => {
    unstable.see('a', identity(1), 'fresh', 150);
    expect(unstable.nextDueIn()).toBe(50);
    await clock.advance(50);
    expect(unstable.isStill(takeOne())).toBe(true);
  });

  it('that has been at rest for an hour and may grow waits for the rest of the long quiet time', () => {
    unstable.see('a', identity(1), 'fresh', 3_600_000);
    const file = takeOne();
    expect(unstable.isStill(file)).toBe(true);
    expect(unstable.requireQuiet(file, 'long')).toBe(false);
    unstable.keep(file);
    expect(unstable.nextDueIn()).toBe(4_800);
  });

  it('that has rested and then changes starts over', async () => {
    unstable.see('a', identity(1), 'fresh', 3_600_000);
    unstable.see('a', identity(2), 'fresh', 3_600_000);
    expect(unstable.nextDueIn()).toBe(200);
  });

  it('that may grow waits for the long quiet time', async () => {
    unstable.see('a', identity(1), 'fresh');
    await clock.advance(200);
    const file = takeOne();
    expect(unstable.requireQuiet(file, 'long')).toBe(false);
    unstable.keep(file);
    await clock.advance(4_799);
    expect(unstable.takeDue(10)).toEqual([]);
    await clock.advance(1);
    expect(unstable.requireQuiet(takeOne(), 'long')).toBe(true);
  });

  it('that is incomplete does not begin its patience anew when the configuration is reloaded, unless it has changed', async () => {
    const still = new Map();
    const wait = { reason: 'INCOMPLETE', why: { is: 'heldBack' } } as const;
    const reloaded = () => (unstable = new UnstableFiles(clock, TIMES, { still }));
    const givenUp = () => {
      const file = takeOne();
      const waits = unstable.markIncomplete(file, file.identity, wait.reason, wait.why);
      if (!waits) unstable.done(file, file.identity);
      return !waits;
    };
    reloaded().see('a', identity(1), 'fresh');
    await clock.advance(TIMES.shortMs);
    expect(givenUp()).toBe(false);
    await clock.advance(TIMES.patienceMs - TIMES.shortMs - 1);
    reloaded().see('a', identity(1), 'fresh');
    expect(givenUp()).toBe(false);
    reloaded().see('a', identity(1), 'fresh');
    await clock.advance(1);
    expect(givenUp()).toBe(true);
    expect(still).toEqual(new Map());

    reloaded().see('b', identity(1), 'fresh');
    await clock.advance(TIMES.shortMs);
    expect(givenUp()).toBe(false);
    await clock.advance(TIMES.patienceMs);
    reloaded().see('b', identity(2), 'fresh');
    expect(unstable.takeDue(10)).toEqual([]);
    await clock.advance(TIMES.shortMs);
    expect(givenUp()).toBe(false);
  });

  it('that is incomplete is examined at intervals until its time is up', async () => {
    unstable.see('a', identity(1), 'fresh');
    let looks = 0;
    for (;;) {
      await clock.advance(unstable.nextDueIn() ?? 0);
      looks += 1;
      if (!unstable.markIncomplete(takeOne(), identity(1), 'INCOMPLETE', { is: 'empty' })) break;
    }
    expect(clock.monotonic()).toBe(TIMES.patienceMs);
    expect(looks).toBeGreaterThan(10);
    expect(looks).toBeLessThan(60);
  });

  it('that changes while it is judged is judged again, whatever the verdict', async () => {
    for (const found of [
      (file: UnstableFile) => unstable.done(file, identity(1)),
      (file: UnstableFile) => void unstable.markIncomplete(file, identity(1), 'INCOMPLETE', { is: 'empty' }),
      (file: UnstableFile) => unstable.disturbed(file),
    ]) {
      unstable.see('a', identity(1), 'fresh');
      await clock.advance(200);
      const file = takeOne();
      unstable.see('a', identity(2), 'fresh');
      found(file);
      expect(unstable.has('a')).toBe(true);
      await clock.advance(200);
      const again = takeOne();
      expect(again).toMatchObject({ identity: identity(2), waitsFor: null });
      unstable.done(again, identity(2));
      expect(unstable.has('a')).toBe(false);
    }
  });
});

describe('room for new files', () => {
  it('is made by giving up incomplete files early', async () => {
    for (const path of ['a', 'b', 'c']) unstable.see(path, identity(1), 'fresh');
    await clock.advance(TIMES.longMs - 1);
    const [first, second] = unstable.takeDue(3);
    if (!first || !second) throw new Error('nothing is due');
    expect(unstable.markIncomplete(first, identity(1), 'INCOMPLETE', { is: 'empty' })).toBe(true);
    await clock.advance(1);
    expect(unstable.markIncomplete(first, identity(1), 'INCOMPLETE', { is: 'empty' })).toBe(false);
    unstable.done(first, identity(1));
    expect(unstable.markIncomplete(second, identity(1), 'INCOMPLETE', { is: 'empty' })).toBe(true);
  });

  it('becomes free when a file is done, and the wait for it is counted', async () => {
    for (const path of ['a', 'b', 'c']) unstable.see(path, identity(1), 'fresh');
    const waiting = unstable.room(new AbortController().signal);
    await clock.advance(200);
    expect([unstable.isFull, unstable.roomWaitedMs]).toEqual([true, 0]);
    const [file, later] = unstable.takeDue(2);
    if (!file || !later) throw new Error('nothing is due');
    unstable.retryLater(later);
    unstable.done(file, identity(1));
    await waiting;
    expect(unstable.roomWaitedMs).toBe(200);
    // The third one is due at once; the one for which there was no room, later.
    unstable.done(takeOne(), identity(1));
    expect(unstable.nextDueIn()).toBe(5_000);
  });

  it('is not awaited after an abort', async () => {
    for (const path of ['a', 'b', 'c']) unstable.see(path, identity(1), 'fresh');
    const stop = new AbortController();
    const waiting = unstable.room(stop.signal);
    stop.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
  });
});

describe('an unreadable file', () => {
  it('on an unreachable share is never noted as unreadable', async () => {
    unstable.see('a', identity(1), 'fresh');
    for (let tries = 0; tries < 30; tries += 1) {
      await clock.advance(unstable.nextDueIn() ?? 0);
      expect(unstable.blocked(takeOne(), 'ESTALE')).toBe(true);
    }
    expect(clock.monotonic()).toBeGreaterThan(600_000);
    expect(unstable.unreadable.size).toBe(0);
  });

  it('is noted at once if others wait for room', async () => {
    for (const path of ['a', 'b', 'c']) unstable.see(path, identity(1), 'fresh');
    await clock.advance(200);
    const [file] = unstable.takeDue(1);
    if (!file) throw new Error('nothing is due');
    expect(unstable.blocked(file, 'EACCES')).toBe(false);
    unstable.done(file, identity(1));
    expect(unstable.isFull).toBe(false);
  });
});

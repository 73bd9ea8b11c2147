/** Memory that is used again must be nobody's by then: the next image would be sent in the place of this one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { ImageBuffers } from '../../src/keeper/imageBuffers.ts';
import type { UploadRequest } from '../../src/core/ports/service.ts';
import { isEveryCase } from '../support/everyCase.ts';
import { settle } from '../support/fakeClock.ts';
import { accept, pending, status, type Script } from '../support/scriptedService.ts';
import { OFFICE, sendingPlace } from '../flow/sending.ts';

const SLAB = 16 * 1024 * 1024;

/** Whether two buffers have a byte in common. */
function overlap(a: Buffer, b: Buffer): boolean {
  return (
    a.buffer === b.buffer && a.byteOffset < b.byteOffset + b.length && b.byteOffset < a.byteOffset + a.length
  );
}

it('reuses returned buffers, and never lends one twice', () => {
  const buffers = new ImageBuffers(() => {});
  const first = buffers.take(300_000);
  expect(first.length).toBe(300_000);
  expect(overlap(buffers.take(300_000), first)).toBe(false);
  buffers.giveBack(first);
  const again = buffers.take(290_000);
  expect(overlap(again, first)).toBe(true);
  expect(again.length).toBe(290_000);
  // The one who had it before gives it back a second time: it is another's by now.
  buffers.giveBack(first);
  expect(overlap(buffers.take(290_000), again)).toBe(false);
});

it('ignores foreign buffers', () => {
  const buffers = new ImageBuffers(() => {});
  const foreign = Buffer.alloc(10_000);
  buffers.giveBack(foreign);
  expect(buffers.take(10_000).buffer).not.toBe(foreign.buffer);
  expect(buffers.take(0).length).toBe(0);
});

it('never lends the same byte to two at a time, whatever comes and goes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ size: fc.integer({ min: 0, max: 6_000_000 }), leaves: fc.nat() }), {
        maxLength: 60,
      }),
      (steps) => {
        const buffers = new ImageBuffers(() => {});
        const lent: Buffer[] = [];
        for (const { size, leaves } of steps) {
          const taken = buffers.take(size);
          expect(taken.length).toBe(size);
          expect(lent.filter((other) => overlap(other, taken))).toEqual([]);
          lent.push(taken);
          if (leaves % 3 > 0)
            for (const given of lent.splice(leaves % lent.length, 1)) buffers.giveBack(given);
        }
        for (const each of lent) buffers.giveBack(each);
        // What was given back has joined up again.
        expect(buffers.take(SLAB).buffer).toBeInstanceOf(SharedArrayBuffer);
      },
    ),
    { numRuns: isEveryCase ? 500 : 20 },
  );
});

it('places nothing where a lost buffer was, because a socket may still read a part of it', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const onDropped = vi.fn();
  const buffers = new ImageBuffers(onDropped);
  const kept = buffers.take(100_000);
  // The buffer itself is lost; a part of it is not.
  const part = buffers.take(100_000).subarray(10, 20);
  await vi.waitFor(() => {
    collect();
    const probe = buffers.take(100_000);
    expect(overlap(probe, part)).toBe(false);
    // Its slab is out of use.
    expect(probe.buffer).not.toBe(part.buffer);
    expect(onDropped).toHaveBeenCalledOnce();
  });
  buffers.giveBack(kept);
  expect(buffers.take(100_000).buffer).not.toBe(part.buffer);
});

it('frees its memory after a short idle time, and not before', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const onDropped = vi.fn();
    const buffers = new ImageBuffers(onDropped);
    const lent = buffers.take(1_000_000);
    buffers.giveBack(lent);
    buffers.clear();
    vi.advanceTimersByTime(14_900);
    const again = buffers.take(1_000_000);
    expect(again.buffer).toBe(lent.buffer);
    vi.advanceTimersByTime(14_900);
    // Memory that is lent stays.
    buffers.clear();
    vi.advanceTimersByTime(15_000);
    const other = buffers.take(1_000_000);
    expect(other.buffer).toBe(lent.buffer);
    for (const each of [again, other]) buffers.giveBack(each);
    // Of a slab that held only single scans, little is in use.
    buffers.clear();
    vi.advanceTimersByTime(15_000);
    const photograph = buffers.take(5_000_000);
    expect(photograph.buffer).toBe(lent.buffer);
    expect(onDropped).not.toHaveBeenCalled();
    buffers.giveBack(photograph);
    buffers.clear();
    vi.advanceTimersByTime(15_000);
    // What else has a view of it is told to let go.
    expect(onDropped).toHaveBeenCalledOnce();
    expect(buffers.take(1_000_000).buffer).not.toBe(lent.buffer);
  } finally {
    vi.useRealTimers();
  }
});

it('shares memory up to its limit, and lends ordinary memory beyond it', () => {
  const buffers = new ImageBuffers(() => {}, { mostBytes: 2 * SLAB });
  const areShared = (): boolean[] => {
    const lent = Array.from({ length: 6 }, () => buffers.take(6_000_000));
    expect(lent.map(({ length }) => length)).toEqual(lent.map(() => 6_000_000));
    for (const each of lent) buffers.giveBack(each);
    return lent.map(({ buffer }) => buffer instanceof SharedArrayBuffer);
  };
  expect(areShared()).toEqual([true, true, true, true, false, false]);
  expect(buffers.sharedBytes).toBe(2 * SLAB);
  expect(areShared()).toEqual([true, true, true, true, false, false]);
  expect(buffers.take(SLAB + 1).buffer).not.toBeInstanceOf(SharedArrayBuffer);
});

it('does not hold on to buffers that are never returned', async () => {
  const buffers = new ImageBuffers(() => {});
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let image = 0; image < 800; image += 1) {
    buffers.take(570_000).fill(1);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    if (image % 8 === 0) await settle();
  }
  expect(most).toBeLessThan(250_000_000);
});

it('gives an image that is larger than a slab one of its own, for once', () => {
  const onDropped = vi.fn();
  const buffers = new ImageBuffers(onDropped);
  const large = buffers.take(2 * SLAB + 1);
  expect(large.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(large.length).toBe(2 * SLAB + 1);
  buffers.giveBack(large);
  expect(onDropped).toHaveBeenCalledOnce();
  expect(buffers.take(1_000).buffer).not.toBe(large.buffer);
});

it('shares memory again some time after lost buffers were garbage-collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const buffers = new ImageBuffers(() => {}, { mostBytes: SLAB });
  const lose = (): void => {
    for (let image = 0; image < 6; image += 1) buffers.take(5_000_000);
  };
  const areShared = (): boolean => buffers.take(5_000_000).buffer instanceof SharedArrayBuffer;
  lose();
  expect(areShared()).toBe(false);
  const due: (() => void)[] = [];
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    if (ms === 5_000) due.push(run);
    return { unref: () => {} };
  }) as unknown as typeof setTimeout);
  try {
    while (due.length === 0) {
      collect();
      await nextTurn();
    }
    expect(areShared()).toBe(false);
    // Slabs of the tests before may be collected first.
    do {
      for (const run of due.splice(0)) run();
      collect();
      await nextTurn();
    } while (!areShared());
  } finally {
    timer.mockRestore();
  }
});

/** What is given back of one document, which is accepted in the end. */
async function givenBack(options: {
  readonly mode?: 'auto' | 'never';
  readonly script?: Script;
  readonly takes?: (request: UploadRequest) => boolean;
}): Promise<string[]> {
  const place = await sendingPlace(['a.jpg']);
  const given: string[] = [];
  const giveBack = (bytes: Buffer): void => void given.push(bytes.toString());
  place.service.script = options.script ?? accept;
  place.service.takes = options.takes ?? (() => true);
  const { accepted } = await place.start({
    keeping: { mode: options.mode ?? 'auto', buffers: { giveBack } },
  });
  await place.clock.advanceUntil(() => accepted.length === 1, 100);
  await settle();
  return given;
}

/** Takes all bytes of a request from the `nth` on. */
function takesFrom(nth: number): () => boolean {
  let asked = 0;
  return () => (asked += 1) >= nth;
}

const RENEWED: Script = (request) => (request.token === 'token-1' ? status(401) : accept(request));
const REPEATED: Script = (request, asked) => (asked.length === 1 ? status(503) : accept(request));
const BYTES = ['the text of a.jpg'];

it.each<[string, Parameters<typeof givenBack>[0], string[]]>([
  ['is accepted (spool: auto)', { mode: 'auto' }, BYTES],
  ['is accepted (spool: never)', { mode: 'never' }, BYTES],
  ['is accepted before it was fully sent', { takes: () => false }, []],
  ['is accepted after a 401', { script: RENEWED }, BYTES],
  [
    'is accepted while the request before may still read it',
    { script: RENEWED, takes: ({ token }) => token === 'token-2' },
    [],
  ],
  ['is accepted at a second delivery', { mode: 'never', script: REPEATED }, BYTES],
  [
    'is accepted at a second delivery, while the first may still read it',
    { mode: 'never', script: REPEATED, takes: takesFrom(2) },
    [],
  ],
])('returns a buffer only if nobody reads it, when its image %s', async (_, options, given) => {
  expect(await givenBack(options)).toEqual(given);
});

/**
 * What is given back of one document whose answer comes once the spool has begun a copy, and perhaps made it: before and after the copy
 * is made. `copies`: those that are left then.
 */
async function givenBackWhileCopied({ finishes, isTaken = true }: { finishes: boolean; isTaken?: boolean }) {
  const { answer, give } = pending();
  const place = await sendingPlace();
  const given: Buffer[] = [];
  const giveBack = (bytes: Buffer): void => void given.push(bytes);
  place.service.script = () => answer;
  place.service.takes = () => isTaken;
  const document = await place.admit('a.jpg');
  let isBegun = false;
  let finishNow = (): void => {};
  const finish = new Promise<void>((resolve) => (finishNow = resolve));
  if (finishes) finishNow();
  const beforePut = async (): Promise<void> => {
    isBegun = true;
    await finish;
  };
  const { accepted, spool, payloads } = await place.start({
    keeping: { mode: 'auto', buffers: { giveBack }, beforePut },
  });
  // An upload that takes long is copied meanwhile.
  await place.clock.advanceUntil(() => isBegun && (!finishes || spool.has(document.sha256)), 100);
  give(accept({ name: document.name, endpoint: OFFICE } as UploadRequest));
  await place.clock.advanceUntil(() => accepted.length === 1, 100);
  await settle();
  const before = given.map(String);
  finishNow();
  // Its turn comes after all that is done with the copy.
  await payloads.copies.make(document.sha256, Buffer.of(), () => false);
  await settle();
  return { before, after: given.map(String), copies: spool.hashes().length };
}

it.each([
  ['returns a buffer that was copied to the spool', { finishes: true }, BYTES, BYTES],
  ['does not return a buffer while it is being copied to the spool', { finishes: false }, [], BYTES],
  [
    'does not return a buffer that was copied while a request may still read it',
    { finishes: false, isTaken: false },
    [],
    [],
  ],
])('%s, once its image is accepted, and keeps no copy', async (_, options, before, after) => {
  expect(await givenBackWhileCopied(options)).toEqual({ before, after, copies: 0 });
});

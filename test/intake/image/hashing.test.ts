import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHashing } from '../../../src/intake/image/hashing.ts';
import { compile } from '../../support/scripts.ts';

let program: Awaited<ReturnType<typeof compile>>;
beforeAll(async () => {
  program = await compile('wiring/hashThread.ts');
});

function shared(bytes: Uint8Array, offset = 0): Buffer {
  const buffer = Buffer.from(new SharedArrayBuffer(offset + bytes.length + 7), offset, bytes.length);
  buffer.set(bytes);
  return buffer;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function image(size: number, seed: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * seed) & 0xff));
}

describe('the hash of an image', () => {
  it('is computed in the calling thread for small images and unshared memory', async () => {
    const { hash } = createHashing('/there/is/no/program.js', { few: 0 });
    const [small, large] = [image(1_000, 3), image(100_000, 5)];
    expect(await hash(shared(small))).toBe(digestOf(small));
    expect(await hash(large)).toBe(digestOf(large));
  });

  it('is computed in the calling thread once the worker fails, even for waiting calls', async () => {
    const { hash } = createHashing('/there/is/no/program.js', { few: 0 });
    const images = [image(100_000, 3), image(100_000, 5)];
    expect(await Promise.all(images.map((bytes) => hash(shared(bytes))))).toEqual(images.map(digestOf));
    expect(await hash(shared(images[0]!))).toBe(digestOf(images[0]!));
  });

  it('starts a thread only when there are more than a few large images', async () => {
    const threads = vi.fn();
    process.on('worker', threads);
    onTestFinished(() => void process.off('worker', threads));
    const { hash } = createHashing(fileURLToPath(program.url), { few: 3 });
    const bytes = image(100_000, 3);
    for (let n = 0; n < 3; n += 1) expect(await hash(shared(bytes))).toBe(digestOf(bytes));
    expect(threads).not.toHaveBeenCalled();
    for (let n = 0; n < 3; n += 1) expect(await hash(shared(bytes))).toBe(digestOf(bytes));
    expect(threads).toHaveBeenCalledOnce();
  });

  it('is computed by a new thread after the first one was idle for a while', async () => {
    let threads = 0;
    const onWorker = (): void => void (threads += 1);
    process.on('worker', onWorker);
    onTestFinished(() => void process.off('worker', onWorker));
    const { hash } = createHashing(fileURLToPath(program.url), { few: 0, idleMs: 1 });
    const bytes = image(100_000, 3);
    await vi.waitUntil(async () => {
      expect(await hash(shared(bytes))).toBe(digestOf(bytes));
      return threads > 2;
    }, 30_000);
  });

  it('is computed by a thread that ends after its last request once memory was dropped', async () => {
    const exits: Promise<unknown>[] = [];
    const onWorker = (started: Worker): void => void exits.push(once(started, 'exit'));
    process.on('worker', onWorker);
    onTestFinished(() => void process.off('worker', onWorker));
    const { hash, forget } = createHashing(fileURLToPath(program.url), { few: 0 });
    const bytes = image(100_000, 3);
    const busy = Promise.all([hash(shared(bytes)), hash(shared(bytes))]);
    forget();
    expect(await busy).toEqual([digestOf(bytes), digestOf(bytes)]);
    await exits[0];
    // The next one rests at once.
    expect(await hash(shared(bytes))).toBe(digestOf(bytes));
    forget();
    await exits[1];
    expect(exits).toHaveLength(2);
  });
});

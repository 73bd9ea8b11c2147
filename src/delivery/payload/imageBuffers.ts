import type { Buffers } from '../../core/ports/buffers.ts';

/** Sizes are rounded up in steps of a quarter of a power of two, so that the next image fits too. */
const PARTS = 4;
const SMALLEST_BYTES = 4096;
/** Cap on shared memory: free, lent, and dropped but not collected yet. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Delay before free memory is dropped: if uploads are faster than reading files, delivery is often idle for a moment. */
const QUIET_MS = 1_000;

/**
 * A pool of shared memory for images. Allocating new memory for each image would trigger garbage collection all the time: the
 * engine counts bytes outside its heap, and a few dozen photographs equal a whole heap. Shared memory can also be passed to the
 * hashing thread. A block is
 *
 *   free ──take──▶ lent ──giveBack──▶ free
 *     │              └──forgotten──┐
 *     └──makes room, or clear──────┴──▶ dropped ──the engine collects it──▶ gone
 *
 * The engine does not count shared memory and therefore collects it late, so hundreds of megabytes could pile up. The total is
 * counted here instead, including dropped blocks, until they are collected. Beyond the cap, ordinary memory is used, which the
 * engine counts and collects in time. Nobody waits here: the budgets of readers, caches and senders bound the image bytes in use
 * (ByteBudget, PayloadCache).
 */
export class ImageBuffers implements Buffers {
  readonly #mostBytes: number;
  #clearing: NodeJS.Timeout | null = null;
  /** By size, most recently used last. */
  readonly #free = new Map<number, SharedArrayBuffer[]>();
  /** Keyed by the view, not the memory, so that giving back twice can't free memory that was lent again meanwhile. */
  readonly #lent = new WeakMap<Buffer, SharedArrayBuffer>();
  #sharedBytes = 0;
  readonly #collected = new FinalizationRegistry<number>((bytes) => {
    this.#sharedBytes -= bytes;
  });

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes of shared memory that were allocated and not collected yet. */
  get sharedBytes(): number {
    return this.#sharedBytes;
  }

  take(size: number): Buffer {
    if (this.#clearing !== null) clearTimeout(this.#clearing);
    this.#clearing = null;
    const memory = this.#fitting(size) ?? this.#make(rounded(size));
    if (memory === null) return Buffer.allocUnsafeSlow(size);
    const bytes = Buffer.from(memory, 0, size);
    this.#lent.set(bytes, memory);
    return bytes;
  }

  giveBack(bytes: Buffer): void {
    const memory = this.#lent.get(bytes);
    if (!memory) return;
    this.#lent.delete(bytes);
    const alike = this.#free.get(memory.byteLength) ?? [];
    alike.push(memory);
    this.#free.delete(memory.byteLength);
    this.#free.set(memory.byteLength, alike);
  }

  /** Nothing is in flight: drops the free memory, unless more is taken within a moment. */
  clear(): void {
    this.#clearing ??= setTimeout(() => {
      this.#clearing = null;
      this.#free.clear();
    }, QUIET_MS).unref();
  }

  /** The smallest block that fits, if not much too large. */
  #fitting(size: number): SharedArrayBuffer | undefined {
    const least = rounded(size);
    for (let of = least; of <= 2 * least; of = rounded(of + 1)) {
      const memory = this.#free.get(of)?.pop();
      if (memory) return memory;
    }
    return undefined;
  }

  /** Null if the cap would be exceeded; then a free block of another size is dropped to make room for later. */
  #make(size: number): SharedArrayBuffer | null {
    if (this.#sharedBytes + size > this.#mostBytes) {
      for (const [of, memories] of this.#free) {
        if (memories.pop()) break;
        this.#free.delete(of);
      }
      return null;
    }
    const memory = new SharedArrayBuffer(size);
    this.#sharedBytes += size;
    this.#collected.register(memory, size);
    return memory;
  }
}

function rounded(size: number): number {
  const step = Math.max(SMALLEST_BYTES, 2 ** Math.floor(Math.log2(Math.max(1, size))) / PARTS);
  return Math.ceil(size / step) * step;
}

import type { Buffers } from '../../core/ports/buffers.ts';

/** Freed memory is rounded up to a quarter of a power of two, so that the next image fits as well. */
const PARTS = 4;
const SMALLEST_BYTES = 4096;
/** Shared memory that exists at once: free, lent, and dropped but not collected yet. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Uploads that are faster than the reading of files have nothing to do again and again. */
const QUIET_MS = 1_000;

/**
 * New memory for each image would make the engine look for garbage all the time: it counts bytes outside its heap, and a
 * few dozen photographs are as much as a whole heap. It can be shared with the thread that hashes. A piece of memory is
 *
 *   free ──take──▶ lent ──giveBack──▶ free
 *     │              └──forgotten──┐
 *     └──makes room, or clear──────┴──▶ dropped ──the engine collects it──▶ gone
 *
 * The engine does not count shared memory, so it is in no hurry to collect it: hundreds of megabytes would pile up. So its
 * total is counted here, dropped memory included, until the engine says that it is gone. What goes beyond is ordinary
 * memory, which the engine counts and collects in time. Nobody waits here: how many bytes of images are in use at once is
 * bounded by the budgets of those who read, keep and send them (ByteBudget, Hand).
 */
export class ImageBuffers implements Buffers {
  readonly #mostBytes: number;
  #clearing: NodeJS.Timeout | null = null;
  /** By size, that which was needed last at the end. */
  readonly #free = new Map<number, SharedArrayBuffer[]>();
  /** By the view, not by the memory: who gives back twice must not give away what another was lent meanwhile. */
  readonly #lent = new WeakMap<Buffer, SharedArrayBuffer>();
  #sharedBytes = 0;
  readonly #collected = new FinalizationRegistry<number>((bytes) => {
    this.#sharedBytes -= bytes;
  });

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Shared memory that has been made and is not collected yet. */
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

  /** Nothing is on its way: what is free is dropped, unless more comes within a moment. */
  clear(): void {
    this.#clearing ??= setTimeout(() => {
      this.#clearing = null;
      this.#free.clear();
    }, QUIET_MS).unref();
  }

  /** The smallest that fits, if it is not much too large. */
  #fitting(size: number): SharedArrayBuffer | undefined {
    const least = rounded(size);
    for (let of = least; of <= 2 * least; of = rounded(of + 1)) {
      const memory = this.#free.get(of)?.pop();
      if (memory) return memory;
    }
    return undefined;
  }

  /** Null where there would be too much. Free memory of the wrong size makes way for a later one. */
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

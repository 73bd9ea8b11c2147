import type { Buffers } from '../ports/buffers.ts';

/** Freed memory is rounded up to a quarter of a power of two, so that the next image fits as well. */
const PARTS = 4;
const SMALLEST_BYTES = 4096;
/** What may be free at once. */
const FREE_BYTES = 16 * 1024 * 1024;
const FREE_BUFFERS = 64;

/**
 * New memory for each image would make the engine look for garbage all the time: it counts bytes outside its heap, and a
 * few dozen photographs are as much as a whole heap. It can be shared with the thread that hashes. A piece of memory is
 *
 *   free ──take──▶ lent ──giveBack──▶ free, or dropped where enough is free
 *                    └──forgotten──▶ collected as garbage
 */
export class ImageBuffers implements Buffers {
  /** The longest free first. */
  readonly #free: SharedArrayBuffer[] = [];
  #freeBytes = 0;
  /** By the view, not by the memory: who gives back twice must not give away what another was lent meanwhile. */
  readonly #lent = new WeakMap<Buffer, SharedArrayBuffer>();

  take(size: number): Buffer {
    const memory = this.#fitting(size) ?? new SharedArrayBuffer(rounded(size));
    const bytes = Buffer.from(memory, 0, size);
    this.#lent.set(bytes, memory);
    return bytes;
  }

  giveBack(bytes: Buffer): void {
    const memory = this.#lent.get(bytes);
    if (!memory) return;
    this.#lent.delete(bytes);
    this.#free.push(memory);
    this.#freeBytes += memory.byteLength;
    while (this.#freeBytes > FREE_BYTES || this.#free.length > FREE_BUFFERS) this.#remove(0);
  }

  /** Drops what is free: nothing is on its way. */
  clear(): void {
    this.#free.length = 0;
    this.#freeBytes = 0;
  }

  /** The smallest that fits, if it is not much too large. */
  #fitting(size: number): SharedArrayBuffer | undefined {
    let best = -1;
    let bestBytes = 2 * rounded(size) + 1;
    for (const [index, { byteLength }] of this.#free.entries()) {
      if (byteLength < size || byteLength >= bestBytes) continue;
      best = index;
      bestBytes = byteLength;
    }
    return best < 0 ? undefined : this.#remove(best);
  }

  #remove(index: number): SharedArrayBuffer | undefined {
    const [memory] = this.#free.splice(index, 1);
    this.#freeBytes -= memory?.byteLength ?? 0;
    return memory;
  }
}

function rounded(size: number): number {
  const step = Math.max(SMALLEST_BYTES, 2 ** Math.floor(Math.log2(Math.max(1, size))) / PARTS);
  return Math.ceil(size / step) * step;
}

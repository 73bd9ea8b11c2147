import type { Buffers } from '../core/ports/buffers.ts';
import { Slab, type Span } from './slab.ts';

const SLAB_BYTES = 16 * 1024 * 1024;
/** Cap on shared memory: in use, and dropped but not collected yet. */
const MOST_BYTES = 4 * SLAB_BYTES;
/** How long a dropped slab counts after it was collected here: the thread that has a view of it too ends by then (`onDropped`). */
const HELD_BESIDE_MS = 5_000;
/** A free slab of which no more was touched is kept: single scans, each after a pause, would use up the cap with dropped slabs. */
const KEPT_BYTES = 4 * 1024 * 1024;
/**
 * Delay before free memory is dropped. Delivery is often idle for a moment, and what is dropped counts until it is collected: images
 * would soon get ordinary memory, in which they leave gaps that nothing fits.
 */
const QUIET_MS = 15_000;

/**
 * Shared memory for images, which lie side by side in a few slabs, each in the first gap that fits. New memory for each image
 * would have to be cleared by the system page by page, and would trigger garbage collection all the time: the engine counts bytes
 * outside its heap, and a few dozen photographs equal a whole heap. Shared memory can also be passed to the hashing thread.
 *
 * A lent buffer that is never given back may still be read by a socket, even after the engine has collected it, since a socket
 * may hold a part of it. Its slab is then dropped: what is lent from it stays valid, and nothing new is placed in it. A slab is
 *
 *   made ──▶ in use ──a lent buffer is collected, or clear──▶ dropped ──the engine collects it──▶ gone
 *
 * A thread that was given such memory has a view of its own, which pins the memory and which a thread with little garbage never
 * collects. `onDropped` ends it.
 *
 * An image larger than a slab gets one of its own, which is dropped when it is given back. The engine does not count shared
 * memory and therefore collects it late, so its total is limited here, including dropped slabs until they are gone. Images for
 * which there is no room get ordinary memory, which the engine counts and collects in time. Nobody waits here: the budgets of
 * readers, caches and senders bound the image bytes in use (ByteBudget, PayloadCache).
 */
export class ImageBuffers implements Buffers {
  readonly #mostBytes: number;
  readonly #slabBytes: number;
  readonly #onDropped: () => void;
  #clearing: NodeJS.Timeout | null = null;
  #slabs: Slab[] = [];
  #sharedBytes = 0;
  readonly #lent = new WeakMap<Buffer, Span>();
  readonly #forgotten = new FinalizationRegistry<Slab>((slab) => this.#drop((each) => each === slab));
  readonly #collected = new FinalizationRegistry<number>((bytes) => {
    setTimeout(() => (this.#sharedBytes -= bytes), HELD_BESIDE_MS).unref();
  });

  constructor(onDropped: () => void, { mostBytes = MOST_BYTES, slabBytes = SLAB_BYTES } = {}) {
    this.#mostBytes = mostBytes;
    this.#slabBytes = slabBytes;
    this.#onDropped = onDropped;
  }

  /** Bytes of shared memory that were allocated and may still be in use. */
  get sharedBytes(): number {
    return this.#sharedBytes;
  }

  take(size: number): Buffer {
    if (this.#clearing !== null) clearTimeout(this.#clearing);
    this.#clearing = null;
    const span = this.#place(size);
    if (span === null) return Buffer.allocUnsafeSlow(size);
    const bytes = Buffer.from(span.slab.memory, span.offset, size);
    this.#lent.set(bytes, span);
    this.#forgotten.register(bytes, span.slab, span);
    return bytes;
  }

  giveBack(bytes: Buffer): void {
    const span = this.#lent.get(bytes);
    if (!span) return;
    this.#lent.delete(bytes);
    this.#forgotten.unregister(span);
    span.slab.giveBack(span);
    if (span.length > this.#slabBytes) this.#drop((slab) => slab === span.slab);
  }

  /** Nothing is in flight: drops the free slabs that take much memory, unless more is taken within a moment. */
  clear(): void {
    this.#clearing ??= setTimeout(() => {
      this.#clearing = null;
      this.#drop((slab) => slab.isFree && slab.touchedBytes > KEPT_BYTES);
    }, QUIET_MS).unref();
  }

  #place(size: number): Span | null {
    for (const slab of this.#slabs) {
      const span = slab.take(size);
      if (span !== null) return span;
    }
    const bytes = Math.max(size, this.#slabBytes);
    if (this.#sharedBytes + bytes > this.#mostBytes) return null;
    const slab = new Slab(bytes);
    this.#slabs.push(slab);
    this.#sharedBytes += bytes;
    this.#collected.register(slab.memory, bytes);
    return slab.take(size);
  }

  #drop(isMeant: (slab: Slab) => boolean): void {
    const kept = this.#slabs.filter((slab) => !isMeant(slab));
    if (kept.length === this.#slabs.length) return;
    this.#slabs = kept;
    this.#onDropped();
  }
}

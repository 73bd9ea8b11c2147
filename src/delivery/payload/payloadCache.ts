/**
 * Bytes in hand: an image just admitted is sent from memory if its turn comes soon, so that it is read once. A place is
 *
 *   free ──reserve──▶ reserved ──put──▶ held ──take──▶ free
 *     ▲                  └───────release───────────────┘
 *
 * One image larger than the whole limit may be held alone.
 */
export class PayloadCache {
  readonly #limit: number;
  readonly #places: number;
  #used = 0;
  #taken = 0;
  readonly #bytes = new Map<number, Buffer>();
  readonly #waiting = new Set<Waiter>();

  /**
   * @param limit bytes
   * @param places images, however small: thousands of small ones would wait too long for their turn
   */
  constructor(limit: number, places = Infinity) {
    this.#limit = limit;
    this.#places = places;
  }

  reserve(size: number): boolean {
    if (this.#waiting.size > 0 || !this.#fits(size)) return false;
    this.#occupy(size);
    return true;
  }

  /** Waits for room, first come first served, until `signal` aborts; whether there is a place then. */
  async reserveUntil(size: number, signal: AbortSignal): Promise<boolean> {
    if (this.reserve(size)) return true;
    // Waiting for an empty hand, one image would keep all others from it.
    if (signal.aborted || size > this.#limit) return false;
    return new Promise((resolve) => {
      const end = (granted: boolean): void => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', giveUp);
        resolve(granted);
        if (!granted) this.#grant();
      };
      const giveUp = (): void => end(false);
      const waiter: Waiter = { size, grant: () => end(true) };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  release(size: number): void {
    this.#used -= size;
    this.#taken -= 1;
    this.#grant();
  }

  /** Into a place that was reserved for it. */
  put(documentId: number, bytes: Buffer): void {
    if (this.#bytes.has(documentId)) this.release(bytes.length);
    else this.#bytes.set(documentId, bytes);
  }

  /** Holds the bytes if there is room for them now. */
  offer(documentId: number, bytes: Buffer): boolean {
    if (this.#bytes.has(documentId)) return true;
    if (!this.reserve(bytes.length)) return false;
    this.put(documentId, bytes);
    return true;
  }

  has(documentId: number): boolean {
    return this.#bytes.has(documentId);
  }

  take(documentId: number): Buffer | undefined {
    const bytes = this.#bytes.get(documentId);
    if (bytes) {
      this.#bytes.delete(documentId);
      this.release(bytes.length);
    }
    return bytes;
  }

  #fits(size: number): boolean {
    return this.#used === 0 || (this.#taken < this.#places && this.#used + size <= this.#limit);
  }

  #occupy(size: number): void {
    this.#used += size;
    this.#taken += 1;
  }

  /** Many at once, as their admissions then share a commit: once half of the room is free. */
  #grant(): void {
    if (this.#used > this.#limit / 2 || this.#taken > this.#places / 2) return;
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.size)) return;
      this.#occupy(waiter.size);
      waiter.grant();
    }
  }
}

interface Waiter {
  readonly size: number;
  readonly grant: () => void;
}

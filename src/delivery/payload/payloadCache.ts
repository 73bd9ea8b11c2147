/**
 * Image bytes in memory: an image that was just admitted is sent from memory if its turn comes soon, so that it is read only once.
 * A place is
 *
 *   free ──reserve──▶ reserved ──put──▶ held ──take──▶ free
 *     ▲                  └───────release───────────────┘
 *
 * An image larger than the whole limit may be held alone.
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
   * @param places images, whatever their size: thousands of small ones would wait too long for their turn
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

  /** Waits for room, first come first served. False if `signal` aborts first, or the image is larger than the limit. */
  async reserveUntil(size: number, signal: AbortSignal): Promise<boolean> {
    if (this.reserve(size)) return true;
    // An image that waits for an empty cache would keep all others out.
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

  /** Stores the bytes in a place reserved for them. */
  put(documentId: number, bytes: Buffer): void {
    if (this.#bytes.has(documentId)) this.release(bytes.length);
    else this.#bytes.set(documentId, bytes);
  }

  /** Stores the bytes if there is room now. */
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

  /** Grants room once half of it is free, to many waiters at once, because their admissions then share a commit. */
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

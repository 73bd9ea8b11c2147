import type { Clock } from '../core/ports/clock.ts';

/** Longest wait for room in memory. */
export const ROOM_WITHIN_MS = 1_000;
/** Waits that end at nearly the same time end together. */
const SAME_MS = 100;
/** Shared, because the default reason is created with a stack trace for each abort. */
const SOONER = new Error('there is room sooner');

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
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #places: number;
  #used = 0;
  #taken = 0;
  readonly #bytes = new Map<number, Buffer>();
  /** Oldest first. */
  readonly #waiting = new Set<Waiter>();
  #alarm: AbortController | null = null;

  /**
   * @param limit bytes
   * @param places images, whatever their size: thousands of small ones would wait too long for their turn
   */
  constructor(clock: Clock, limit: number, places = Infinity) {
    this.#clock = clock;
    this.#limit = limit;
    this.#places = places;
  }

  reserve(size: number): boolean {
    if (this.#waiting.size > 0 || !this.#fits(size)) return false;
    this.#occupy(size);
    return true;
  }

  /** Waits for room, first come first served. False if there is none in time, or the image is larger than the limit. */
  async reserveSoon(size: number): Promise<boolean> {
    if (this.reserve(size)) return true;
    // An image that waits for an empty cache would keep all others out.
    if (size > this.#limit) return false;
    return new Promise((end) => {
      this.#waiting.add({ size, until: this.#clock.monotonic() + ROOM_WITHIN_MS, end });
      this.#setAlarm();
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
      this.#waiting.delete(waiter);
      waiter.end(true);
    }
    this.#alarm?.abort(SOONER);
    this.#alarm = null;
  }

  #setAlarm(): void {
    const [oldest] = this.#waiting;
    if (this.#alarm || !oldest) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    this.#clock.sleep(oldest.until - this.#clock.monotonic(), alarm.signal).then(
      () => {
        this.#alarm = null;
        this.#endWaits();
      },
      () => {},
    );
  }

  #endWaits(): void {
    const due = this.#clock.monotonic() + SAME_MS;
    for (const waiter of this.#waiting) {
      if (waiter.until > due) break;
      this.#waiting.delete(waiter);
      waiter.end(false);
    }
    // The next ones may be smaller.
    this.#grant();
    this.#setAlarm();
  }
}

interface Waiter {
  readonly size: number;
  /** Monotonic. */
  readonly until: number;
  readonly end: (granted: boolean) => void;
}

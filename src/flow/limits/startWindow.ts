import PQueue from 'p-queue';
import type { Rate } from '../../core/domain/rate.ts';

/**
 * Limits the number of starts in any interval, with p-queue's strict window. That runs on the wall clock: after the clock is set back
 * by a day, it would block for a day, so it has to be renewed. RateWindow is monotonic.
 */
export class StartWindow {
  readonly #rate: Rate;
  #queue: PQueue;
  /** Starts that the window does not permit yet, in order. */
  readonly #waiting = new Set<() => void>();

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#queue = createQueue(rate);
  }

  /** Resolves once the window has room for another start, which it then counts. */
  start(): Promise<void> {
    return new Promise((start) => {
      this.#waiting.add(start);
      this.#add(start);
    });
  }

  /** Begins a new window; starts that are waiting keep their order. Call when the clock was set back. */
  renew(): void {
    this.#queue.clear();
    this.#queue = createQueue(this.#rate);
    if (this.#waiting.size === 0) return;
    // Starts wait only while the window is full, so the new one begins full.
    for (let n = 0; n < this.#rate.count; n += 1) void this.#queue.add(() => {});
    for (const start of this.#waiting) this.#add(start);
  }

  #add(start: () => void): void {
    void this.#queue.add(() => {
      this.#waiting.delete(start);
      start();
    });
  }
}

function createQueue({ intervalMs, count }: Rate): PQueue {
  return new PQueue({ interval: intervalMs, intervalCap: count, strict: true });
}

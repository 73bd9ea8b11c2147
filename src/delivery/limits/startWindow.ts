import PQueue from 'p-queue';
import type { Rate } from '../../core/domain/rate.ts';

/**
 * p-queue's strict window, for starts. It runs on the wall clock: after the clock is set back by a day, it would block for a day.
 * RateWindow is monotonic.
 */
export class StartWindow {
  readonly #rate: Rate;
  #queue: PQueue;
  /** Those that have not started, in order. */
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

  /** Begins a new window, in which those that wait keep their turn. Call when the clock was set back. */
  renew(): void {
    this.#queue.clear();
    this.#queue = createQueue(this.#rate);
    if (this.#waiting.size === 0) return;
    // They wait because the window is full, so the new one begins full.
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

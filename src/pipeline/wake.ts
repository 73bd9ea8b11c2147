import type { Clock } from '../ports/clock.ts';

/** Lets one loop sleep until somebody has something for it. A ring while nobody waits is kept, once. */
export class Wake {
  readonly #clock: Clock;
  #rung = false;
  #ring: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#ring?.();
  }

  /** Resolves when rung, after `ms` (null: never by itself), or when aborted. */
  async wait(ms: number | null, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      const slept = new AbortController();
      const rung = new Promise<void>((resolve) => {
        this.#ring = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true, signal: slept.signal });
      });
      const timer = ms === null ? [] : [this.#clock.sleep(ms, slept.signal).catch(() => {})];
      await Promise.race([rung, ...timer]);
      slept.abort();
      this.#ring = null;
    }
    this.#rung = false;
  }
}

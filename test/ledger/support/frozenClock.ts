import type { Clock } from '../../../src/core/ports/clock.ts';
import { systemClock } from '../../../src/system/systemClock.ts';

/** Sleeps last until it is thawed, as in a stopped process. */
export class FrozenClock implements Clock {
  #thaw: () => void = () => {};
  readonly #thawed = new Promise<void>((resolve) => (this.#thaw = resolve));
  readonly now = () => systemClock.now();
  readonly monotonic = () => systemClock.monotonic();

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await Promise.race([this.#thawed, aborted(signal)]);
    await systemClock.sleep(ms, signal);
  }

  thaw(): void {
    this.#thaw();
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

import type { Rate } from '../../core/domain/rate.ts';
import type { Clock } from '../../core/ports/clock.ts';

/** Parts into which an interval is divided for counting. */
const PARTS = 20;

/** Enforces a rate in any interval. Memory use does not depend on the rate. */
export class RateGate {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #counts: { readonly part: number; count: number }[] = [];
  #rate: Rate | null;

  constructor(rate: Rate | null, clock: Pick<Clock, 'monotonic'>) {
    this.#rate = rate;
    this.#clock = clock;
  }

  take(rate: Rate | null): void {
    if (rate?.intervalMs !== this.#rate?.intervalMs) this.#counts.length = 0;
    this.#rate = rate;
  }

  /** Lets one pass and returns null; otherwise returns the milliseconds until the next may pass. */
  pass(): number | null {
    if (this.#rate === null) return null;
    const { count, intervalMs } = this.#rate;
    const partMs = intervalMs / PARTS;
    const part = Math.floor(this.#clock.monotonic() / partMs);
    // One part more than an interval, so that none inside it is dropped.
    while (this.#counts[0] !== undefined && this.#counts[0].part < part - PARTS) this.#counts.shift();
    const passed = this.#counts.reduce((sum, each) => sum + each.count, 0);
    const [oldest] = this.#counts;
    if (passed >= count) return ((oldest?.part ?? part) + PARTS + 1) * partMs - this.#clock.monotonic();
    const last = this.#counts.at(-1);
    if (last?.part === part) last.count += 1;
    else this.#counts.push({ part, count: 1 });
    return null;
  }
}

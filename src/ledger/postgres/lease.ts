import type { Clock } from '../../core/ports/clock.ts';

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** Whether an agent's lease is certain, by both local clocks, since one of them may stand still. */
export class Lease {
  readonly #clock: Clock;
  readonly #ms: number;
  #until: Moment = { monotonic: -Infinity, wall: -Infinity };

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  get isCertain(): boolean {
    const { monotonic, wall } = this.#until;
    return this.#clock.monotonic() < monotonic && this.#clock.now() < wall;
  }

  /** Call before requesting the lease: the database starts it later. */
  begins(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  lasts({ monotonic, wall }: Moment): void {
    this.#until = { monotonic: monotonic + this.#ms, wall: wall + this.#ms };
  }
}

/** Of a clock what is needed here. */
export interface Clocks {
  now(): number;
  monotonic(): number;
}

/** Below this it is the usual correcting of a clock. */
const NOTICED_MS = 1_000;

/**
 * Notices when the wall clock and the monotonic one part: the machine was asleep (monotonic time may stand still
 * then), or somebody set the clock.
 */
export class ClockWatch {
  readonly #clock: Clocks;
  #ahead: number;

  constructor(clock: Clocks) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.monotonic();
  }

  /** Milliseconds that the wall clock has gained, or lost (negative), since it was last told; 0 for next to nothing. */
  takeJump(): number {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    const jump = ahead - this.#ahead;
    if (Math.abs(jump) < NOTICED_MS) return 0;
    this.#ahead = ahead;
    return jump;
  }
}

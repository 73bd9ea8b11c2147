/** The clock functions needed here. */
export interface Clocks {
  now(): number;
  monotonic(): number;
}

/** Smaller jumps are ordinary clock corrections, such as by NTP. */
const NOTICED_MS = 1_000;

/**
 * Detects when the wall clock and the monotonic clock diverge: the machine slept (monotonic time may stop then), or
 * somebody set the clock.
 */
export class ClockWatch {
  readonly #clock: Clocks;
  #ahead: number;

  constructor(clock: Clocks) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.monotonic();
  }

  /** Milliseconds that the wall clock gained (negative: lost) since the last call; 0 for insignificant differences. */
  takeJump(): number {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    const jump = ahead - this.#ahead;
    if (Math.abs(jump) < NOTICED_MS) return 0;
    this.#ahead = ahead;
    return jump;
  }
}

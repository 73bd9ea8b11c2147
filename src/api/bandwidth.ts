import type { Clock } from '../core/ports/clock.ts';

/** The size of a piece: small enough that a low cap gives an even flow, large enough to cost nothing. */
const PIECES_PER_SECOND = 20;
const MOST_BYTES = 64 * 1024;
const LEAST_BYTES = 512;

/**
 * A cap that all uploads share. Each piece is given the time from which the pieces before it are paid for, in the
 * order of asking; idle time saves nothing up. So no span of time sees more than its share and one piece.
 */
export class Bandwidth {
  readonly pieceBytes: number;
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor(bytesPerSecond: number, clock: Clock) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#clock = clock;
    const even = Math.floor(bytesPerSecond / PIECES_PER_SECOND);
    this.pieceBytes = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, even));
  }

  /** Resolves when so many bytes may go. */
  async take(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const now = this.#clock.monotonic();
    const at = Math.max(this.#freeAt, now);
    this.#freeAt = at + bytes / this.#bytesPerMs;
    if (at > now) await this.#clock.sleep(at - now, signal);
  }
}

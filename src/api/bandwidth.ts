import type { Clock } from '../core/ports/clock.ts';

/** Pieces per second under a cap: small enough for an even flow at a low cap, large enough to cost little. */
const PIECES_PER_SECOND = 20;
const MOST_BYTES = 64 * 1024;
const LEAST_BYTES = 512;

/**
 * A bandwidth cap shared by all uploads. Each piece waits until the pieces before it are paid for, in call order; idle time earns
 * no credit. So no period exceeds its share by more than one piece.
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

  /** Resolves when `bytes` may be sent. */
  async take(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const now = this.#clock.monotonic();
    const at = Math.max(this.#freeAt, now);
    this.#freeAt = at + bytes / this.#bytesPerMs;
    if (at > now) await this.#clock.sleep(at - now, signal);
  }
}

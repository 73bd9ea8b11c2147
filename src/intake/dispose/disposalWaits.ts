import type { Clock } from '../../core/ports/clock.ts';

/** Retry interval after a failed disposal. Long, since each attempt reads and hashes the file again. */
export const DISPOSE_AGAIN_MS = 5 * 60_000;
/** Maximum number of files that wait individually; with more, the whole folder waits. */
const WAITING_AT_MOST = 1_000;

/** Files of one folder whose disposal failed: each waits for its retry without holding up the others (promise P4). */
export class DisposalWaits {
  readonly #clock: Clock;
  /** Time of the next attempt by file, in monotonic milliseconds, earliest first. */
  readonly #notBefore = new Map<number, number>();
  readonly #saidUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether any file may be retried now. */
  get isOver(): boolean {
    const [first = Infinity] = this.#notBefore.values();
    return first <= this.#clock.monotonic();
  }

  get isEmpty(): boolean {
    return this.#notBefore.size === 0;
  }

  has(fileId: number): boolean {
    return (this.#notBefore.get(fileId) ?? -Infinity) > this.#clock.monotonic();
  }

  /** Makes a file wait. False if too many files wait already. */
  add(fileId: number): boolean {
    this.#notBefore.delete(fileId);
    if (this.#notBefore.size >= WAITING_AT_MOST) return false;
    this.#notBefore.set(fileId, this.#clock.monotonic() + DISPOSE_AGAIN_MS);
    return true;
  }

  /** Forgets the files whose wait is over, so that they are retried. */
  end(): void {
    for (const fileId of this.#notBefore.keys()) if (!this.has(fileId)) this.#notBefore.delete(fileId);
  }

  /** Whether to warn about a cause: once per retry interval, however many files fail because of it. */
  isNew(cause: string): boolean {
    const now = this.#clock.monotonic();
    if ((this.#saidUntil.get(cause) ?? -Infinity) > now) return false;
    this.#saidUntil.set(cause, now + DISPOSE_AGAIN_MS);
    return true;
  }
}

import type { Clock } from '../../core/ports/clock.ts';

/** After a disposal that did not work; it touches the file, so that it is read and hashed again. */
export const DISPOSE_AGAIN_MS = 5 * 60_000;
/** Files that wait by themselves; where there are more, the folder waits for them. */
const WAITING_AT_MOST = 1_000;

/** The files of one folder whose disposal did not work: each waits, and the others go on (promise P4). */
export class DisposalWaits {
  readonly #clock: Clock;
  /** By sighting, in the order of their times, which are monotonic. */
  readonly #notBefore = new Map<number, number>();
  readonly #saidUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the wait of a file is over. */
  get isOver(): boolean {
    const [first = Infinity] = this.#notBefore.values();
    return first <= this.#clock.monotonic();
  }

  has(sightingId: number): boolean {
    return (this.#notBefore.get(sightingId) ?? -Infinity) > this.#clock.monotonic();
  }

  /** False if there is no room for it. */
  add(sightingId: number): boolean {
    this.#notBefore.delete(sightingId);
    if (this.#notBefore.size >= WAITING_AT_MOST) return false;
    this.#notBefore.set(sightingId, this.#clock.monotonic() + DISPOSE_AGAIN_MS);
    return true;
  }

  /** All those whose wait is over are tried now. */
  end(): void {
    for (const sightingId of this.#notBefore.keys())
      if (!this.has(sightingId)) this.#notBefore.delete(sightingId);
  }

  /** Whether a cause is to be said: once for all the files that fail of it while the first of them waits. */
  isNew(cause: string): boolean {
    const now = this.#clock.monotonic();
    if ((this.#saidUntil.get(cause) ?? -Infinity) > now) return false;
    this.#saidUntil.set(cause, now + DISPOSE_AGAIN_MS);
    return true;
  }
}

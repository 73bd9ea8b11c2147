import type { Clock } from '../../core/ports/clock.ts';
import type { Settling } from '../settle/settling.ts';

/**
 * How long is waited for a file since it was first seen, and for a folder that can't be listed: a file that stays
 * incomplete forever, or is written to without end, must not keep a loss from being told.
 */
const PATIENCE_MS = 10 * 60_000;

/** Begin and end, in monotonic milliseconds. */
interface Listing {
  readonly from: number;
  readonly to: number;
}

/**
 * How far a folder has been looked through. A listing of the whole folder is
 *
 *   under way ──ends──▶ listed ──every file seen until then is decided about, or seen long ago──▶ through
 *
 * Listings follow one another, and new files come all the time: the listing that is waited for is not put off by those
 * after it.
 */
export class ScanProgress {
  readonly #clock: Clock;
  readonly #settling: Pick<Settling, 'hasSeenBetween'>;
  #underWay: number | null = null;
  #awaited: Listing | null = null;
  #latest: Listing | null = null;
  #throughFrom = -Infinity;

  constructor(clock: Clock, settling: Pick<Settling, 'hasSeenBetween'>) {
    this.#clock = clock;
    this.#settling = settling;
  }

  /** `list` lists the whole folder; what is cut short counts for nothing. */
  async during(list: () => Promise<void>): Promise<void> {
    const from = this.#clock.monotonic();
    this.#underWay = from;
    try {
      await list();
    } finally {
      this.#underWay = null;
    }
    this.#latest = { from, to: this.#clock.monotonic() };
    this.#awaited ??= this.#latest;
    this.#moveOn();
  }

  /** What was listed says nothing any more. */
  forget(): void {
    this.#awaited = null;
    this.#latest = null;
    this.#throughFrom = -Infinity;
  }

  /** Whether a listing that began after `at` is through. */
  isThroughSince(at: number): boolean {
    this.#moveOn();
    return this.#throughFrom > at;
  }

  hasBegunSince(at: number): boolean {
    return this.#hasListedSince(at) || (this.#underWay !== null && this.#underWay > at);
  }

  /** Whether no listing has come to its end for long, and none that began in time is under way. */
  isStuckSince(at: number): boolean {
    return !this.#hasListedSince(at) && (this.#underWay ?? this.#clock.monotonic()) - at >= PATIENCE_MS;
  }

  #hasListedSince(at: number): boolean {
    return this.#latest !== null && this.#latest.from > at;
  }

  #moveOn(): void {
    while (this.#awaited && this.#isThrough(this.#awaited)) {
      this.#throughFrom = this.#awaited.from;
      this.#awaited = this.#awaited === this.#latest ? null : this.#latest;
    }
  }

  #isThrough({ to }: Listing): boolean {
    return !this.#settling.hasSeenBetween(this.#clock.monotonic() - PATIENCE_MS, to);
  }
}

import type { Clock } from '../../core/ports/clock.ts';
import type { Settling } from '../settle/settling.ts';

/**
 * How long to wait for a file since it was first seen, and for a folder that can't be listed. A file that stays incomplete or
 * keeps being written must not delay the report of a lost document forever.
 */
const PATIENCE_MS = 10 * 60_000;

/** Its start and end, in monotonic milliseconds. */
interface Listing {
  readonly from: number;
  readonly to: number;
}

/**
 * How far a folder has been looked through. A listing of the whole folder is
 *
 *   under way ──ends──▶ listed ──every file seen until then is decided on, or was seen long ago──▶ through
 *
 * Only files seen until the end of the awaited listing count. New files and later listings do not delay it.
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

  /** Runs `list`, which lists the whole folder. If it rejects, the listing does not count. */
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

  /** Discards all progress, because earlier listings are no longer valid. */
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

  /**
   * Whether no listing that began after `at` is complete, and PATIENCE_MS have passed since `at` with none under way, or
   * before the one under way began.
   */
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

import type { Clock } from '../ports/clock.ts';

/** Listing after events takes at most this share of the time, however large the folder is. */
const PAUSE_MS = 1_000;
const PAUSE_FACTOR = 20;
/** A listing for documents whose bytes are missing waits no longer than this after the one before. */
const ASKED_PAUSE_AT_MOST_MS = 60_000;

export interface ListingTimesDeps {
  readonly clock: Clock;
  readonly reconcileEveryMs: number;
  /** Where there are no events, or they can't be relied on. */
  readonly pollEveryMs: number;
}

export interface Wanted {
  readonly isPolled: boolean;
  /** Somebody waits for a listing of the whole folder. */
  readonly isAskedFor: boolean;
  /** Some directories are to be listed. */
  readonly hasDirs: boolean;
}

/** When a folder is to be listed again, in monotonic milliseconds; begins when its first listing has ended. */
export class ListingTimes {
  readonly #deps: ListingTimesDeps;
  #fullAt: number;
  #listedAt: number;
  #pauseMs = PAUSE_MS;

  constructor(deps: ListingTimesDeps) {
    this.#deps = deps;
    this.#fullAt = deps.clock.monotonic();
    this.#listedAt = this.#fullAt;
  }

  /** `full`: the whole folder. `dirs`: the directories that are to be listed. */
  due({ isPolled, isAskedFor, hasDirs }: Wanted): { readonly full: number; readonly dirs: number } {
    const { reconcileEveryMs, pollEveryMs } = this.#deps;
    const everyMs = isPolled
      ? Math.min(Math.max(pollEveryMs, this.#pauseMs), reconcileEveryMs)
      : reconcileEveryMs;
    const askedAt = this.#listedAt + Math.min(this.#pauseMs, ASKED_PAUSE_AT_MOST_MS);
    return {
      full: Math.min(this.#fullAt + everyMs, isAskedFor ? askedAt : Infinity),
      dirs: hasDirs ? this.#listedAt + this.#pauseMs : Infinity,
    };
  }

  /** A listing that began at `from` has ended; for `waitedMs` of the time it waited for others. */
  listed(from: number, isFull: boolean, waitedMs: number): void {
    this.#listedAt = this.#deps.clock.monotonic();
    if (isFull) this.#fullAt = this.#listedAt;
    this.#pauseMs = Math.max(PAUSE_MS, (this.#listedAt - from - waitedMs) * PAUSE_FACTOR);
  }
}

import type { Clock } from '../../core/ports/clock.ts';

/** Listing after events takes at most this share of the time, however large the folder is. */
const PAUSE_MS = 1_000;
const PAUSE_FACTOR = 20;
/** A listing for documents whose bytes are missing waits no longer than this after the one before. */
const ASKED_PAUSE_AT_MOST_MS = 60_000;
/**
 * A file that is compared costs some 14 µs of the processor, with the garbage that it leaves: so many milliseconds for each
 * keep all of them below 0.3 % of its time, up to the number of files from which on this is the longest.
 */
const COMPARED_APART_MS = 5;
const COMPARED_AT_LEAST_EVERY_MS = 15 * 60_000;

export interface ListingTimesDeps {
  readonly clock: Clock;
  readonly reconcileEveryMs: number;
  /** Where there are no events, or they can't be relied on. */
  readonly pollEveryMs: number;
  /** Milliseconds between two listings that compare everything, for each file; for trials with few files. */
  readonly comparedApartMs?: number | undefined;
}

export interface Wanted {
  readonly isPolled: boolean;
  /** Somebody waits for a listing of the whole folder. */
  readonly isAskedFor: boolean;
  /** Some directories are to be listed. */
  readonly hasDirs: boolean;
  /** Some directories may be passed over if they are as they were. */
  readonly mayPassOver: boolean;
}

/** `all`: every file is compared. `changed`: what is as it was is passed over. `dirs`: after events. */
export type Listed = 'all' | 'changed' | 'dirs';

/** When a folder is to be listed again, in monotonic milliseconds; begins when its first listing has ended. */
export class ListingTimes {
  readonly #deps: ListingTimesDeps;
  #comparedAt: number;
  #lookedOverAt: number;
  #listedAt: number;
  #pauseMs = PAUSE_MS;
  #files: number;

  /** `files`: so many were compared by the first listing. */
  constructor(deps: ListingTimesDeps, files: number) {
    this.#deps = deps;
    this.#comparedAt = deps.clock.monotonic();
    this.#lookedOverAt = this.#comparedAt;
    this.#listedAt = this.#comparedAt;
    this.#files = files;
  }

  due({ isPolled, isAskedFor, hasDirs, mayPassOver }: Wanted): Readonly<Record<Listed, number>> {
    const { reconcileEveryMs, pollEveryMs, comparedApartMs = COMPARED_APART_MS } = this.#deps;
    const everyMs = isPolled
      ? Math.min(Math.max(pollEveryMs, this.#pauseMs), reconcileEveryMs)
      : reconcileEveryMs;
    const next = this.#lookedOverAt + everyMs;
    const passesOver = mayPassOver && !isPolled;
    const apartMs = Math.min(this.#files * comparedApartMs, COMPARED_AT_LEAST_EVERY_MS);
    const all = passesOver ? this.#comparedAt + Math.max(everyMs, apartMs) : next;
    const askedAt = this.#listedAt + Math.min(this.#pauseMs, ASKED_PAUSE_AT_MOST_MS);
    return {
      all: Math.min(all, isAskedFor ? askedAt : Infinity),
      changed: passesOver ? next : Infinity,
      dirs: hasDirs ? this.#listedAt + this.#pauseMs : Infinity,
    };
  }

  /** A listing that began at `from` and compared `files` has ended; for `waitedMs` of the time it waited for others. */
  listed(from: number, what: Listed, files: number, waitedMs: number): void {
    const now = this.#deps.clock.monotonic();
    const pauseMs = Math.max(PAUSE_MS, (now - from - waitedMs) * PAUSE_FACTOR);
    if (what === 'all') {
      this.#comparedAt = now;
      this.#files = files;
    }
    if (what !== 'dirs') this.#lookedOverAt = now;
    // Passing over costs nothing that a listing after events would have to make up for.
    if (what === 'changed' && now + pauseMs < this.#listedAt + this.#pauseMs) return;
    this.#listedAt = now;
    this.#pauseMs = pauseMs;
  }
}

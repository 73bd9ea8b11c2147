import type { Clock } from '../core/ports/clock.ts';

const PAUSE_MS = 1_000;
/** Pause after a listing, as a multiple of its duration: listings after events take at most 1/20 of the time, however large the folder. */
const PAUSE_FACTOR = 20;
/** Cap on the pause before a listing that was asked for because the bytes of documents are missing. */
const ASKED_PAUSE_AT_MOST_MS = 60_000;
/**
 * Minimum time between two listings that compare everything, in milliseconds for each file. Comparing one file takes about
 * 14 µs of CPU time, including its garbage collection, so this keeps the total below 0.3 % of one core, until
 * COMPARED_AT_LEAST_EVERY_MS limits the interval.
 */
const COMPARED_APART_MS = 5;
const COMPARED_AT_LEAST_EVERY_MS = 15 * 60_000;

export interface ListingTimesDeps {
  readonly clock: Clock;
  readonly reconcileEveryMs: number;
  /** Listing interval if there are no events, or unreliable ones. */
  readonly pollEveryMs: number;
  /** Replaces COMPARED_APART_MS; lets trials with few files behave as with many. */
  readonly comparedApartMs?: number | undefined;
}

export interface ListingNeed {
  readonly isPolled: boolean;
  /** Whether a listing of the whole folder was asked for. */
  readonly isAskedFor: boolean;
  /** Whether events named directories that have to be listed. */
  readonly hasDirs: boolean;
  /** Whether a listing could skip unchanged directories. */
  readonly mayPassOver: boolean;
}

/** `all`: compares every file. `changed`: skips unchanged directories. `dirs`: lists only the directories that events named. */
export type ListingKind = 'all' | 'changed' | 'dirs';

const KINDS: readonly ListingKind[] = ['all', 'changed', 'dirs'];

/** Decides when a folder is listed again, in monotonic milliseconds. Create it when the first listing has ended. */
export class ListingTimes {
  readonly #deps: ListingTimesDeps;
  #comparedAt: number;
  #lookedOverAt: number;
  #listedAt: number;
  #pauseMs = PAUSE_MS;
  #files: number;

  /** `files`: how many files the first listing compared. */
  constructor(deps: ListingTimesDeps, files: number) {
    this.#deps = deps;
    this.#comparedAt = deps.clock.monotonic();
    this.#lookedOverAt = this.#comparedAt;
    this.#listedAt = this.#comparedAt;
    this.#files = files;
  }

  /** Which listing is due now; null if none is. */
  dueNow(need: ListingNeed): ListingKind | null {
    const now = this.#deps.clock.monotonic();
    const due = this.due(need);
    return KINDS.find((kind) => now >= due[kind]) ?? null;
  }

  /** Milliseconds until a listing is due. */
  nextIn(need: ListingNeed): number {
    const { all, changed, dirs } = this.due(need);
    return Math.max(0, Math.min(all, changed, dirs) - this.#deps.clock.monotonic());
  }

  /** Records a listing that began at `from`, compared `files` files, and spent `waitedMs` waiting for room in settling. */
  listed(from: number, what: ListingKind, files: number, waitedMs: number): void {
    const now = this.#deps.clock.monotonic();
    const pauseMs = Math.max(PAUSE_MS, (now - from - waitedMs) * PAUSE_FACTOR);
    if (what === 'all') {
      this.#comparedAt = now;
      this.#files = files;
    }
    if (what !== 'dirs') this.#lookedOverAt = now;
    // A cheap listing that skipped most directories must not shorten the pause that an expensive one earned.
    if (what === 'changed' && now + pauseMs < this.#listedAt + this.#pauseMs) return;
    this.#listedAt = now;
    this.#pauseMs = pauseMs;
  }

  due({ isPolled, isAskedFor, hasDirs, mayPassOver }: ListingNeed): Readonly<Record<ListingKind, number>> {
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
}

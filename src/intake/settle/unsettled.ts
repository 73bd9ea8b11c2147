import { sameIdentity, type FileIdentity, type Lane } from '../../core/domain/document.ts';
import type { WhyFact } from '../../core/domain/why.ts';

/** First pause after a failed look at a file; doubles with each failure, up to LONGEST_RETRY_MS. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;

/** One file that is not at rest yet, and when to look at it again. All times are monotonic milliseconds. */
export class Unsettled {
  readonly path: string;
  identity: FileIdentity;
  readonly lane: Lane;
  readonly seenAt: number;
  stillSince: number;
  /** How long it has to be unchanged before it is read. */
  quietMs: number;
  due: number;
  /** Being examined right now. */
  isBusy = false;
  waitsFor: { readonly reason: string; readonly why: WhyFact } | null = null;
  trouble: FileTrouble | null = null;
  /** See `Settling`. */
  isParked = false;

  /** `restedMs`: how long it has certainly not changed. */
  constructor(
    path: string,
    identity: FileIdentity,
    lane: Lane,
    now: number,
    quietMs: number,
    restedMs: number,
  ) {
    this.path = path;
    this.identity = identity;
    this.lane = lane;
    this.seenAt = now;
    this.stillSince = now - Math.min(restedMs, quietMs);
    this.quietMs = quietMs;
    this.due = this.stillSince + quietMs;
  }

  /** The file was seen with this identity; if it has changed, its quiet time starts over. */
  see(identity: FileIdentity, now: number, quietMs: number): void {
    if (sameIdentity(this.identity, identity)) return;
    this.identity = identity;
    this.stillSince = now;
    this.quietMs = quietMs;
    this.due = now + quietMs;
    this.waitsFor = null;
  }

  /** Its examination is over for now; the next is due at `at`. */
  lookAgain(at: number): void {
    this.isBusy = false;
    this.due = at;
  }

  /** Looking at the file failed. */
  inTrouble(now: number): FileTrouble {
    return (this.trouble ??= new FileTrouble(now));
  }
}

/** Failed looks at one file. */
export class FileTrouble {
  readonly since: number;
  /** `Settling.blocked` asked the caller to report the file, and `done` has not been called yet. */
  isToNote = false;
  #tries = 0;

  constructor(since: number) {
    this.since = since;
  }

  /** The pause before the next try, which grows with each. */
  nextPauseMs(): number {
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#tries);
    this.#tries += 1;
    return pause;
  }
}

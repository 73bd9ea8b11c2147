import { ClockWatch, type Clocks } from '../core/domain/clockWatch.ts';
import { sameIdentity, type FileIdentity, type Lane } from '../core/domain/document.ts';
import type { SettleTimes } from '../core/domain/settings.ts';
import { isUnreachable } from '../core/domain/unreachable.ts';
import type { WhyFact } from '../core/domain/why.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { FileSystem } from '../core/ports/folder.ts';
import type { Quiet } from './judge.ts';

/** Cap on files of one folder that are in memory because they are not stable yet. */
const CAPACITY = 500;
/** Extra room for files found through events, so that a fresh scan does not wait behind a backlog that fills the capacity. */
const FRESH_BESIDE = 100;
/** Cap on unreadable files that are retried on a timer; any beyond it are retried only at listings. */
const PARKED_AT_MOST = 1_000;
/** A copying program may stand still for a while in the middle of a file. */
const LONGEST = 6;
const LOOK_AGAIN_AT_MOST_MS = 5_000;
/** Before a file is retried for which there was no room. */
const RETRY_MS = 5_000;
/** Pauses after failed looks at a file: the first one; it doubles with each failure, up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** Time before a blocked file is reported: longer than a scanner or virus scanner usually locks a file. */
const BLOCKED_PATIENCE_MS = 10_000;

/** Since when an incomplete file has been unchanged; monotonic milliseconds. */
export interface Still {
  readonly identity: FileIdentity;
  readonly since: number;
}

/** One file that is not stable yet, and when to look at it again. Times are monotonic milliseconds. */
export interface UnstableFile {
  readonly path: string;
  identity: FileIdentity;
  readonly lane: Lane;
  readonly seenAt: number;
  stillSince: number;
  /** How long it has to be unchanged before it is read. */
  quietMs: number;
  due: number;
  /** Being examined right now. */
  isBusy: boolean;
  waitsFor: { readonly reason: string; readonly why: WhyFact } | null;
  /** Looks that failed, one after the other. `isToNote`: `blocked` asked the caller to report the file, and `done` has not been called yet. */
  trouble: { readonly since: number; tries: number; isToNote: boolean } | null;
  isParked: boolean;
}

/**
 * Files that are not stable yet. Each is
 *
 *   moving ──still for the short quiet time──▶ read: complete  ──▶ done
 *     ▲                                              growing   ──still for the long time──▶ read again ──▶ done
 *     │                                              incomplete ──▶ waiting ──patience──▶ given up (reported)
 *     └──────── size, mtime, ctime or inode changed ──┴──────────────┘
 *
 * A file that the system won't let the agent read is blocked: retried after growing pauses. If that lasts, it is parked:
 * reported, and no longer counted against the capacity.
 *
 * Times are monotonic: a file's mtime is never compared with the local clock, since shares have their own clocks. The
 * one exception is `PastRest`.
 */
export class UnstableFiles {
  readonly #clock: Clock;
  readonly #times: SettleTimes;
  readonly #capacity: number;
  /** Incomplete ones, here and before the last reload. */
  readonly #still: Map<string, Still>;
  readonly #files = new Map<string, UnstableFile>();
  readonly #roomWaiters = new Set<() => void>();
  /** Files reported as unreadable by this run, with the system's error code. Parked ones are in `#files` too. */
  readonly #unreadable = new Map<string, string>();
  #parked = 0;
  /** Lengthens the quiet time for file systems with a coarse clock, where two writes may leave the same timestamp. */
  quietAtLeastMs = 0;
  /** Total time that callers of `room` have waited, in milliseconds. */
  roomWaitedMs = 0;

  constructor(
    clock: Clock,
    times: SettleTimes,
    { capacity = CAPACITY, still = new Map<string, Still>() } = {},
  ) {
    this.#clock = clock;
    this.#times = times;
    this.#capacity = capacity;
    this.#still = still;
  }

  /** Number of files, without parked ones. */
  get size(): number {
    return this.#files.size - this.#parked;
  }

  /** Files that were reported as unreadable and still are, with the system's error code. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Whether a file first seen in this period (monotonic milliseconds) is still undecided. Parked files count as decided. */
  hasSeenBetween(from: number, to: number): boolean {
    for (const { seenAt, isParked } of this.#files.values())
      if (seenAt > from && seenAt <= to && !isParked) return true;
    return false;
  }

  get isFull(): boolean {
    return this.size >= this.#capacity;
  }

  /** Whether there is room for a file found through an event. */
  get hasRoomBeside(): boolean {
    return this.size < this.#capacity + FRESH_BESIDE;
  }

  /** Resolves once there is room for more files, so that a listing of a million files does not pile up in memory. */
  async room(signal: AbortSignal): Promise<void> {
    const from = this.#clock.monotonic();
    while (this.isFull && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const go = () => {
          this.#roomWaiters.delete(go);
          signal.removeEventListener('abort', go);
          resolve();
        };
        this.#roomWaiters.add(go);
        signal.addEventListener('abort', go);
      });
    }
    this.roomWaitedMs += this.#clock.monotonic() - from;
    signal.throwIfAborted();
  }

  /**
   * Adds a file, or updates one already here: if it has changed, its quiet time starts over. `restedMs`: how long it has certainly not
   * changed. At most the short quiet time counts, so that types that grow page by page still get the rest of the long one.
   */
  see(path: string, identity: FileIdentity, lane: Lane, restedMs = 0): void {
    const now = this.#clock.monotonic();
    const quietMs = this.#shortMs;
    const file = this.#files.get(path);
    if (file === undefined) {
      const before = this.#still.get(path);
      const isStill = before !== undefined && sameIdentity(before.identity, identity);
      const stillSince = isStill ? before.since : now - Math.min(restedMs, quietMs);
      const due = Math.max(now, stillSince + quietMs);
      const fresh = { isBusy: false, waitsFor: null, trouble: null, isParked: false };
      this.#files.set(path, { path, identity, lane, seenAt: now, stillSince, quietMs, due, ...fresh });
    } else if (!sameIdentity(file.identity, identity))
      Object.assign(file, { identity, stillSince: now, quietMs, due: now + quietMs, waitsFor: null });
  }

  /** Returns due files and marks them busy. The caller examines each, then reports the outcome, for example by `keep` or `done`. */
  takeDue(limit: number): UnstableFile[] {
    const now = this.#clock.monotonic();
    const due: UnstableFile[] = [];
    for (const file of this.#files.values()) {
      if (due.length >= limit) break;
      if (file.isBusy || file.due > now) continue;
      file.isBusy = true;
      due.push(file);
    }
    return due;
  }

  /** Milliseconds until the next file is due; null if none is waiting. */
  nextDueIn(): number | null {
    let next = Infinity;
    for (const file of this.#files.values()) if (!file.isBusy) next = Math.min(next, file.due);
    return next === Infinity ? null : Math.max(0, next - this.#clock.monotonic());
  }

  stillMs(file: UnstableFile): number {
    return this.#clock.monotonic() - file.stillSince;
  }

  /** Whether the file has been unchanged for its quiet time. */
  isStill(file: UnstableFile): boolean {
    return this.stillMs(file) >= file.quietMs;
  }

  /** The file has not been unchanged for long enough; it is looked at again later. */
  keep(file: UnstableFile): void {
    lookAgain(file, file.waitsFor === null ? file.stillSince + file.quietMs : this.#nextLook(file));
  }

  /** The file changed while it was read; its quiet time starts over. */
  disturbed(file: UnstableFile): void {
    this.#wasRead(file);
    file.stillSince = this.#clock.monotonic();
    file.quietMs = this.#shortMs;
    this.keep(file);
  }

  /** Requires a quiet time. True if it has passed. */
  requireQuiet(file: UnstableFile, quiet: Quiet): boolean {
    if (quiet === 'short') return true;
    this.#wasRead(file);
    const ms = this.#times.longMs * (quiet === 'longest' ? LONGEST : 1);
    file.quietMs = Math.max(ms, this.#shortMs);
    return this.isStill(file);
  }

  /** The content read as `identity` is incomplete: the file is rechecked periodically. False once its patience has run out. */
  markIncomplete(file: UnstableFile, identity: FileIdentity, reason: string, why: WhyFact): boolean {
    // A newer version has arrived and was not read: it may hold the missing end.
    if (!sameIdentity(file.identity, identity)) {
      this.keep(file);
      return true;
    }
    // Many truncated files must not block the good ones (promise P4).
    const patienceMs = this.isFull
      ? Math.min(this.#times.longMs, this.#times.patienceMs)
      : this.#times.patienceMs;
    if (this.stillMs(file) >= patienceMs) return false;
    this.#wasRead(file);
    file.waitsFor = { reason, why };
    this.#still.set(file.path, { identity, since: file.stillSince });
    this.keep(file);
    return true;
  }

  /** There is no room for the file now. */
  retryLater(file: UnstableFile): void {
    lookAgain(file, this.#clock.monotonic() + RETRY_MS);
  }

  /** Examining the file failed; it is retried after a growing pause. True if this is its first failure. */
  failed(file: UnstableFile): boolean {
    const isFirst = file.trouble === null;
    const now = this.#clock.monotonic();
    const trouble = inTrouble(file, now);
    trouble.isToNote = false;
    lookAgain(file, now + nextPauseMs(trouble));
    return isFirst;
  }

  /** Makes the file due again at once, because it was not examined for a reason unrelated to it. */
  putBack(file: UnstableFile): void {
    if (file.trouble) file.trouble.isToNote = false;
    lookAgain(file, this.#clock.monotonic());
  }

  /**
   * The system won't let the agent read the file. True: it is retried later. False: it has been blocked for too long; the
   * caller must note it as unreadable and call `done`, which parks it for further retries.
   */
  blocked(file: UnstableFile, code: string): boolean {
    const now = this.#clock.monotonic();
    const trouble = inTrouble(file, now);
    const noteAt = trouble.since + BLOCKED_PATIENCE_MS;
    // An unreachable share says nothing about the file.
    const patient = file.isParked || isUnreachable(code);
    const reported = this.#unreadable.has(file.path);
    if ((file.isParked || reported) && !isUnreachable(code)) this.#unreadable.set(file.path, code);
    // Many blocked files must not block the good ones (promise P4).
    if (!patient && (reported || this.isFull || now >= noteAt)) {
      if (this.#unreadable.size < PARKED_AT_MOST) this.#unreadable.set(file.path, code);
      trouble.isToNote = true;
      return false;
    }
    const at = now + nextPauseMs(trouble);
    lookAgain(file, patient ? at : Math.min(at, noteAt));
    return true;
  }

  /** A decision was made on the content read as `identity`. A version that arrived since is kept for its own examination. */
  done(file: UnstableFile, identity: FileIdentity): void {
    if (!sameIdentity(file.identity, identity)) this.keep(file);
    else if (file.trouble?.isToNote && this.#files.has(file.path)) this.#park(file, file.trouble);
    else this.drop(file);
  }

  /** Forgets all files. Call it only while none is being examined. */
  forget(): void {
    this.#files.clear();
    this.#still.clear();
    this.#unreadable.clear();
    this.#parked = 0;
    this.#makeRoom();
  }

  drop(file: UnstableFile): void {
    this.#unreadable.delete(file.path);
    this.#remove(file);
  }

  #remove(file: UnstableFile): void {
    this.#still.delete(file.path);
    if (this.#files.delete(file.path) && file.isParked) this.#parked -= 1;
    this.#makeRoom();
  }

  #wasRead(file: UnstableFile): void {
    file.trouble = null;
    this.#unreadable.delete(file.path);
    if (file.isParked) this.#parked -= 1;
    file.isParked = false;
  }

  /** Keeps retrying the file without taking up capacity, so that it does not delay others (promise P4). */
  #park(file: UnstableFile, trouble: NonNullable<UnstableFile['trouble']>): void {
    trouble.isToNote = false;
    if (!file.isParked && this.#parked >= PARKED_AT_MOST) return this.#remove(file);
    if (!file.isParked) this.#parked += 1;
    file.isParked = true;
    lookAgain(file, this.#clock.monotonic() + nextPauseMs(trouble));
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (const waiter of this.#roomWaiters) waiter();
  }

  /** The short quiet time, counted after the period in which a later change could leave the same timestamp. */
  get #shortMs(): number {
    return this.#times.shortMs + this.quietAtLeastMs;
  }

  #nextLook(file: UnstableFile): number {
    const now = this.#clock.monotonic();
    const patienceEnds = file.stillSince + this.#times.patienceMs;
    const pause = Math.min(LOOK_AGAIN_AT_MOST_MS, Math.max(this.#shortMs, this.stillMs(file) / 4));
    return Math.min(now + pause, Math.max(patienceEnds, now));
  }
}

function lookAgain(file: UnstableFile, at: number): void {
  file.isBusy = false;
  file.due = at;
}

function inTrouble(file: UnstableFile, now: number): NonNullable<UnstableFile['trouble']> {
  return (file.trouble ??= { since: now, tries: 0, isToNote: false });
}

function nextPauseMs(trouble: NonNullable<UnstableFile['trouble']>): number {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** trouble.tries);
  trouble.tries += 1;
  return pause;
}

/** File systems whose ctime comes from this machine's kernel: programs can't set it, and every change updates it. */
const OWN_TIME: ReadonlySet<string> = new Set(['ext4', 'xfs', 'btrfs', 'f2fs', 'tmpfs']);
/** Kernels stamp files with the time of their last tick: at most 10 ms ago on Linux, 15.6 ms on Windows. */
export const TICK_MS = 16;
/** Time after boot within which the clock gets set; a clock without a battery may be years behind until then. */
const CLOCK_IS_SET_WITHIN_MS = 5 * 60_000;

/** How long files were at rest before they were found. Only a single run counts that. Create it at the start of the run. */
export class PastRest {
  readonly #clock: Clocks;
  readonly #watch: ClockWatch;
  readonly #upForMs: number;
  #hasJumped = false;
  #isCounted = false;

  /** `upForMs`: how long ago the machine was started. */
  constructor(clock: Clocks, upForMs: number) {
    this.#clock = clock;
    this.#watch = new ClockWatch(clock);
    this.#upForMs = upForMs;
  }

  /** Counts the time from now on. */
  count(): void {
    this.#isCounted = true;
  }

  /**
   * Milliseconds for which a file has certainly not changed, from its ctime; 0 if unknown, or if past times can't be compared with
   * this clock. The mtime can't be used, since copying sets it; nor can a share's times, which come from another clock.
   */
  ms({ ctimeNs }: FileIdentity, on: Pick<FileSystem, 'name' | 'network'> | null): number {
    if (!this.#isCounted || on === null || !this.#isClockSet) return 0;
    if (on.network || !OWN_TIME.has(on.name)) return 0;
    return Math.max(0, this.#clock.now() - Number(ctimeNs / 1_000_000n) - TICK_MS);
  }

  get #isClockSet(): boolean {
    if (this.#watch.takeJump() !== 0) this.#hasJumped = true;
    return !this.#hasJumped && this.#upForMs >= CLOCK_IS_SET_WITHIN_MS;
  }
}

import { sameIdentity, type FileIdentity, type Lane } from '../../core/domain/document.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { SettleTimes } from '../../core/domain/settings.ts';
import type { Quiet } from './admit.ts';
import { Unsettled, type FileTrouble } from './unsettled.ts';
import type { WhyFact } from '../../core/domain/why.ts';

/** A copying program may stand still for a while in the middle of a file. */
const LONGEST = 6;
const LOOK_AGAIN_AT_MOST_MS = 5_000;
const RETRY_MS = 5_000;
/** Time before a blocked file is reported: longer than a scanner or virus scanner usually locks a file. */
const BLOCKED_PATIENCE_MS = 10_000;
/** Extra room for files found through events, so that a fresh scan does not wait behind a backlog that fills the capacity. */
const TOLD_OF_BESIDE = 100;
/** Cap on unreadable files that are retried on a timer; any beyond it are retried only at listings. */
const PARKED_AT_MOST = 1_000;

/**
 * Files that are not at rest yet. Each is
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
 * one exception is in atRest.ts.
 */
export class Settling {
  readonly #clock: Clock;
  readonly #times: SettleTimes;
  readonly #capacity: number;
  readonly #files = new Map<string, Unsettled>();
  readonly #roomWaiters = new Set<() => void>();
  /** Files reported as unreadable by this run, with the system's error code. Parked ones are in `#files` too. */
  readonly #unreadable = new Map<string, string>();
  #parked = 0;
  /** Lengthens the quiet time for file systems with a coarse clock, where two writes may leave the same timestamp. */
  quietAtLeastMs = 0;
  /** Total time that callers of `room` have waited, in milliseconds. */
  roomWaitedMs = 0;

  constructor(clock: Clock, times: SettleTimes, capacity: number) {
    this.#clock = clock;
    this.#times = times;
    this.#capacity = capacity;
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
    return this.size < this.#capacity + TOLD_OF_BESIDE;
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
   * Adds a file, or updates one already here. `restedMs`: how long it has certainly not changed. At most the short quiet time
   * counts, so that types that grow page by page still get the rest of the long one.
   */
  see(path: string, identity: FileIdentity, lane: Lane, restedMs = 0): void {
    const now = this.#clock.monotonic();
    const file = this.#files.get(path);
    if (file) file.see(identity, now, this.#shortMs);
    else this.#files.set(path, new Unsettled(path, identity, lane, now, this.#shortMs, restedMs));
  }

  /** Returns due files and marks them busy. The caller examines each, then reports the outcome, for example by `keep` or `done`. */
  takeDue(limit: number): Unsettled[] {
    const now = this.#clock.monotonic();
    const due: Unsettled[] = [];
    for (const file of this.#files.values()) {
      if (due.length >= limit) break;
      if (!file.isBusy && file.due <= now) {
        file.isBusy = true;
        due.push(file);
      }
    }
    return due;
  }

  /** Milliseconds until the next file is due; null if none is waiting. */
  nextDueIn(): number | null {
    let next = Infinity;
    for (const file of this.#files.values()) if (!file.isBusy) next = Math.min(next, file.due);
    return next === Infinity ? null : Math.max(0, next - this.#clock.monotonic());
  }

  stillMs(file: Unsettled): number {
    return this.#clock.monotonic() - file.stillSince;
  }

  /** Whether the file has been unchanged for its quiet time. */
  isStill(file: Unsettled): boolean {
    return this.stillMs(file) >= file.quietMs;
  }

  /** The file has not been unchanged for long enough; it is looked at again later. */
  keep(file: Unsettled): void {
    file.lookAgain(file.waitsFor === null ? file.stillSince + file.quietMs : this.#nextLook(file));
  }

  /** The file changed while it was read; its quiet time starts over. */
  disturbed(file: Unsettled): void {
    this.#wasRead(file);
    file.stillSince = this.#clock.monotonic();
    file.quietMs = this.#shortMs;
    this.keep(file);
  }

  /** Requires a quiet time. True if it has passed. */
  requireQuiet(file: Unsettled, quiet: Quiet): boolean {
    if (quiet === 'short') return true;
    this.#wasRead(file);
    const ms = this.#times.longMs * (quiet === 'longest' ? LONGEST : 1);
    file.quietMs = Math.max(ms, this.#shortMs);
    return this.isStill(file);
  }

  /** The content read as `identity` is incomplete: the file is rechecked periodically. False once its patience has run out. */
  markIncomplete(file: Unsettled, identity: FileIdentity, reason: string, why: WhyFact): boolean {
    // A newer version has arrived and was not read: it may hold the missing end.
    if (!sameIdentity(file.identity, identity)) {
      this.keep(file);
      return true;
    }
    // Many truncated files must not block the good ones (promise P4).
    const patienceMs = this.isFull
      ? Math.min(this.#times.longMs, this.#times.patienceMs)
      : this.#times.patienceMs;
    if (this.#clock.monotonic() - file.stillSince >= patienceMs) return false;
    this.#wasRead(file);
    file.waitsFor = { reason, why };
    this.keep(file);
    return true;
  }

  /** There is no room for the file now; it is retried after RETRY_MS. */
  retryLater(file: Unsettled): void {
    file.lookAgain(this.#clock.monotonic() + RETRY_MS);
  }

  /** Examining the file failed; it is retried after a growing pause. True if this is its first failure. */
  failed(file: Unsettled): boolean {
    const isFirst = file.trouble === null;
    const now = this.#clock.monotonic();
    const trouble = file.inTrouble(now);
    trouble.isToNote = false;
    file.lookAgain(now + trouble.nextPauseMs());
    return isFirst;
  }

  /** Makes the file due again at once, because it was not examined for a reason unrelated to it. */
  putBack(file: Unsettled): void {
    if (file.trouble) file.trouble.isToNote = false;
    file.lookAgain(this.#clock.monotonic());
  }

  /**
   * The system won't let the agent read the file. True: it is retried later. False: it has been blocked for too long; the
   * caller must note it as unreadable and call `done`, which parks it for further retries.
   */
  blocked(file: Unsettled, code: string): boolean {
    const now = this.#clock.monotonic();
    const trouble = file.inTrouble(now);
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
    const at = now + trouble.nextPauseMs();
    file.lookAgain(patient ? at : Math.min(at, noteAt));
    return true;
  }

  /** A decision was made on the content read as `identity`. A version that arrived since is kept for its own examination. */
  done(file: Unsettled, identity: FileIdentity): void {
    if (!sameIdentity(file.identity, identity)) this.keep(file);
    else if (file.trouble?.isToNote && this.#files.has(file.path)) this.#park(file, file.trouble);
    else this.drop(file);
  }

  /** Forgets all files. Call it only while none is being examined. */
  forget(): void {
    this.#files.clear();
    this.#unreadable.clear();
    this.#parked = 0;
    this.#makeRoom();
  }

  drop(file: Unsettled): void {
    this.#unreadable.delete(file.path);
    this.#remove(file);
  }

  #remove(file: Unsettled): void {
    if (this.#files.delete(file.path) && file.isParked) this.#parked -= 1;
    this.#makeRoom();
  }

  #wasRead(file: Unsettled): void {
    file.trouble = null;
    this.#unreadable.delete(file.path);
    if (file.isParked) this.#parked -= 1;
    file.isParked = false;
  }

  /** Keeps retrying the file without taking up capacity, so that it does not delay others (promise P4). */
  #park(file: Unsettled, trouble: FileTrouble): void {
    trouble.isToNote = false;
    if (!file.isParked && this.#parked >= PARKED_AT_MOST) return this.#remove(file);
    if (!file.isParked) this.#parked += 1;
    file.isParked = true;
    file.lookAgain(this.#clock.monotonic() + trouble.nextPauseMs());
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (const waiter of this.#roomWaiters) waiter();
  }

  /** The short quiet time, counted after the period in which a later change could leave the same timestamp. */
  get #shortMs(): number {
    return this.#times.shortMs + this.quietAtLeastMs;
  }

  #nextLook(file: Unsettled): number {
    const now = this.#clock.monotonic();
    const still = now - file.stillSince;
    const patienceEnds = file.stillSince + this.#times.patienceMs;
    const pause = Math.min(LOOK_AGAIN_AT_MOST_MS, Math.max(this.#shortMs, still / 4));
    return Math.min(now + pause, Math.max(patienceEnds, now));
  }
}

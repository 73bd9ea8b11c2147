import type { FileIdentity, Lane } from '../../core/domain/document.ts';
import { sameIdentity } from '../../core/domain/document.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { SettleTimes } from '../../core/domain/settings.ts';

const LOOK_AGAIN_AT_MOST_MS = 5_000;
const RETRY_MS = 5_000;
/** After trouble with one file: doubled each time. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;
/** A scanner or a virus scanner that has a file locked lets go of it sooner. */
const BLOCKED_PATIENCE_MS = 10_000;
/** Files of which events told, over the capacity: a fresh scan does not wait for a backlog that fills it. */
const TOLD_OF_BESIDE = 100;
/** Unreadable files that are tried again by themselves; those over it are tried at the listings. */
const PARKED_AT_MOST = 1_000;

/**
 * Files that are not at rest yet. Each is
 *
 *   moving ──still for the short quiet time──▶ read: complete  ──▶ done
 *     ▲                                              growing   ──still for the long time──▶ read again ──▶ done
 *     │                                              incomplete ──▶ waiting ──patience──▶ given up (reported)
 *     └──────── size, mtime, ctime or inode changed ──┴──────────────┘
 *
 * and, when the system won't let it be read, blocked: tried again after longer and longer pauses; parked (reported, and
 * no longer in the way of others) once that has lasted.
 *
 * Times are monotonic: a file's mtime is never compared with the local clock, since shares have clocks of their own. The
 * one exception is in atRest.ts.
 */
export class Settling {
  readonly #clock: Clock;
  readonly #times: SettleTimes;
  readonly #capacity: number;
  readonly #files = new Map<string, Unsettled>();
  readonly #roomWaiters = new Set<() => void>();
  /** Reported as unreadable by this run, with the system's code; the parked among them are in `#files` too. */
  readonly #unreadable = new Map<string, string>();
  #parked = 0;
  /** See `requireQuiet`. */
  quietAtLeastMs = 0;
  /** How long `room` has kept its callers, in all. */
  roomWaitedMs = 0;

  constructor(clock: Clock, times: SettleTimes, capacity: number) {
    this.#clock = clock;
    this.#times = times;
    this.#capacity = capacity;
  }

  /** Without those that are parked. */
  get size(): number {
    return this.#files.size - this.#parked;
  }

  /** Files that were reported as unreadable and still are, with the system's code. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  /** For clocks so coarse that a file written twice may bear the same time. */
  requireQuiet(atLeastMs: number): void {
    this.quietAtLeastMs = atLeastMs;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Whether a file that was first seen then (monotonic times) is not decided about yet; those parked are. */
  hasSeenBetween(from: number, to: number): boolean {
    for (const { seenAt, parked } of this.#files.values())
      if (seenAt > from && seenAt <= to && !parked) return true;
    return false;
  }

  get isFull(): boolean {
    return this.size >= this.#capacity;
  }

  /** For a file of which an event told. */
  get hasRoomBeside(): boolean {
    return this.size < this.#capacity + TOLD_OF_BESIDE;
  }

  /** Resolves once there is room for more files, so that a listing of a million waits here and not in memory. */
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
   * A file seen for the first time, or again. `restedMs`: how long it has surely been still; of that no more counts than the
   * short quiet time, since whatever grows page by page is watched.
   */
  see(path: string, identity: FileIdentity, lane: Lane, restedMs = 0): void {
    const now = this.#clock.monotonic();
    const file = this.#files.get(path);
    if (!file) {
      const quietMs = this.#shortMs;
      const stillSince = now - Math.min(restedMs, quietMs);
      const due = stillSince + quietMs;
      this.#files.set(path, {
        path,
        identity,
        lane,
        seenAt: now,
        stillSince,
        due,
        quietMs,
        busy: false,
        waitsFor: null,
        trouble: null,
        parked: false,
      });
      return;
    }
    if (sameIdentity(file.identity, identity)) return;
    file.identity = identity;
    file.stillSince = now;
    file.quietMs = this.#shortMs;
    file.due = now + file.quietMs;
    file.waitsFor = null;
  }

  /** The caller looks at each of these, then says `keep`, `disturbed`, `markIncomplete`, `done` or `drop`. */
  takeDue(limit: number): Unsettled[] {
    const now = this.#clock.monotonic();
    const due: Unsettled[] = [];
    for (const file of this.#files.values()) {
      if (due.length >= limit) break;
      if (!file.busy && file.due <= now) {
        file.busy = true;
        due.push(file);
      }
    }
    return due;
  }

  /** Milliseconds until the next file is due; null when none waits for a time. */
  nextDueIn(): number | null {
    let next = Infinity;
    for (const file of this.#files.values()) if (!file.busy) next = Math.min(next, file.due);
    return next === Infinity ? null : Math.max(0, next - this.#clock.monotonic());
  }

  stillMs(file: Unsettled): number {
    return this.#clock.monotonic() - file.stillSince;
  }

  /** Whether the file was still for as long as it has to be. */
  isStill(file: Unsettled): boolean {
    return this.stillMs(file) >= file.quietMs;
  }

  /** Looked at; not still for long enough yet. */
  keep(file: Unsettled): void {
    file.busy = false;
    file.due = file.waitsFor === null ? file.stillSince + file.quietMs : this.#nextLook(file);
  }

  /** It changed while it was read. */
  disturbed(file: Unsettled): void {
    this.#wasRead(file);
    file.stillSince = this.#clock.monotonic();
    file.quietMs = this.#shortMs;
    this.keep(file);
  }

  /** Its type may grow after a complete structure, or can't be told: only the long quiet time counts. True if that has passed. */
  requireLongQuiet(file: Unsettled): boolean {
    this.#wasRead(file);
    file.quietMs = Math.max(this.#times.longMs, this.#shortMs);
    return this.isStill(file);
  }

  /** What lay there under `identity` is incomplete: checked again now and then. False once patience has run out. */
  markIncomplete(file: Unsettled, identity: FileIdentity, reason: string, detail: string): boolean {
    // What came meanwhile was not read: it may be the missing end.
    if (!sameIdentity(file.identity, identity)) {
      this.keep(file);
      return true;
    }
    // A folder full of truncated files must not keep its good ones out (promise P4).
    const patienceMs = this.isFull
      ? Math.min(this.#times.longMs, this.#times.patienceMs)
      : this.#times.patienceMs;
    if (this.#clock.monotonic() - file.stillSince >= patienceMs) return false;
    this.#wasRead(file);
    file.waitsFor = { reason, detail };
    this.keep(file);
    return true;
  }

  /** There is no room for it now. */
  retryLater(file: Unsettled): void {
    file.busy = false;
    file.due = this.#clock.monotonic() + RETRY_MS;
  }

  /** Looking at it went wrong, for whatever reason; true if it is the first time. */
  failed(file: Unsettled): boolean {
    const isFirst = file.trouble === null;
    file.trouble ??= { since: this.#clock.monotonic(), tries: 0, toNote: false };
    file.trouble.toNote = false;
    file.busy = false;
    file.due = this.#clock.monotonic() + this.#pause(file.trouble);
    return isFirst;
  }

  /** Nothing is wrong with it; its turn comes when things go on. */
  putBack(file: Unsettled): void {
    if (file.trouble) file.trouble.toNote = false;
    file.busy = false;
    file.due = this.#clock.monotonic();
  }

  /**
   * The system won't let it be read. True: it is tried again later. False: that has lasted; the caller notes it as
   * unreadable and says `done`, after which it is tried again anyway.
   */
  blocked(file: Unsettled, code: string): boolean {
    const now = this.#clock.monotonic();
    file.trouble ??= { since: now, tries: 0, toNote: false };
    const { trouble } = file;
    const noteAt = trouble.since + BLOCKED_PATIENCE_MS;
    // A share that is away says nothing about the file.
    const patient = file.parked || isUnreachable(code);
    const reported = this.#unreadable.has(file.path);
    if ((file.parked || reported) && !isUnreachable(code)) this.#unreadable.set(file.path, code);
    // A folder full of them must not keep its good files out (promise P4).
    if (!patient && (reported || this.isFull || now >= noteAt)) {
      if (this.#unreadable.size < PARKED_AT_MOST) this.#unreadable.set(file.path, code);
      trouble.toNote = true;
      return false;
    }
    const pause = this.#pause(trouble);
    file.busy = false;
    file.due = now + (patient ? pause : Math.min(pause, noteAt - now));
    return true;
  }

  /** Decided, from what lay there under `identity`; what has come since is looked at in its turn. */
  done(file: Unsettled, identity: FileIdentity): void {
    if (!sameIdentity(file.identity, identity)) this.keep(file);
    else if (file.trouble?.toNote && this.#files.has(file.path)) this.#park(file, file.trouble);
    else this.drop(file);
  }

  /** Of all files; while none is being looked at. */
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
    if (this.#files.delete(file.path) && file.parked) this.#parked -= 1;
    this.#makeRoom();
  }

  #wasRead(file: Unsettled): void {
    file.trouble = null;
    this.#unreadable.delete(file.path);
    if (file.parked) this.#parked -= 1;
    file.parked = false;
  }

  /** It waits on, but no other waits for it (promise P4). */
  #park(file: Unsettled, trouble: Trouble): void {
    trouble.toNote = false;
    if (!file.parked && this.#parked >= PARKED_AT_MOST) return this.#remove(file);
    if (!file.parked) this.#parked += 1;
    file.parked = true;
    file.busy = false;
    file.due = this.#clock.monotonic() + this.#pause(trouble);
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (const waiter of this.#roomWaiters) waiter();
  }

  #pause(trouble: Trouble): number {
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** trouble.tries);
    trouble.tries += 1;
    return pause;
  }

  /** Behind the time within which a later change may bear the same stamp as the one that was seen, all of the quiet time. */
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

export interface Unsettled {
  readonly path: string;
  identity: FileIdentity;
  readonly lane: Lane;
  readonly seenAt: number;
  stillSince: number;
  due: number;
  quietMs: number;
  /** Being looked at right now. */
  busy: boolean;
  waitsFor: { readonly reason: string; readonly detail: string } | null;
  trouble: Trouble | null;
  parked: boolean;
}

interface Trouble {
  readonly since: number;
  tries: number;
  /** The caller was told to report it, and has not said `done` yet. */
  toNote: boolean;
}

import type { FileIdentity, Lane } from '../domain/document.ts';
import { sameIdentity } from '../domain/document.ts';
import type { Clock } from '../ports/clock.ts';
import type { SettleTimes } from './settings.ts';

const RETRY_MS = 5_000;
const LOOK_AGAIN_AT_MOST_MS = 5_000;

/**
 * Files that are not at rest yet. Each is
 *
 *   moving ──still for the short quiet time──▶ read: complete  ──▶ done
 *     ▲                                              growing   ──still for the long time──▶ read again ──▶ done
 *     │                                              incomplete ──▶ waiting ──patience──▶ given up (reported)
 *     └──────── size, mtime, ctime or inode changed ──┴──────────────┘
 *
 * Times are monotonic: a file's mtime is never compared with the local clock, since shares have clocks of their own.
 */
export class Settling {
  readonly #clock: Clock;
  readonly #times: SettleTimes;
  readonly #capacity: number;
  readonly #files = new Map<string, Unsettled>();
  readonly #roomWaiters = new Set<() => void>();
  /** How long `room` has kept its callers, in all. */
  roomWaitedMs = 0;

  constructor(clock: Clock, times: SettleTimes, capacity: number) {
    this.#clock = clock;
    this.#times = times;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#files.size;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  get isFull(): boolean {
    return this.#files.size >= this.#capacity;
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

  /** A file seen for the first time, or again. */
  see(path: string, identity: FileIdentity, lane: Lane): void {
    const now = this.#clock.monotonic();
    const file = this.#files.get(path);
    if (!file) {
      const due = now + this.#times.shortMs;
      const quietMs = this.#times.shortMs;
      this.#files.set(path, {
        path,
        identity,
        lane,
        stillSince: now,
        due,
        quietMs,
        busy: false,
        waitsFor: null,
      });
      return;
    }
    if (sameIdentity(file.identity, identity)) return;
    file.identity = identity;
    file.stillSince = now;
    file.quietMs = this.#times.shortMs;
    file.due = now + this.#times.shortMs;
    file.waitsFor = null;
  }

  /** The caller looks at each of these, then says `keep`, `disturbed`, `waitsFor`, `done` or `drop`. */
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

  /** Whether the file was still for as long as it has to be. */
  isStill(file: Unsettled): boolean {
    return this.#clock.monotonic() - file.stillSince >= file.quietMs;
  }

  /** Looked at; not still for long enough yet. */
  keep(file: Unsettled): void {
    file.busy = false;
    file.due = file.waitsFor === null ? file.stillSince + file.quietMs : this.#nextLook(file);
  }

  /** It changed while it was read. */
  disturbed(file: Unsettled): void {
    file.stillSince = this.#clock.monotonic();
    file.quietMs = this.#times.shortMs;
    this.keep(file);
  }

  /** Its type may grow after a complete structure, or can't be told: only the long quiet time counts. True if that has passed. */
  needsLong(file: Unsettled): boolean {
    file.quietMs = this.#times.longMs;
    return this.isStill(file);
  }

  /** What lay there under `identity` is incomplete: looked at again now and then. False once patience has run out. */
  waitsFor(file: Unsettled, identity: FileIdentity, reason: string, detail: string): boolean {
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
    file.waitsFor = { reason, detail };
    this.keep(file);
    return true;
  }

  /** Trouble of our own kept it from being looked at. */
  retryLater(file: Unsettled): void {
    file.busy = false;
    file.due = this.#clock.monotonic() + RETRY_MS;
  }

  /** Decided, from what lay there under `identity`; what has come since is looked at in its turn. */
  done(file: Unsettled, identity: FileIdentity): void {
    if (sameIdentity(file.identity, identity)) this.drop(file);
    else this.keep(file);
  }

  drop(file: Unsettled): void {
    this.#files.delete(file.path);
    for (const waiter of this.#roomWaiters) waiter();
  }

  #nextLook(file: Unsettled): number {
    const now = this.#clock.monotonic();
    const still = now - file.stillSince;
    const patienceEnds = file.stillSince + this.#times.patienceMs;
    const pause = Math.min(LOOK_AGAIN_AT_MOST_MS, Math.max(this.#times.shortMs, still / 4));
    return Math.min(now + pause, Math.max(patienceEnds, now));
  }
}

export interface Unsettled {
  readonly path: string;
  identity: FileIdentity;
  readonly lane: Lane;
  stillSince: number;
  due: number;
  quietMs: number;
  /** Being looked at right now. */
  busy: boolean;
  waitsFor: { readonly reason: string; readonly detail: string } | null;
}

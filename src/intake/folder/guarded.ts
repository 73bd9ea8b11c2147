import { stat } from 'node:fs/promises';
import { systemError } from '../../core/domain/errors.ts';

/*
 * Limits and times the operations of one folder. A hanging share does not even return errors, and each operation that
 * waits for it blocks one of the few threads that all folders share:
 *
 *   answering ──an operation shows no progress for the time limit──▶ silent ──an operation or a probe answers──▶ answering
 *
 * While silent, every operation is refused at once. Those in progress can't be cancelled: each keeps its thread until it
 * ends, and serves as a probe meanwhile. Another probe is sent occasionally, since the mount may have been replaced. This
 * uses the real clock because it times the real system: a simulation replaces the folder instead.
 */

export interface GuardOptions {
  /** Longest time that an operation may show no progress, in milliseconds. */
  readonly limitMs?: number;
  /** A cheap operation on the folder. */
  readonly probe: () => Promise<unknown>;
}

const LIMIT_MS = 15_000;
/** Concurrent operations per folder, including given-up ones; see `#hasPlace`. */
const AT_ONCE = 4;
/**
 * Pauses between probes, as multiples of the time limit. An unanswered probe may hang on a mount that was replaced since,
 * so more are sent; but each may block a thread for good, so they become rarer and are capped.
 */
const PROBE_AGAIN_AFTER = 2;
const ENOUGH_PROBES = 3;
const PROBE_SELDOM_AFTER = 20;
const PROBES_AT_MOST = 8;
/** A timer that is later than this means that the process was stopped, not that the share is silent. */
const STOPPED_MS = 1_000;

/**
 * Cap on concurrent operations of all folders, which keeps some threads free if shares hang. A folder without any may
 * always start one. Four is the default size of the runtime's thread pool.
 */
function allAtOnce(): number {
  return Math.floor((Number(process.env['UV_THREADPOOL_SIZE']) || 4) * 0.75);
}

/** Operations in progress in the whole process, since all guards share its threads. */
const everywhere = { underWay: 0 };

export class Guard {
  readonly #limitMs: number;
  readonly #ask: () => Promise<unknown>;
  readonly #underWay = new Set<GuardedOperation>();
  readonly #queue = new Set<WaitingCall>();
  #silentSince: number | null = null;
  #probedAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;
  #timerDue = 0;

  constructor({ limitMs = LIMIT_MS, probe }: GuardOptions) {
    this.#limitMs = limitMs;
    this.#ask = probe;
  }

  get isSilent(): boolean {
    return this.#silentSince !== null;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /**
   * Runs an operation. Rejects with ETIMEDOUT if it shows no progress within the limit, or at once while the folder is
   * silent. A long operation must call `progress` regularly.
   */
  async run<T>(operation: (progress: () => void) => Promise<T>): Promise<T> {
    this.#refuseIfSilent();
    while (!this.#hasPlace) await this.#place();
    return this.#start(operation, this.#limitMs);
  }

  /**
   * Runs a slow operation that changes the folder, such as a copy into the archive. It has no time limit, but is given up
   * with the others when the folder falls silent, which parallel probes detect.
   */
  async runLong<T>(operation: () => Promise<T>): Promise<T> {
    this.#refuseIfSilent();
    // Not while an earlier one was given up but may still take effect.
    for (const each of this.#underWay) if (each.isLong && each.isGivenUp) throw this.#refusal();
    while (!this.#hasPlace) await this.#place();
    let probing = false;
    const beside = setInterval(() => {
      if (probing || this.isSilent) return;
      probing = true;
      void this.#start(() => this.#ask(), this.#limitMs)
        .catch(() => undefined)
        .finally(() => {
          probing = false;
        });
    }, this.#limitMs / 3).unref();
    try {
      return await this.#start(operation, Infinity);
    } finally {
      clearInterval(beside);
    }
  }

  /** Given-up operations keep their threads, so one more is always allowed if all others were given up. */
  get #hasPlace(): boolean {
    let givenUp = 0;
    for (const operation of this.#underWay) if (operation.isGivenUp) givenUp += 1;
    const own = this.#underWay.size;
    return own === givenUp || (own < AT_ONCE && everywhere.underWay < allAtOnce());
  }

  #place(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.add({ go: resolve, refuse: reject });
    });
  }

  #start<T>(work: (progress: () => void) => Promise<T>, limitMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const operation: GuardedOperation = {
        since: performance.now(),
        limitMs,
        isLong: limitMs === Infinity,
        isGivenUp: false,
        giveUp: () => {
          operation.isGivenUp = true;
          reject(this.#refusal());
        },
      };
      this.#underWay.add(operation);
      everywhere.underWay += 1;
      this.#watch();
      const ended = (): void => {
        this.#underWay.delete(operation);
        everywhere.underWay -= 1;
        this.#answered();
        this.#next();
      };
      work(() => {
        operation.since = performance.now();
        if (operation.isGivenUp) this.#answered();
      }).then(
        (value) => {
          ended();
          resolve(value);
        },
        (error: unknown) => {
          ended();
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- handed on as it came
          reject(error);
        },
      );
    });
  }

  /** Wakes the first waiter, which checks again in a later turn whether there is still room. */
  #next(): void {
    const [waiting] = this.#queue;
    if (!waiting || !this.#hasPlace) return;
    this.#queue.delete(waiting);
    waiting.go();
  }

  #watch(): void {
    if (this.#timer !== null || this.isSilent) return;
    this.#timerDue = performance.now() + this.#limitMs / 4;
    this.#timer = setTimeout(() => this.#look(), this.#limitMs / 4).unref();
  }

  #look(): void {
    this.#timer = null;
    const now = performance.now();
    const wasStopped = now - this.#timerDue > STOPPED_MS;
    for (const operation of this.#underWay) {
      if (operation.isGivenUp) continue;
      if (wasStopped) operation.since = now;
      if (now - operation.since >= operation.limitMs) return this.#fellSilent();
    }
    if ([...this.#underWay].some(({ isGivenUp }) => !isGivenUp)) this.#watch();
  }

  #fellSilent(): void {
    this.#silentSince = performance.now();
    this.#probedAt = this.#silentSince;
    for (const operation of this.#underWay) if (!operation.isGivenUp) operation.giveUp();
    for (const { refuse } of this.#queue) refuse(this.#refusal());
    this.#queue.clear();
  }

  #answered(): void {
    if (this.#silentSince === null) return;
    this.#silentSince = null;
    if (this.#underWay.size > 0) this.#watch();
  }

  #refuseIfSilent(): void {
    if (!this.isSilent) return;
    this.#probe();
    throw this.#refusal();
  }

  #probe(): void {
    const now = performance.now();
    const own = this.#underWay.size;
    const pause = own < ENOUGH_PROBES ? PROBE_AGAIN_AFTER : PROBE_SELDOM_AFTER;
    if (now - this.#probedAt < pause * this.#limitMs || own >= PROBES_AT_MOST) return;
    if (own > 0 && everywhere.underWay >= allAtOnce()) return;
    this.#probedAt = now;
    this.#start(() => this.#ask(), this.#limitMs).catch(() => undefined);
  }

  #refusal(): Error {
    const forMs = this.#silentSince === null ? 0 : performance.now() - this.#silentSince;
    const seconds = Math.round((forMs + this.#limitMs) / 1000);
    return systemError('ETIMEDOUT', `no answer for ${seconds} s`);
  }
}

interface GuardedOperation {
  /** When it started or last showed progress. */
  since: number;
  readonly limitMs: number;
  readonly isLong: boolean;
  isGivenUp: boolean;
  readonly giveUp: () => void;
}

interface WaitingCall {
  readonly go: () => void;
  readonly refuse: (error: Error) => void;
}

export function createFolderGuard(folder: string, limitMs?: number): Guard {
  return new Guard({ probe: () => stat(folder), ...(limitMs !== undefined && { limitMs }) });
}

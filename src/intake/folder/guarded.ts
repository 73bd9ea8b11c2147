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
let everywhere = 0;

interface GuardedOperation {
  readonly isLong: boolean;
  /** Null once it was given up. */
  giveUp: (() => void) | null;
}

interface WaitingCall {
  readonly go: () => void;
  readonly refuse: (error: Error) => void;
}

export class Guard {
  readonly #limitMs: number;
  readonly #ask: () => Promise<unknown>;
  readonly #underWay = new Set<GuardedOperation>();
  #queue: WaitingCall[] = [];
  #silentSince: number | null = null;
  #probedAt = -Infinity;

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
    return this.#start(operation);
  }

  /**
   * Runs a slow operation that changes the folder, such as a copy into the archive. It has no time limit, but is given up
   * with the others when the folder falls silent, which parallel probes detect.
   */
  async runLong<T>(operation: () => Promise<T>): Promise<T> {
    this.#refuseIfSilent();
    // Not while an earlier one was given up but may still take effect.
    for (const each of this.#underWay) if (each.isLong && each.giveUp === null) throw this.#refusal();
    while (!this.#hasPlace) await this.#place();
    let isProbing = false;
    const beside = setInterval(() => {
      if (isProbing || this.isSilent) return;
      isProbing = true;
      const ended = (): void => void (isProbing = false);
      this.#start(this.#ask).then(ended, ended);
    }, this.#limitMs / 3).unref();
    try {
      return await this.#start(operation, true);
    } finally {
      clearInterval(beside);
    }
  }

  #refuseIfSilent(): void {
    if (!this.isSilent) return;
    this.#probe();
    throw this.#refusal();
  }

  #place(): Promise<void> {
    return new Promise((go, refuse) => this.#queue.push({ go, refuse }));
  }

  /** Given-up operations keep their threads, so one more is always allowed if all others were given up. */
  get #hasPlace(): boolean {
    const own = this.#underWay.size;
    const areGivenUp = [...this.#underWay].every(({ giveUp }) => giveUp === null);
    return areGivenUp || (own < AT_ONCE && everywhere < allAtOnce());
  }

  #start<T>(work: (progress: () => void) => Promise<T>, isLong = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let dueAt = performance.now() + this.#limitMs;
      const timer = setTimeout(() => {
        if (performance.now() - dueAt > STOPPED_MS) progress();
        else if (this.isSilent) operation.giveUp?.();
        else this.#fallSilent();
      }, this.#limitMs).unref();
      const operation: GuardedOperation = {
        isLong,
        giveUp: () => {
          operation.giveUp = null;
          clearTimeout(timer);
          reject(this.#refusal());
        },
      };
      const progress = (): void => {
        dueAt = performance.now() + this.#limitMs;
        if (operation.giveUp === null) this.#silentSince = null;
        else timer.refresh();
      };
      const ended = (): void => {
        clearTimeout(timer);
        this.#underWay.delete(operation);
        everywhere -= 1;
        this.#silentSince = null;
        // It checks again in a later turn whether there is still room.
        if (this.#hasPlace) this.#queue.shift()?.go();
      };
      if (isLong) clearTimeout(timer);
      this.#underWay.add(operation);
      everywhere += 1;
      work(progress).finally(ended).then(resolve, reject);
    });
  }

  #fallSilent(): void {
    this.#silentSince = performance.now();
    this.#probedAt = this.#silentSince;
    for (const { giveUp } of this.#underWay) giveUp?.();
    for (const { refuse } of this.#queue) refuse(this.#refusal());
    this.#queue = [];
  }

  #probe(): void {
    const now = performance.now();
    const own = this.#underWay.size;
    const pause = own < ENOUGH_PROBES ? PROBE_AGAIN_AFTER : PROBE_SELDOM_AFTER;
    if (now - this.#probedAt < pause * this.#limitMs || own >= PROBES_AT_MOST) return;
    if (own > 0 && everywhere >= allAtOnce()) return;
    this.#probedAt = now;
    this.#start(this.#ask).catch(() => undefined);
  }

  #refusal(): Error {
    const forMs = this.#silentSince === null ? 0 : performance.now() - this.#silentSince;
    const seconds = Math.round((forMs + this.#limitMs) / 1000);
    return systemError('ETIMEDOUT', `no answer for ${seconds} s`);
  }
}

export function createFolderGuard(folder: string, limitMs?: number): Guard {
  return new Guard({ probe: () => stat(folder), ...(limitMs !== undefined && { limitMs }) });
}

import { stat } from 'node:fs/promises';

/*
 * What stands between the agent and the operations of one folder, since a share that hangs answers nothing, not even
 * with an error, and each operation that waits for it keeps one of the few threads that all folders share:
 *
 *   answering ──an operation shows no progress for the time limit──▶ silent ──an operation or a probe answers──▶ answering
 *
 * While silent, every operation is refused at once. Those under way can't be called back: each keeps its thread until it
 * ends, and is a probe meanwhile; now and then another one is sent, since the mount may have been replaced. What is timed
 * is the real system, so it is timed with its real clock: a simulation puts its own folder in front of this.
 */

export interface GuardOptions {
  /** The longest that an operation may go without progress. */
  readonly limitMs?: number;
  /** Asks the folder for something small. */
  readonly probe: () => Promise<unknown>;
}

const LIMIT_MS = 15_000;
/** Operations of one folder that are under way at once, the silent ones apart. */
const AT_ONCE = 4;
/**
 * An unanswered probe may have gone to a mount that was replaced since. In time limits; the more there are already, the
 * more probably they will tell, and each may cost a thread for good.
 */
const PROBE_AGAIN_AFTER = 2;
const ENOUGH_PROBES = 3;
const PROBE_SELDOM_AFTER = 20;
const PROBES_AT_MOST = 8;
/** A timer later than this tells of a process that was stopped, not of a share. */
const STOPPED_MS = 1_000;

/**
 * Of all folders, so that some threads are left whatever hangs; but a folder of which none is under way may begin one.
 * Four is what the runtime starts if not told otherwise.
 */
function allAtOnce(): number {
  return Math.floor((Number(process.env['UV_THREADPOOL_SIZE']) || 4) * 0.75);
}

/** The threads are the process's, and so is this count. */
const everywhere = { underWay: 0 };

export class Guard {
  readonly #limitMs: number;
  readonly #ask: () => Promise<unknown>;
  readonly #underWay = new Set<Operation>();
  readonly #queue = new Set<Waiting>();
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
   * Rejects with ETIMEDOUT if the operation shows no progress for too long, or at once while the folder is silent. A
   * long operation calls `progress` now and then.
   */
  async run<T>(operation: (progress: () => void) => Promise<T>): Promise<T> {
    this.#refuseIfSilent();
    while (!this.#hasPlace) await this.#place();
    return this.#start(operation, this.#limitMs);
  }

  /**
   * For what changes the folder and may take its time (a copy into the archive): has no limit of its own, but ends
   * with the others when the folder falls silent, which a probe beside it finds out.
   */
  async runLong<T>(operation: () => Promise<T>): Promise<T> {
    this.#refuseIfSilent();
    // Not beside an earlier one that was given up and may still take effect.
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

  /** Operations that were given up keep their threads; one more may always be tried. */
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
      const operation: Operation = {
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

  /** The one let in takes its place in a later turn, if that is still free then. */
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
    return Object.assign(new Error(`ETIMEDOUT: no answer for ${seconds} s`), { code: 'ETIMEDOUT' });
  }
}

interface Operation {
  /** When it began, or last showed progress. */
  since: number;
  readonly limitMs: number;
  readonly isLong: boolean;
  isGivenUp: boolean;
  readonly giveUp: () => void;
}

interface Waiting {
  readonly go: () => void;
  readonly refuse: (error: Error) => void;
}

export function createFolderGuard(folder: string, limitMs?: number): Guard {
  return new Guard({ probe: () => stat(folder), ...(limitMs !== undefined && { limitMs }) });
}

import PQueue from 'p-queue';
import type { Clock } from '../../core/ports/clock.ts';

export interface QueueLimits {
  /** Cap on waiting jobs; further ones are refused. */
  readonly most: number;
  /** Longest wait for an answer, in milliseconds. */
  readonly waitMs: number;
}

interface DrawingOptions {
  /** A single picture that somebody is waiting for. */
  readonly isUrgent: boolean;
  readonly signal: AbortSignal;
}

interface Job<T> {
  asking: number;
  state: 'waiting' | 'under way' | 'left out';
  /** Null if the job was dropped. */
  readonly done: Promise<T | null>;
}

/**
 * Runs one job at a time. Requests with the same key share a job:
 *
 *   waiting ──turn──▶ under way ──▶ done
 *      └──nobody wants it any more──▶ left out
 */
export class DrawingQueue<T> {
  readonly #clock: Clock;
  readonly #limits: QueueLimits;
  readonly #queue = new PQueue({ concurrency: 1 });
  /** Waiting and running jobs. */
  readonly #jobs = new Map<string, Job<T>>();

  constructor(clock: Clock, limits: QueueLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Null if it takes too long, or too many jobs are waiting. @throws errors of `work` */
  async ask(key: string, work: () => Promise<T>, { isUrgent, signal }: DrawingOptions): Promise<T | null> {
    const job = this.#jobs.get(key) ?? this.#add(key, work, isUrgent);
    if (job === null) return null;
    job.asking += 1;
    const answered = new AbortController();
    const late = this.#clock
      .sleep(this.#limits.waitMs, AbortSignal.any([signal, answered.signal]))
      .catch(() => {})
      .then(() => null);
    try {
      return await Promise.race([job.done, late]);
    } finally {
      answered.abort();
      job.asking -= 1;
      if (signal.aborted && job.asking === 0) this.#leaveOut(key, job);
    }
  }

  #add(key: string, work: () => Promise<T>, isUrgent: boolean): Job<T> | null {
    const waiting = [...this.#jobs.values()].filter(({ state }) => state === 'waiting');
    if (waiting.length >= this.#limits.most) return null;
    const job: Omit<Job<T>, 'done'> = { asking: 0, state: 'waiting' };
    const inTurn = async (): Promise<T | null> => {
      if (job.state === 'left out') return null;
      job.state = 'under way';
      return work().finally(() => this.#jobs.delete(key));
    };
    const done = this.#queue.add(inTurn, { priority: isUrgent ? 1 : 0 });
    // Prevents an unhandled rejection if nobody is waiting any more.
    done.catch(() => {});
    const added = Object.assign(job, { done });
    this.#jobs.set(key, added);
    return added;
  }

  #leaveOut(key: string, job: Job<T>): void {
    if (job.state !== 'waiting') return;
    job.state = 'left out';
    this.#jobs.delete(key);
  }
}

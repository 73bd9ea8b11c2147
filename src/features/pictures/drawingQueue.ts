import type { Clock } from '../../core/ports/clock.ts';

export interface QueueLimits {
  /** That wait; more are not taken. */
  readonly most: number;
  /** For an answer. */
  readonly waitMs: number;
}

interface Asked {
  /** Somebody waits for this one alone. */
  readonly isUrgent: boolean;
  readonly signal: AbortSignal;
}

interface Job<T> {
  readonly key: string;
  /** Begins it. Never rejects; `done` does. */
  readonly begin: () => Promise<void>;
  readonly done: Promise<T>;
  asking: number;
}

/**
 * One piece of work at a time. Those who want the same share it:
 *
 *   waiting ──turn──▶ under way ──▶ done
 *      └──nobody wants it any more──▶ left out
 */
export class DrawingQueue<T> {
  readonly #clock: Clock;
  readonly #limits: QueueLimits;
  readonly #jobs = new Map<string, Job<T>>();
  #waiting: Job<T>[] = [];
  #isWorking = false;

  constructor(clock: Clock, limits: QueueLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Null where that takes too long, or too much waits already. @throws what `work` throws */
  async ask(key: string, work: () => Promise<T>, { isUrgent, signal }: Asked): Promise<T | null> {
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
      if (signal.aborted && job.asking === 0) this.#leaveOut(job);
    }
  }

  #add(key: string, work: () => Promise<T>, isUrgent: boolean): Job<T> | null {
    if (this.#waiting.length >= this.#limits.most) return null;
    const job = jobOf(key, work);
    this.#jobs.set(key, job);
    if (isUrgent) this.#waiting.unshift(job);
    else this.#waiting.push(job);
    void this.#work();
    return job;
  }

  #leaveOut(job: Job<T>): void {
    if (!this.#waiting.includes(job)) return;
    this.#waiting = this.#waiting.filter((each) => each !== job);
    this.#jobs.delete(job.key);
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      await job.begin();
      this.#jobs.delete(job.key);
    }
    this.#isWorking = false;
  }
}

function jobOf<T>(key: string, work: () => Promise<T>): Job<T> {
  let turn = (): void => {};
  const done = new Promise<void>((resolve) => {
    turn = resolve;
  }).then(work);
  // Nobody may be left to hear of it.
  const ended = done.then(
    () => {},
    () => {},
  );
  const begin = (): Promise<void> => {
    turn();
    return ended;
  };
  return { key, begin, done, asking: 0 };
}

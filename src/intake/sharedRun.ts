/**
 * Combines concurrent requests for the same work. Requests made during a run share the next one, since the current run may
 * have begun too early for them.
 */
export class SharedRun {
  readonly #work: () => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Settles with the outcome of a run that begins after this call. */
  ask(): Promise<void> {
    if (this.#next) return this.#next;
    const next = this.#last.then(() => {
      this.#next = null;
      return this.#work();
    });
    this.#next = next;
    this.#last = next.catch(() => undefined);
    return next;
  }
}

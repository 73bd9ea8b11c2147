/** Work that many ask for at once. Those who ask while it is under way share the next run: the present one may have begun too soon for them. */
export class SharedRun {
  readonly #work: () => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves or rejects as a run does that begins after this call. */
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

/** Runs operations on one key one after the other, and those on different keys at the same time. */
export class KeyedTurns {
  readonly #latest = new Map<string, Promise<unknown>>();

  /** Whether an operation on this key is running. */
  has(key: string): boolean {
    return this.#latest.has(key);
  }

  /** Starts `work` synchronously if nothing else is running for this key. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#latest.get(key);
    const turn = before ? before.then(work, work) : work();
    this.#latest.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#latest.get(key) === turn) this.#latest.delete(key);
    }
  }
}

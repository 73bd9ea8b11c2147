/**
 * Many may be inside at once, or one who has closed it: an inbox that is taken away has nobody who works in it, and an
 * agent that is being replaced is asked nothing.
 */
export class Gate {
  #inside = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  get isClosed(): boolean {
    return this.#closed;
  }

  async inside<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#change();
    this.#inside += 1;
    try {
      return await work();
    } finally {
      this.#inside -= 1;
      this.#tell();
    }
  }

  /** Nobody comes in any more; `work` begins when the last has left. */
  async closed<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#change();
    this.#closed = true;
    try {
      while (this.#inside > 0) await this.#change();
      return await work();
    } finally {
      this.#closed = false;
      this.#tell();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #tell(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}

/**
 * Lets many work inside at once, or one who has closed it. Nobody works in an inbox while it is being taken away, and an agent that is
 * being replaced gets no commands.
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

  /** Lets nobody else in; `work` begins when the last one has left. */
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

/** Lets many work inside at once, or one who has closed it. */
export class Gate {
  #inside = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  async inside<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#change();
    this.#inside += 1;
    return work().finally(() => {
      this.#inside -= 1;
      this.#tell();
    });
  }

  /** Lets nobody else in; `work` begins when the last one has left. */
  async closed<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#change();
    this.#closed = true;
    while (this.#inside > 0) await this.#change();
    return work().finally(() => {
      this.#closed = false;
      this.#tell();
    });
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #tell(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}

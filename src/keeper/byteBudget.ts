/** Bounds the image bytes in memory. An image larger than the whole budget goes alone. */
export class ByteBudget {
  readonly #limit: number;
  #used = 0;
  readonly #waiting: { bytes: number; start: () => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs `work` once `bytes` fit, first come first served. */
  async with<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.take(bytes);
    try {
      return await work();
    } finally {
      this.giveBack(bytes);
    }
  }

  /** Takes `bytes` from the budget; the caller must give them back. Returns a promise to wait for, or undefined if they fit at once. */
  take(bytes: number): Promise<void> | undefined {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      return new Promise<void>((resolve) => this.#waiting.push({ bytes, start: resolve }));
    this.#used += bytes;
    return undefined;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
    this.#startWaiting();
  }

  #fits(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#limit;
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#used += next.bytes;
      next.start();
    }
  }
}

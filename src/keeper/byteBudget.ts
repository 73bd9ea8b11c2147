export type Room = Pick<ByteBudget, 'with'>;

/**
 * Room in memory for images, counted before they are read. Without room they wait, first come first served. An image larger than
 * all of it goes alone.
 */
export class ByteBudget {
  readonly #limit: number;
  readonly #places: number;
  #used = 0;
  #taken = 0;
  readonly #waiting: { bytes: number; start: () => void }[] = [];

  /**
   * @param limit bytes
   * @param places images, whatever their size: thousands of small ones would wait too long for their turn
   */
  constructor(limit: number, places = Infinity) {
    this.#limit = limit;
    this.#places = places;
  }

  /** Whether somebody waits for room. */
  get isWaitedFor(): boolean {
    return this.#waiting.length > 0;
  }

  /** Runs `work` once there is room for `bytes`. */
  async with<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.take(bytes);
    try {
      return await work();
    } finally {
      this.giveBack(bytes);
    }
  }

  /** Room in it for one of several users, at most half: one whose work hangs leaves the others some. */
  half(): Room {
    const own = new ByteBudget(this.#limit / 2, this.#places / 2);
    return { with: (bytes, work) => own.with(bytes, () => this.with(bytes, work)) };
  }

  /** Takes room; the caller must give it back. Returns a promise to wait for, or undefined if there is room now. */
  take(bytes: number): Promise<void> | undefined {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      return new Promise<void>((resolve) => this.#waiting.push({ bytes, start: resolve }));
    return this.add(bytes);
  }

  /** Counts an image that is in memory already. */
  add(bytes: number): undefined {
    this.#used += bytes;
    this.#taken += 1;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
    this.#taken -= 1;
    // Many at once rather than one by one, because their admissions then share a commit.
    if (this.#taken > this.#places / 2) return;
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.add(next.bytes);
      next.start();
    }
  }

  #fits(bytes: number): boolean {
    return this.#used === 0 || (this.#taken < this.#places && this.#used + bytes <= this.#limit);
  }
}

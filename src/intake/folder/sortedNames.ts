import { byBytes } from '../../domain/byteOrder.ts';

/** Names that are sorted at once. */
const RUN = 8_192;

/**
 * The names of one directory in the order of their bytes, however many they are: sorted in runs as they come, and merged
 * as they are taken, so that no moment of it is long. What was taken is not kept.
 */
export class SortedNames {
  #open: string[] = [];
  /** Each descending, so that its least name is at its end; a heap by that name once all are in. */
  readonly #runs: string[][] = [];
  #isHeap = false;

  add(name: string): void {
    if (this.#open.push(name) === RUN) this.#close();
  }

  /** The next ones, `limit` at most; none is added after that. */
  take(limit: number): string[] {
    if (!this.#isHeap) this.#heap();
    const taken: string[] = [];
    while (taken.length < limit) {
      const name = this.#runs[0]?.pop();
      if (name === undefined) break;
      taken.push(name);
      this.#settle();
    }
    return taken;
  }

  #close(): void {
    if (this.#open.length > 0) this.#runs.push(this.#open.sort((a, b) => byBytes(b, a)));
    this.#open = [];
  }

  #heap(): void {
    this.#close();
    this.#isHeap = true;
    for (let at = this.#runs.length >> 1; at >= 0; at -= 1) this.#sink(at);
  }

  /** The first run has given its least name away. */
  #settle(): void {
    if (this.#runs[0]?.length === 0) {
      const last = this.#runs.pop();
      if (last !== undefined && this.#runs.length > 0) this.#runs[0] = last;
    }
    this.#sink(0);
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = at * 2 + 1;
      const least = this.#lesser(this.#lesser(at, left), left + 1);
      const [run, child] = [this.#runs[at], this.#runs[least]];
      if (least === at || run === undefined || child === undefined) return;
      this.#runs[at] = child;
      this.#runs[least] = run;
      at = least;
    }
  }

  #lesser(at: number, other: number): number {
    const [one, two] = [this.#runs[at]?.at(-1), this.#runs[other]?.at(-1)];
    return one !== undefined && two !== undefined && byBytes(two, one) < 0 ? other : at;
  }
}

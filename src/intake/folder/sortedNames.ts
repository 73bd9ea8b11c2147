import { byBytes } from '../../core/domain/byteOrder.ts';

/** Number of names per sorted run. */
const RUN = 8_192;
/** Separator: no file name contains it. */
const END = '\0';
/** Surrogates: only with them does the order of UTF-16, which `sort` uses, differ from the order of bytes. */
const HALVES = /[\uD800-\uDFFF]/;

/** Sorted names, joined into one string: a million separate strings would take three times the memory. */
interface Run {
  readonly text: string;
  /** The smallest name not taken yet, and its offset in `text`. */
  least: string;
  at: number;
}

/**
 * Sorts the names of one directory by their bytes, however many they are. Sorts runs as names are added and merges the
 * runs as names are taken, so that no single step blocks the thread for long. Does not retain names that were taken.
 */
export class SortedNames {
  #open: string[] = [];
  /** A heap by `least`, from the first `take` on. */
  readonly #runs: Run[] = [];
  #isHeap = false;
  /** No name has surrogates: JavaScript's own order is then that of the bytes, and sorts much faster. */
  #isPlain = true;

  add(name: string): void {
    if (this.#isPlain && HALVES.test(name)) this.#isPlain = false;
    if (this.#open.push(name) === RUN) this.#close();
  }

  /** Removes and returns the next names, at most `limit`. No name may be added after the first call. */
  take(limit: number): string[] {
    if (!this.#isHeap) this.#heap();
    const taken: string[] = [];
    while (taken.length < limit) {
      const [run] = this.#runs;
      if (!run) break;
      taken.push(run.least);
      this.#advance(run);
      this.#sink(0);
    }
    return taken;
  }

  #close(): void {
    const names = this.#isPlain ? this.#open.sort() : this.#open.sort(byBytes);
    const [least] = names;
    if (least !== undefined) this.#runs.push({ text: names.join(END) + END, least, at: 0 });
    this.#open = [];
  }

  #heap(): void {
    this.#close();
    this.#isHeap = true;
    for (let at = this.#runs.length >> 1; at >= 0; at -= 1) this.#sink(at);
  }

  /** Moves the first run on to its next name; removes the run at its end. */
  #advance(run: Run): void {
    run.at += run.least.length + END.length;
    if (run.at < run.text.length) {
      run.least = run.text.slice(run.at, run.text.indexOf(END, run.at));
      return;
    }
    const last = this.#runs.pop();
    if (last !== undefined && this.#runs.length > 0) this.#runs[0] = last;
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
    const [one, two] = [this.#runs[at]?.least, this.#runs[other]?.least];
    if (one === undefined || two === undefined) return at;
    const isLess = this.#isPlain ? two < one : byBytes(two, one) < 0;
    return isLess ? other : at;
  }
}

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
 * Sorts the names of one directory by their bytes, however many they are: in runs as names are added, which are merged as names are
 * taken, so that no single step blocks the thread for long. Does not retain names that were taken.
 */
export class SortedNames {
  #open: string[] = [];
  /** By `least`, from the first `take` on. */
  readonly #runs: Run[] = [];
  #isMerging = false;
  /** No name has surrogates: JavaScript's own order is then that of the bytes, and sorts much faster. */
  #isPlain = true;

  add(name: string): void {
    if (this.#isPlain && HALVES.test(name)) this.#isPlain = false;
    if (this.#open.push(name) === RUN) this.#close();
  }

  /** Removes and returns the next names, at most `limit`. No name may be added after the first call. */
  take(limit: number): string[] {
    if (!this.#isMerging) {
      this.#close();
      this.#runs.sort((a, b) => (this.#isLess(a.least, b.least) ? -1 : 1));
      this.#isMerging = true;
    }
    const taken: string[] = [];
    while (taken.length < limit) {
      const run = this.#runs.shift();
      if (!run) break;
      taken.push(run.least);
      run.at += run.least.length + END.length;
      if (run.at === run.text.length) continue;
      run.least = run.text.slice(run.at, run.text.indexOf(END, run.at));
      this.#insert(run);
    }
    return taken;
  }

  #close(): void {
    const names = this.#isPlain ? this.#open.sort() : this.#open.sort(byBytes);
    const [least] = names;
    if (least !== undefined) this.#runs.push({ text: names.join(END) + END, least, at: 0 });
    this.#open = [];
  }

  #insert(run: Run): void {
    let [from, to] = [0, this.#runs.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#isLess(this.#runs[middle]?.least ?? '', run.least)) from = middle + 1;
      else to = middle;
    }
    this.#runs.splice(from, 0, run);
  }

  #isLess(a: string, b: string): boolean {
    return this.#isPlain ? a < b : byBytes(a, b) < 0;
  }
}

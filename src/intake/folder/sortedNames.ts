import { byBytes } from '../../core/domain/byteOrder.ts';

/** Names that are sorted at once. */
const RUN = 8_192;
/** Stands in no name. */
const END = '\0';
/** Characters whose halves sort otherwise than their bytes do. */
const HALVES = /[\uD800-\uDFFF]/;

/** Names in order, as one text: a million strings of their own would take three times as much. */
interface Run {
  readonly text: string;
  /** The least name that is left, and where it begins. */
  least: string;
  at: number;
}

/**
 * The names of one directory in the order of their bytes, however many they are: sorted in runs as they come, and merged
 * as they are taken, so that no moment of it is long. What was taken is not kept.
 */
export class SortedNames {
  #open: string[] = [];
  /** A heap by the least name of each once all are in. */
  readonly #runs: Run[] = [];
  #isHeap = false;
  /** Mostly the order of JavaScript is that of the bytes, and takes a fraction of the time. */
  #isPlain = true;

  add(name: string): void {
    if (this.#isPlain && HALVES.test(name)) this.#isPlain = false;
    if (this.#open.push(name) === RUN) this.#close();
  }

  /** The next ones, `limit` at most; none is added after that. */
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

  /** The first run has given its least name away. */
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

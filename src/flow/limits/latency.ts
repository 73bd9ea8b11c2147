/** Shorter answers count as this long: a rise from 5 to 40 ms is noise. */
const FLOOR_MS = 50;
/** Answers after which an image size has a baseline. */
const FIRST = 8;
const SHORT_SHARE = 1 / 8;
const BASELINE_SHARE = 0.003;
/** A lasting threefold rise exceeds it; scatter around the baseline does not. */
const RISEN = Math.log(2.5);
const CALM = Math.log(1.6);
const LASTING = 12;
/** Answers of any size that set the reference for an unloaded service. */
const FIRST_OF_ALL = 4;
const SMALLEST_CLASS = 16;

interface Baseline {
  count: number;
  log: number;
}

/**
 * Compares how long answers take now with how long they took before, by classes of image size: a large image takes
 * longer to send, which is no sign of trouble. Means are geometric, so that one answer of a minute weighs little.
 */
export class Latency {
  readonly #baselines = new Map<number, Baseline>();
  /** How far the latest answers are above their baselines; natural logarithm of the ratio. */
  #rise = 0;
  #lasting = 0;
  #typicalMs = 0;
  #isKnown = false;
  readonly #first: Baseline = { count: 0, log: 0 };

  /** `few`: little was in flight. Only then does the baseline adapt; otherwise it would learn slowdowns caused by the agent itself. */
  add(ms: number, bytes: number, few: boolean): void {
    this.#typicalMs += (ms - this.#typicalMs) * (this.#typicalMs === 0 ? 1 : SHORT_SHARE);
    const log = logOf(ms);
    if (this.#first.count < FIRST_OF_ALL) {
      this.#first.count += 1;
      this.#first.log += (log - this.#first.log) / this.#first.count;
    }
    const sizeClass = Math.max(SMALLEST_CLASS, Math.ceil(Math.log2(Math.max(1, bytes))));
    const baseline = this.#baselines.get(sizeClass) ?? { count: 0, log: 0 };
    this.#baselines.set(sizeClass, baseline);
    baseline.count += 1;
    if (baseline.count <= FIRST) {
      baseline.log += (log - baseline.log) / baseline.count;
      return;
    }
    this.#rise += (log - baseline.log - this.#rise) * SHORT_SHARE;
    this.#isKnown = true;
    if (few) baseline.log += (log - baseline.log) * BASELINE_SHARE;
    this.#lasting = this.#rise > RISEN ? this.#lasting + 1 : 0;
  }

  /** Whether an answer took about as long as the first ones. */
  isAsFirst(ms: number): boolean {
    return logOf(ms) - this.#first.log < CALM;
  }

  /** Moving average of the latest answers; 0 before the first. */
  get typicalMs(): number {
    return this.#typicalMs;
  }

  /** Whether the latest LASTING answers were all slow. Resets the count, so it is true again only after as many more. */
  takeRisen(): boolean {
    if (this.#lasting < LASTING) return false;
    this.#lasting = 0;
    return true;
  }

  get isCalm(): boolean {
    return this.#isKnown && this.#rise < CALM;
  }
}

function logOf(ms: number): number {
  return Math.log(Math.max(FLOOR_MS, ms));
}

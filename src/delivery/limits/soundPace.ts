/** A pace, from when it was served, and how many had been served by then since the latest refusal. Monotonic milliseconds. */
interface Since {
  readonly from: number;
  readonly after: number;
  readonly spacingMs: number;
  readonly atOnce: number;
}

/** A pace is sound once so much was served without a refusal since it began. */
const LONG_MS = 90_000;
const MANY = 40;
/** Apart by LONG_MS: a pace below the sound one was refused. Then the limit is another now, and it is forgotten. */
const DOUBTS_AT_MOST = 2;

/**
 * The quickest pace that a service was seen to bear for long. What it refuses at a slower one it refuses for reasons of
 * its own (it is overloaded, others share the limit), and the way back is short.
 *
 *   unknown ──served for long──▶ known ──slower ones are refused, again and again──▶ unknown
 */
export class SoundPace {
  /** The paces since the latest refusal; the first of them was served for long, or is the only one. */
  #paces: Since[] = [];
  #served = 0;
  #spacingMs = Infinity;
  #atOnce = 0;
  #doubts = 0;
  #doubtedAt = -Infinity;

  /** Infinity while none is known. */
  get spacingMs(): number {
    return this.#spacingMs;
  }

  /** 0 while none is known. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /** Successes since the latest refusal. */
  get served(): number {
    return this.#served;
  }

  isQuickerThan(spacingMs: number, atOnce: number): boolean {
    return spacingMs > this.#spacingMs || atOnce < this.#atOnce;
  }

  /** Whether nothing but the present pace was served for long, up to a request that started at `at`. */
  wasServedLong(at: number): boolean {
    return this.#paces.length === 1 && this.#isLong(this.#paces[0], at);
  }

  /** A request that started at `at` was served at this pace. Between two refusals a pace becomes quicker only. */
  add(at: number, spacingMs: number, atOnce: number): void {
    this.#served += 1;
    const last = this.#paces.at(-1);
    if (last?.spacingMs !== spacingMs || last.atOnce !== atOnce)
      this.#paces.push({ from: at, after: this.#served, spacingMs, atOnce });
    while (this.#isLong(this.#paces[1], at)) this.#paces.shift();
    const [first] = this.#paces;
    if (!first || !this.#isLong(first, at) || this.isQuickerThan(first.spacingMs, first.atOnce)) return;
    this.#spacingMs = first.spacingMs;
    this.#atOnce = first.atOnce;
    this.#doubts = 0;
  }

  refused(): void {
    this.#served = 0;
    this.#paces = [];
  }

  /** A pace below this one was refused. */
  doubt(now: number): void {
    if (now - this.#doubtedAt < LONG_MS) return;
    this.#doubtedAt = now;
    this.#doubts += 1;
    if (this.#doubts <= DOUBTS_AT_MOST) return;
    this.#spacingMs = Infinity;
    this.#atOnce = 0;
  }

  #isLong(pace: Since | undefined, at: number): boolean {
    return pace !== undefined && at - pace.from >= LONG_MS && this.#served - pace.after >= MANY;
  }
}

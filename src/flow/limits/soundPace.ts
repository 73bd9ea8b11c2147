/** A pace, the start time of its first served request, and the count of served requests at that time. Monotonic milliseconds. */
interface Since {
  readonly from: number;
  readonly after: number;
  readonly spacingMs: number;
  readonly atOnce: number;
}

/** A pace is sound once it has lasted this long, with this many successes and no refusal. */
const LONG_MS = 90_000;
const MANY = 40;
/** Refusals below the sound pace, at least LONG_MS apart, after which the limit must have changed and the sound pace is forgotten. */
const DOUBTS_AT_MOST = 2;

/**
 * The quickest pace that the service sustained for long. Refusals at a slower one have other causes (the service is overloaded,
 * others share the limit), so the pace may return to the sound one quickly.
 *
 *   unknown ──served for long──▶ known ──slower ones are refused, again and again──▶ unknown
 */
export class SoundPace {
  /** Paces since the latest refusal. The first was sustained for long, or is the only one. */
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

  /** Whether the present pace was sustained for long, and no other since the latest refusal, as of a request that started at `at`. */
  wasServedLong(at: number): boolean {
    return this.#paces.length === 1 && this.#isLong(this.#paces[0], at);
  }

  /** Notes that a request that started at `at` was served at this pace. Between two refusals the pace only gets quicker. */
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

  /** Notes that a pace slower than the sound one was refused. */
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

import { Latency } from './latency.ts';
import { SoundPace } from './soundPace.ts';

/** Before anything is known of a service, no more than this at once. */
const FIRST_AT_ONCE = 4;
/** Successes in a row that earn a step back up: near a limit that was met, and while only a rough guess is known. */
const RUN = 10;
const ROUGH_RUN = 4;
/** Each refusal that follows a step back up makes the runs twice as long, up to this. */
const MOST_PATIENCE = 16;
const STEP = 0.95;
const ROUGH_STEP = 0.8;
/** Starts are spaced a little wider than a service was seen to allow. */
const MARGIN = 1.1;
/** A spacing that was refused once was a little too narrow. */
const WIDER = 1.2;
/** Well past the spacing that was refused: the limit is another now, and is looked for quickly. */
const PAST_LIMIT = 0.8;
const LEAST_SPACING_MS = 10;
const MOST_SPACING_MS = 60_000;
/** What refuses for longer is a quota that is used up; the spacing of a rate would make a day of one burst. */
const QUOTA_MS = 10 * 60_000;
const STARTS_KEPT = 64;
/** What was served earlier says nothing of a rate: there was nothing to send. */
const JUST_BEFORE_MS = 90_000;

/** An upload that the service has dealt with. Monotonic milliseconds. */
export interface Served {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly bytes: number;
}

export interface Reduced {
  readonly cause: 'refused' | 'slow' | 'outage';
  readonly atOnce: number;
  readonly configured: number;
  /** Between the starts of two requests; 0 for none. */
  readonly spacingMs: number;
}

/**
 * The pace of one endpoint: how many uploads at once, and how long from the start of one to the start of the next. It
 * finds the limits that nobody has told, and is never above the configured number.
 *
 *   full ──told to slow down──▶ half as many at once, spaced as the service was seen to allow
 *   full ──answers take three times as long, lastingly──▶ one less at once
 *   full ──outage──▶ one at once
 *   reduced ──a run of successes──▶ one step nearer to full ──▶ … ──▶ full
 *
 * Steps up to a pace that was served for long before (soundPace.ts) are larger, and their runs short.
 *
 * Times are monotonic milliseconds.
 */
export class Pace {
  readonly #configured: number;
  readonly #latency = new Latency();
  readonly #sound = new SoundPace();
  #atOnce: number;
  /** So many at once went well before: up to here, each round of successes earns one more. */
  #proven: number;
  #spacingMs = 0;
  /** The spacing is a guess from one burst; it is improved quickly. */
  #rough = false;
  #cause: Reduced['cause'] | null = null;
  #run = 0;
  #round = 0;
  #patience = 1;
  #lastStart = -Infinity;
  /** Starts that the service has served, the latest ones. */
  #served: number[] = [];
  /** When the latest refusal came: answers to what started before say nothing of the pace since. */
  #refusedAt = -Infinity;
  /** When the refusals began that no success has followed yet. */
  #refusedSince: number | null = null;
  #refusedSpacingMs = 0;
  /** The first request after the back-off was refused as well. */
  #isRefusedAgain = false;
  /** What was refused last had been served for long at the very same pace. */
  #isUnrelated = false;

  constructor(configured: number) {
    this.#configured = configured;
    this.#proven = configured;
    this.#atOnce = Math.min(configured, FIRST_AT_ONCE);
  }

  get atOnce(): number {
    return this.#atOnce;
  }

  get spacingMs(): number {
    return this.#spacingMs;
  }

  /** How long answers take of late; 0 before the first. */
  get typicalMs(): number {
    return this.#latency.typicalMs;
  }

  /** What is less than configured, and why; null if nothing is. */
  get reduced(): Reduced | null {
    const cause = this.#cause;
    if (cause === null || this.#isFull) return null;
    return { cause, atOnce: this.#atOnce, configured: this.#configured, spacingMs: this.#spacingMs };
  }

  /** Milliseconds until the next request may start. */
  delay(now: number): number {
    return this.#spacingMs === 0 ? 0 : Math.max(0, Math.ceil(this.#lastStart + this.#spacingMs - now));
  }

  started(now: number): void {
    this.#lastStart = now;
  }

  succeeded({ startedAt, endedAt, bytes }: Served): void {
    this.#served = [...this.#served, startedAt].slice(-STARTS_KEPT);
    if (startedAt <= this.#refusedAt) return;
    if (this.#refusedSince !== null && !this.#isUnrelated) this.#space(this.#refusedSince, startedAt);
    this.#refusedSince = null;
    this.#latency.add(endedAt - startedAt, bytes, this.#atOnce <= FIRST_AT_ONCE);
    if (this.#latency.takeRisen()) this.#lower();
    else this.#grow(endedAt - startedAt);
  }

  /** Told to slow down (429, 402). All answers to what was under way at once count as one. */
  refused(startedAt: number, now: number): void {
    if (startedAt <= this.#refusedAt) return;
    this.#refusedAt = now;
    const endsRun = this.#sound.served >= RUN;
    const wasServed = this.#spacingMs > 0 && this.#sound.wasServedLong(startedAt);
    const wasRecovering = this.#isRecovering;
    this.#sound.refused();
    this.#run = 0;
    this.#round = 0;
    this.#isRefusedAgain = this.#refusedSince !== null;
    if (this.#refusedSince !== null) return;
    this.#refusedSince = now;
    this.#isUnrelated = wasServed;
    const atOnce = this.#atOnce;
    this.#atOnce = Math.max(1, Math.floor(this.#atOnce / 2));
    this.#cause = 'refused';
    // Each storm of refusals would widen the spacing else, and the runs that narrow it again would take longer and longer.
    if (wasServed) return;
    // One trouble, however many refusals it has.
    if (!endsRun && this.#patience > 1) return;
    if (wasRecovering) this.#sound.doubt(now);
    this.#refusedSpacingMs = this.#spacingMs;
    this.#patience = Math.min(MOST_PATIENCE, this.#patience * 2);
    this.#proven = Math.max(1, atOnce - 1, Math.floor(this.#proven / 2));
  }

  /**
   * The service or the endpoint is closed: what follows begins with one at a time. It says nothing of a rate, so that a run
   * of successes goes on behind it: a service with many short outages would keep its spacing for good. Idempotent.
   */
  outage(): void {
    this.#proven = Math.max(this.#proven, this.#atOnce);
    if (this.#cause === null && this.#configured > 1) this.#cause = 'outage';
    this.#atOnce = 1;
    this.#round = 0;
  }

  /** The densest row of starts that was served just before, as if each had to wait for its place until `again`. */
  #space(refusedSince: number, again: number): void {
    if (again - refusedSince > QUOTA_MS) return;
    const before = this.#served
      .filter((at) => at <= refusedSince && at > refusedSince - JUST_BEFORE_MS)
      .sort((a, b) => b - a);
    const seenMs = Math.min(...before.map((at, index) => (again - at) / (index + 1))) * MARGIN;
    const last = this.#spacingMs;
    if (last === 0 && seenMs === Infinity) return;
    this.#rough = last === 0;
    // What was seen has the back-off in it, which is long beside the spacing of a quick service.
    const most = last * (this.#isRefusedAgain ? 2 : WIDER);
    const wanted = last === 0 ? seenMs : Math.min(most, Math.max(last * (2 - STEP), seenMs));
    this.#spacingMs = Math.min(MOST_SPACING_MS, wanted);
  }

  #lower(): void {
    this.#run = 0;
    this.#round = 0;
    if (this.#atOnce === 1) return;
    this.#atOnce -= 1;
    this.#proven = this.#atOnce;
    this.#cause ??= 'slow';
  }

  #grow(ms: number): void {
    this.#round += 1;
    this.#run += 1;
    this.#sound.add(this.#served.at(-1) ?? 0, this.#spacingMs, this.#atOnce);
    if (this.#isBeginning && this.#latency.isAsFirst(ms)) {
      this.#run = 0;
      return this.#oneMore();
    }
    const isProven = this.#atOnce < this.#proven && this.#round >= this.#atOnce;
    if (isProven && (this.#atOnce < FIRST_AT_ONCE || this.#latency.isCalm)) this.#oneMore();
    if (this.#run >= this.#runLength) this.#step();
    if (this.#isFull) this.#cause = null;
  }

  /** After a run of successes: more at once or closer together, whichever is what keeps the pace down. */
  #step(): void {
    this.#run = 0;
    const isMost = this.#atOnce === this.#configured;
    if (this.#isRecovering) this.#recover();
    else if (this.#spacingMs > 0 && (this.#isSpaced || isMost)) this.#closeUp();
    else if (isMost) this.#patience = 1;
    else if (this.#latency.isCalm) this.#oneMore();
  }

  /** Nothing has slowed it down yet; as long as answers take as long as the first ones did, each earns one more at once. */
  get #isBeginning(): boolean {
    return this.#cause === null && this.#atOnce < this.#configured;
  }

  /** Slower than what was served for long. */
  get #isRecovering(): boolean {
    return this.#sound.isQuickerThan(this.#spacingMs, this.#atOnce);
  }

  #recover(): void {
    if (this.#spacingMs > this.#sound.spacingMs) this.#closeUp();
    else if (this.#latency.isCalm) this.#oneMore();
  }

  get #runLength(): number {
    if (this.#rough) return ROUGH_RUN;
    return this.#isRecovering ? RUN : RUN * this.#patience;
  }

  get #isFull(): boolean {
    return this.#atOnce === this.#configured && this.#spacingMs === 0;
  }

  /** Whether it is the spacing that keeps requests apart, and not the number at once. */
  get #isSpaced(): boolean {
    return this.#spacingMs >= this.#latency.typicalMs / this.#atOnce;
  }

  #closeUp(): void {
    const sound = this.#sound.spacingMs;
    if (this.#spacingMs > sound) this.#spacingMs = Math.max(sound, this.#spacingMs * ROUGH_STEP);
    else this.#spacingMs *= this.#rough ? ROUGH_STEP : STEP;
    const idle = this.#atOnce === this.#configured && !this.#isSpaced;
    if (idle || this.#spacingMs < LEAST_SPACING_MS) {
      this.#spacingMs = 0;
      this.#rough = false;
    } else if (this.#spacingMs < this.#refusedSpacingMs * PAST_LIMIT) {
      this.#patience = 1;
      this.#rough = true;
    }
  }

  #oneMore(): void {
    this.#atOnce += 1;
    this.#round = 0;
    this.#proven = Math.max(this.#proven, this.#atOnce);
  }
}

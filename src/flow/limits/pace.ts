import { Latency } from './latency.ts';
import { SoundPace } from './soundPace.ts';

/** Concurrency before anything is known of the service. */
const FIRST_AT_ONCE = 4;
/** Successes in a row that earn one step up: near a known limit, and while the spacing is only a rough guess. */
const RUN = 10;
const ROUGH_RUN = 4;
/** Each refusal after a step up doubles the length of the runs, up to this factor. */
const MOST_PATIENCE = 16;
const STEP = 0.95;
const ROUGH_STEP = 0.8;
/** Spacing between starts, relative to what the service was seen to allow. */
const MARGIN = 1.1;
/** Cap on widening a spacing that was refused once. */
const WIDER = 1.2;
/** Below this share of the refused spacing, the limit must have changed: search for the new one quickly. */
const PAST_LIMIT = 0.8;
const LEAST_SPACING_MS = 10;
const MOST_SPACING_MS = 60_000;
/** Refusals that last longer mean a used-up quota, not a rate: spacing computed from them would stretch one burst over a day. */
const QUOTA_MS = 10 * 60_000;
const STARTS_KEPT = 64;
/** Older starts are ignored when estimating the rate: there may have been nothing to send. */
const JUST_BEFORE_MS = 90_000;

/** An upload that the service answered. Monotonic milliseconds. */
export interface Served {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly bytes: number;
}

export interface Reduced {
  readonly cause: 'refused' | 'slow' | 'outage';
  readonly atOnce: number;
  readonly configured: number;
  /** Minimum interval between request starts; 0 for none. */
  readonly spacingMs: number;
}

/**
 * The pace of one endpoint: how many uploads at once, and the interval between their starts. It discovers limits that the service
 * does not announce, and never exceeds the configured concurrency.
 *
 *   full ──told to slow down──▶ half as many at once, spaced as the service was seen to allow
 *   full ──answers take three times as long, lastingly──▶ one less at once
 *   full ──outage──▶ one at once
 *   reduced ──a run of successes──▶ one step nearer to full ──▶ … ──▶ full
 *
 * Steps up to a pace that was sustained before (soundPace.ts) are larger, and their runs shorter.
 *
 * Times are monotonic milliseconds.
 */
export class Pace {
  readonly #configured: number;
  readonly #latency = new Latency();
  readonly #sound = new SoundPace();
  #atOnce: number;
  /** Concurrency that worked before: below it, each round of successes earns one more. */
  #proven: number;
  #spacingMs = 0;
  /** The spacing is a guess from one burst, to be refined quickly. */
  #rough = false;
  #cause: Reduced['cause'] | null = null;
  #run = 0;
  #round = 0;
  #patience = 1;
  #lastStart = -Infinity;
  /** Start times of the latest requests that were served. */
  readonly #served: number[] = [];
  /** Time of the latest refusal. Answers to requests that started before it say nothing about the pace since. */
  #refusedAt = -Infinity;
  /** Start of the current streak of refusals; null after a success. */
  #refusedSince: number | null = null;
  #refusedSpacingMs = 0;
  /** The first request after the back-off was refused too. */
  #isRefusedAgain = false;
  /** The latest refusal came at a pace that had been sustained for long, so the pace is not its cause. */
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

  /** Typical answer time in milliseconds; 0 before the first. */
  get typicalMs(): number {
    return this.#latency.typicalMs;
  }

  /** How the pace is below the configured one, and why; null if it is not. */
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
    if (this.#served.push(startedAt) > STARTS_KEPT) this.#served.shift();
    if (startedAt <= this.#refusedAt) return;
    if (this.#refusedSince !== null && !this.#isUnrelated) this.#space(this.#refusedSince, startedAt);
    this.#refusedSince = null;
    this.#latency.add(endedAt - startedAt, bytes, this.#atOnce <= FIRST_AT_ONCE);
    if (this.#latency.takeRisen()) this.#lower();
    else this.#grow(endedAt - startedAt);
  }

  /** Lowers the pace after a 429 or 402. All answers to requests that were in flight together count as one. */
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
    // Otherwise each storm of refusals would widen the spacing, and the runs that narrow it would take longer and longer.
    if (wasServed) return;
    // A streak of refusals counts as one, however many there are.
    if (!endsRun && this.#patience > 1) return;
    if (wasRecovering) this.#sound.doubt(now);
    this.#refusedSpacingMs = this.#spacingMs;
    this.#patience = Math.min(MOST_PATIENCE, this.#patience * 2);
    this.#proven = Math.max(1, atOnce - 1, Math.floor(this.#proven / 2));
  }

  /**
   * The service or the endpoint is closed: restarts at one request at a time. The spacing and the run of successes stay, because an
   * outage says nothing about the rate: with many short outages, the spacing would never narrow. Idempotent.
   */
  outage(): void {
    this.#proven = Math.max(this.#proven, this.#atOnce);
    if (this.#cause === null && this.#configured > 1) this.#cause = 'outage';
    this.#atOnce = 1;
    this.#round = 0;
  }

  /** Sets the spacing from the densest sequence of starts served just before the refusals, assuming that each was delayed until `again`. */
  #space(refusedSince: number, again: number): void {
    if (again - refusedSince > QUOTA_MS) return;
    const before = this.#served
      .filter((at) => at <= refusedSince && at > refusedSince - JUST_BEFORE_MS)
      .sort((a, b) => b - a);
    const seenMs = Math.min(...before.map((at, index) => (again - at) / (index + 1))) * MARGIN;
    const last = this.#spacingMs;
    if (last === 0 && seenMs === Infinity) return;
    this.#rough = last === 0;
    // The observed interval includes the back-off, which is long compared to the spacing of a fast service.
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

  /** Takes a step after a run of successes: raises the concurrency or narrows the spacing, whichever limits the pace. */
  #step(): void {
    this.#run = 0;
    const isMost = this.#atOnce === this.#configured;
    if (this.#isRecovering) this.#recover();
    else if (this.#spacingMs > 0 && (this.#isSpaced || isMost)) this.#closeUp();
    else if (isMost) this.#patience = 1;
    else if (this.#latency.isCalm) this.#oneMore();
  }

  /** Nothing has slowed it down yet: each answer as quick as the first ones earns one more at once. */
  get #isBeginning(): boolean {
    return this.#cause === null && this.#atOnce < this.#configured;
  }

  /** Slower than the pace that was sustained for long. */
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

  /** Whether the spacing limits the pace, rather than the concurrency. */
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

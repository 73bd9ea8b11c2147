import type { Dice } from '../support/dice.ts';
import { useTimeline, type Owner, type Timeline } from './timeline.ts';

/** A point for a kill: before a step takes effect, or after it and before its result is known. */
export type KillPoint = { readonly atStep: number; readonly when: 'before' | 'after' };

/** How long steps take, in milliseconds: mostly next to nothing, sometimes very long. */
export interface Pace {
  readonly slowShare: number;
  readonly slowMs: number;
}

/**
 * One life of the agent's process. All its effects on the world go through `step`, which takes time and lets others run meanwhile; the
 * process may be killed before or after it. A dead process gets no results.
 */
export class Process implements Owner {
  isDead = false;
  steps = 0;
  readonly number: number;
  readonly timeline: Timeline;
  readonly dice: Dice;
  readonly #pace: Pace;
  #kill: KillPoint | null;
  readonly #onKilled: (how: string) => void;

  constructor(
    number: number,
    timeline: Timeline,
    dice: Dice,
    pace: Pace,
    kill: KillPoint | null,
    onKilled: (how: string) => void,
  ) {
    this.number = number;
    this.timeline = timeline;
    this.dice = dice;
    this.#pace = pace;
    this.#kill = kill;
    this.#onKilled = onKilled;
    useTimeline(timeline, this);
  }

  /** Prevents a planned kill from now on. */
  disarm(): void {
    this.#kill = null;
  }

  kill(how: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#onKilled(how);
  }

  /** Counts a step. Returns `before` or `after` if the process is to be killed at it, otherwise null. */
  takeStep(): KillPoint['when'] | null {
    this.steps += 1;
    return this.#kill?.atStep === this.steps ? this.#kill.when : null;
  }

  delay(): number {
    if (this.dice.chance(this.#pace.slowShare)) return this.dice.next() * this.#pace.slowMs;
    return this.dice.next() * 2;
  }

  /** An effect on the world. `effect` happens at once when its time has come. */
  step<T>(what: string, effect: () => T, delayMs = this.delay()): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.isDead) return;
      this.timeline.after(delayMs, this, () => {
        const kill = this.takeStep();
        if (kill === 'before') {
          this.kill(`before ${what}`);
          return;
        }
        let value: T;
        try {
          value = effect();
        } catch (error) {
          if (kill === 'after') this.kill(`after ${what} failed`);
          else reject(error);
          return;
        }
        if (kill === 'after') this.kill(`after ${what}`);
        else resolve(value);
      });
    });
  }
}

import type { Dice } from '../support/dice.ts';
import { useTimeline, type Owner, type Timeline } from './timeline.ts';

/** Where a kill may come: before what was asked takes effect, or after it and before anybody is told. */
export type KillPoint = { readonly atStep: number; readonly when: 'before' | 'after' };

/** How long things take, in milliseconds: mostly next to nothing, now and then very long. */
export interface Pace {
  readonly slowShare: number;
  readonly slowMs: number;
}

/**
 * One life of the agent's process. All that it does to the world goes through `step`: it takes time, others go first
 * meanwhile, and the process may be killed before or after it. What a dead one asks for never comes.
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

  /** It is not killed any more, however many steps it takes. */
  disarm(): void {
    this.#kill = null;
  }

  kill(how: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#onKilled(how);
  }

  /** Whether this step, the next one, is where the process is to be killed. */
  takeStep(): KillPoint['when'] | null {
    this.steps += 1;
    return this.#kill?.atStep === this.steps ? this.#kill.when : null;
  }

  delay(): number {
    if (this.dice.chance(this.#pace.slowShare)) return this.dice.next() * this.#pace.slowMs;
    return this.dice.next() * 2;
  }

  /** Something that the process asks of the world: `effect` happens at once when its time has come. */
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

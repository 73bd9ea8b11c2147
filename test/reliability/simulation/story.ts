import { said, type Breach } from '../../oracle/oracle.ts';
import type { Timeline } from './timeline.ts';

/** What happened, in order. The same seed tells the same story. */
export class Story {
  readonly #timeline: Timeline;
  readonly #lines: string[] = [];
  readonly breaches: string[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  tell(who: string, what: string): void {
    this.#lines.push(`${this.#timeline.now.toFixed(3).padStart(12)}  ${who.padEnd(8)} ${what}`);
  }

  /** Records a broken promise. */
  breach(breach: Breach): void {
    const words = said(breach, breach.what);
    this.tell('ORACLE', words);
    this.breaches.push(words);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }
}

import type { Place } from './places.ts';
import type { RoundResult } from './round.ts';

/** Sums up the rounds of one place. */
export class Report {
  breached = 0;
  readonly #place: Place;
  readonly #operations = new Map<string, number>();
  #rounds = 0;
  #steps = 0;
  #files = 0;
  #sent = 0;
  #overtaken = 0;
  #putOff = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Describes a round: its story if there was a breach. */
  add(result: RoundResult): string {
    this.#rounds += 1;
    this.#steps += result.steps;
    this.#files += result.files;
    this.#sent += result.sent;
    this.#overtaken += result.overtaken;
    this.#putOff += result.putOff;
    for (const [kind, count] of Object.entries(result.operations))
      this.#operations.set(kind, (this.#operations.get(kind) ?? 0) + count);
    if (result.breaches.length === 0) return '';
    this.breached += 1;
    return [
      `${this.#place}, seed ${result.seed}: BREACH`,
      ...result.breaches.map((each) => `  ${each}`),
      ...result.story.map((each) => `    ${each}`),
      `  Again: npm run campaign -- files --rounds 1 --from ${result.seed} --${this.#place}`,
      '',
    ].join('\n');
  }

  summary(): string {
    const kinds = [...this.#operations]
      .sort((a, b) => b[1] - a[1])
      .map(([kind, count]) => `${kind} ${count}`);
    const operations = [...this.#operations.values()].reduce((sum, count) => sum + count, 0);
    return [
      `${this.#place}: ${this.#rounds} rounds, ${this.#rounds - this.breached} clean; ${operations} operations in ${this.#steps} steps, ${this.#files} files, ${this.#sent} images sent`,
      `  the agent took a file first: ${this.#overtaken} steps; disposal put off in ${this.#putOff} rounds`,
      `  ${kinds.join(', ')}`,
      '',
    ].join('\n');
  }
}

/**
 * Knows the promises, and judges by what service and folders saw. It imports nothing from `src`, so it outlives what it judges.
 * promises.md names every rule.
 */
import type { Event } from './evidence.ts';
import { BUDGETS } from './budgets.ts';
import { GIVEN_BACK } from './givenBack.ts';
import { LIMITS } from './limits.ts';
import { NOTHING_LOST } from './nothingLost.ts';
import { ONE_NAME } from './oneName.ts';
import { ORIGINALS } from './originals.ts';
import { OTHERS } from './others.ts';
import type { Breach, Rule } from './rule.ts';
import { Seen } from './seen.ts';

export type { Breach } from './rule.ts';

export const RULES: readonly Rule[] = [
  ...NOTHING_LOST,
  ...ONE_NAME,
  ...ORIGINALS,
  ...OTHERS,
  ...LIMITS,
  ...BUDGETS,
  ...GIVEN_BACK,
];

/** Judges evidence while it comes in. */
export class Oracle {
  readonly seen = new Seen();
  readonly breaches: Breach[] = [];
  readonly #onBreach: (breach: Breach) => void;
  readonly #known = new Set<string>();

  constructor(onBreach: (breach: Breach) => void = () => {}) {
    this.#onBreach = onBreach;
  }

  take(event: Event): void {
    this.seen.take(event);
    for (const rule of RULES) {
      // The kind picks the rule's function for this event.
      const judge = rule.on?.[event.kind] as ((event: Event, seen: Seen) => Iterable<string>) | undefined;
      if (judge) this.#add(rule, judge.call(rule.on, event, this.seen));
    }
  }

  /** What must still happen. */
  owed(): string[] {
    return RULES.flatMap((rule) => [...(rule.owed?.(this.seen) ?? [])].map((what) => said(rule, what)));
  }

  /** All trouble is over, and nothing is to be expected any more. */
  owes(): void {
    for (const rule of RULES) this.#add(rule, rule.owed?.(this.seen) ?? []);
  }

  end(): void {
    for (const rule of RULES) this.#add(rule, rule.end?.(this.seen) ?? []);
  }

  #add(rule: Rule, words: Iterable<string>): void {
    for (const what of words) {
      const breach = { promise: rule.promise, rule: rule.rule, what };
      if (this.#known.has(said(rule, what))) continue;
      this.#known.add(said(rule, what));
      this.breaches.push(breach);
      this.#onBreach(breach);
    }
  }
}

/** All breaches of a history that is over. */
export function judge(history: Iterable<Event>): readonly Breach[] {
  const oracle = new Oracle();
  for (const event of history) oracle.take(event);
  oracle.owes();
  oracle.end();
  return oracle.breaches;
}

export function said({ promise, rule }: Pick<Breach, 'promise' | 'rule'>, what: string): string {
  return `${promise}: ${what} (${rule})`;
}

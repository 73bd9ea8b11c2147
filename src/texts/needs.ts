import type { Need } from './facts.ts';

export interface Needs {
  /** Each reason with its number. */
  readonly summary: (needs: readonly Need[]) => string;
  /** What to do, each once. */
  readonly cures: (needs: readonly Need[]) => string;
}

interface NeedWords {
  readonly what: string;
  readonly cure: string;
}

export type Unsent = Readonly<Record<Need['state'], NeedWords>> & Readonly<Record<string, NeedWords>>;

/** `unsent`: words by reason or state, most urgent first. */
export function needsIn(unsent: Unsent, number: (value: number) => string): Needs {
  const keys = Object.keys(unsent);
  const grouped = (needs: readonly Need[]) => {
    const counts = new Map<string, number>();
    for (const { state, reason, count } of needs) {
      const key = reason !== null && Object.hasOwn(unsent, reason) ? reason : state;
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
    return [...counts]
      .toSorted(([a], [b]) => keys.indexOf(a) - keys.indexOf(b))
      .flatMap(([key, count]) => {
        const words = unsent[key];
        return words === undefined ? [] : [{ ...words, count }];
      });
  };
  return {
    summary: (needs) =>
      grouped(needs)
        .map(({ what, count }) => `${what}: ${number(count)}`)
        .join(', '),
    cures: (needs) => [...new Set(grouped(needs).map(({ cure }) => cure))].join(' '),
  };
}

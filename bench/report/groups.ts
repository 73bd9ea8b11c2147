import type { Figure } from '../scenario.ts';

/** Figures of one load, whose names share the part before the colon. */
export interface Group {
  /** Empty for figures of the whole scenario. */
  readonly name: string;
  /** Ratios first, then figures with a target, then the others; names without the name of the group. */
  readonly figures: readonly Figure[];
}

export function groups(figures: readonly Figure[]): Group[] {
  const found = new Map<string, Figure[]>();
  for (const figure of figures) {
    const at = figure.name.indexOf(': ');
    const group = at < 0 ? '' : figure.name.slice(0, at);
    const own = { ...figure, name: at < 0 ? figure.name : figure.name.slice(at + 2) };
    found.set(group, [...(found.get(group) ?? []), own]);
  }
  return [...found].map(([name, each]) => ({ name, figures: each.toSorted((a, b) => rank(a) - rank(b)) }));
}

function rank({ unit, target }: Figure): number {
  if (unit === 'ratio') return target === undefined ? 1 : 0;
  return target === undefined ? 3 : 2;
}

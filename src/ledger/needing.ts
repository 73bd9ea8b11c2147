import { UNDECIDED_STATES } from '../core/domain/needsPerson.ts';
import type { StateCount } from '../core/ports/ledgerReports.ts';

/** Files of one folder that need a person. */
export interface NeedingFiles {
  readonly folder: string;
  readonly verdict: string;
  readonly reason: string | null;
  readonly count: number;
}

/**
 * Splits off documents and files that need a person; `dismissed` counts the documents of a state that need none. Sums
 * are unchanged.
 */
export function withNeeding(
  counts: readonly StateCount[],
  dismissed: readonly StateCount[],
  needing: readonly NeedingFiles[],
): StateCount[] {
  return counts.flatMap((all) => {
    const isDocument = UNDECIDED_STATES.some((state) => state === all.state);
    const cases: StateCount[] = isDocument
      ? [
          {
            ...all,
            count: all.count - sumOf(dismissed.filter((each) => isSame(each, all))),
            needsPerson: true,
          },
        ]
      : all.endpoint === null
        ? needing
            .filter(({ folder, verdict }) => folder === all.folder && verdict === all.state)
            .map(({ reason, count }) => ({ ...all, count, needsPerson: true, reason: reason ?? '' }))
        : [];
    const rest = { ...all, count: all.count - sumOf(cases) };
    return [...cases, rest].filter(({ count }) => count > 0);
  });
}

function isSame(a: StateCount, b: StateCount): boolean {
  return (
    a.state === b.state &&
    a.folder === b.folder &&
    a.endpoint?.uid === b.endpoint?.uid &&
    a.endpoint?.baseUrl === b.endpoint?.baseUrl
  );
}

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

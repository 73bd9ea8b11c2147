import { isDeepStrictEqual } from 'node:util';
import type { Figure } from '../scenario.ts';
import { commitOf } from './git.ts';
import { readHistory, type Entry } from './history.ts';
import { aligned } from './table.ts';
import { amount, occasion, percent, short } from './words.ts';

const WORSE_SHARE = 0.1;
const WORSE = 'WORSE';

export interface Compared {
  readonly text: string;
  /** 2 if there is nothing to compare. Worse figures are not a failure. */
  readonly status: 0 | 2;
}

interface Pair {
  readonly before: Entry;
  readonly after: Entry;
}

/** Compares the figures of a revision in the history with those of HEAD, or else with the latest ones. */
export async function compare(
  root: string,
  revision: string,
  scenarios: readonly string[],
): Promise<Compared> {
  const commit = await commitOf(root, revision);
  if (commit === null) return nothing(`this repository has no revision ${revision}`);
  const history = await readHistory(root);
  // Measurements of a modified tree do not belong to that revision.
  if (!history.some((entry) => entry.commit === commit && !entry.dirty)) return nothing(howToMeasure(commit));
  const head = await commitOf(root, 'HEAD');
  const pairs = scenarios.flatMap(
    (scenario) =>
      pair(
        history.filter((each) => each.scenario === scenario),
        commit,
        head,
      ) ?? [],
  );
  if (pairs.length === 0)
    return nothing(
      `the history has no later run of the same scenarios on the same machine since ${short(commit)}; run npm run bench first`,
    );
  const lines = pairs.map(linesOf);
  const worse = lines.flat().filter((line) => line.endsWith(WORSE)).length;
  const end = `${worse === 0 ? 'Nothing' : `${worse} ${worse === 1 ? 'figure' : 'figures'}`} became worse by more than ${percent(WORSE_SHARE)}.`;
  return { text: `${[...lines.map((each) => each.join('\n')), end].join('\n\n')}\n`, status: 0 };
}

function nothing(reason: string): Compared {
  return { text: `npm run bench: ${reason}.\n`, status: 2 };
}

function howToMeasure(commit: string): string {
  const dir = `../receiptd-${short(commit)}`;
  const steps = `git worktree add ${dir} ${short(commit)} && (cd ${dir} && npm ci && npm run bench)`;
  return `nothing was measured at ${short(commit)} itself; run ${steps}, then add the lines at the end of ${dir}/bench/history.jsonl to bench/history.jsonl`;
}

/** Prefers full runs to quick ones. Takes a later run on the same machine: of HEAD if possible, otherwise the last of another commit. */
function pair(entries: readonly Entry[], commit: string, head: string | null): Pair | null {
  for (const quick of [false, true]) {
    const runs = entries.filter((each) => each.quick === quick);
    for (const before of runs.filter((each) => each.commit === commit && !each.dirty).toReversed()) {
      const later = runs.slice(runs.indexOf(before) + 1);
      // An older revision may be measured after HEAD; comparing HEAD with itself needs a later run.
      const ofHead = (commit === head ? later : runs).filter((each) => each.commit === head);
      const candidates = [...later.filter((each) => each.commit !== commit), ...ofHead];
      const after = candidates.findLast(({ machine }) => isDeepStrictEqual(machine, before.machine));
      if (after) return { before, after };
    }
  }
  return null;
}

function linesOf({ before, after }: Pair): string[] {
  const title = `${after.scenario}${after.quick ? ' (quick)' : ''}: ${occasion(before)} → ${occasion(after)}`;
  const rows = before.figures.map((was) => {
    const is = after.figures.find(({ name }) => name === was.name);
    const from = amount(was.value, was.unit);
    if (is === undefined) return [was.name, from, '→ not measured', '', ''];
    const change = is.value === was.value ? 0 : (is.value - was.value) / Math.abs(was.value);
    return [
      was.name,
      from,
      `→ ${amount(is.value, is.unit)}`,
      percent(change, 'exceptZero'),
      word(is, change),
    ];
  });
  return [title, ...aligned(rows).map((line) => `  ${line}`)];
}

function word({ better }: Figure, change: number): string {
  if (better === null) return '';
  return (better === 'less' ? change : -change) > WORSE_SHARE ? WORSE : '';
}

import type { Place } from './places.ts';
import type { RoundResult } from './round.ts';

/** Describes a round: its story if there was a breach. */
export function storyOf(place: Place, { seed, breaches, story }: RoundResult): string {
  if (breaches.length === 0) return '';
  return [
    `${place}, seed ${seed}: BREACH`,
    ...breaches.map((each) => `  ${each}`),
    ...story.map((each) => `    ${each}`),
    `  Again: npm run campaign -- files --rounds 1 --from ${seed} --${place}`,
    '',
  ].join('\n');
}

/** Sums up the rounds of one place. */
export function summaryOf(place: Place, results: readonly RoundResult[]): string {
  const sum = (of: (result: RoundResult) => number) => results.reduce((all, each) => all + of(each), 0);
  const operations: Record<string, number> = {};
  for (const result of results)
    for (const [kind, count] of Object.entries(result.operations))
      operations[kind] = (operations[kind] ?? 0) + count;
  const kinds = Object.entries(operations).sort(([, a], [, b]) => b - a);
  return [
    `${place}: ${results.length} rounds, ${results.filter(({ breaches }) => breaches.length === 0).length} clean; ${kinds.reduce((all, [, count]) => all + count, 0)} operations in ${sum(({ steps }) => steps)} steps, ${sum(({ files }) => files)} files, ${sum(({ sent }) => sent)} images sent`,
    `  the agent took a file first: ${sum(({ overtaken }) => overtaken)} steps; disposal put off in ${sum(({ putOff }) => putOff)} rounds`,
    `  ${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
    '',
  ].join('\n');
}

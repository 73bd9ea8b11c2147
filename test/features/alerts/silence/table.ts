import type { Counts } from './trial.ts';

/** The table in docs/silent-scanner.md. */
export function tableOf(counts: readonly Counts[]): string {
  const rows = counts.map(({ office, falsePerYear, closedPerYear, sameDay, later, missed, hours }) => [
    office,
    falsePerYear.toFixed(1),
    closedPerYear.toFixed(1),
    String(sameDay),
    String(later),
    String(missed),
    hours === null ? '-' : hours.toFixed(1),
  ]);
  const head = [
    'folder',
    'false alarms a year',
    'on days off',
    'same day',
    'later',
    'not in 5 days',
    'hours until alert',
  ];
  return [head, head.map(() => '-'), ...rows].map((cells) => cells.join(' | ')).join('\n');
}

/** Without the padding of a formatter. */
export function plainTable(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replace(/^-+:?$/, '-'))
        .join(' | '),
    )
    .join('\n');
}

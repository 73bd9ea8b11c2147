import type { Counts } from './trial.ts';

/** What the trial finds, for every kind of office. docs/silent-scanner.md shows some rows and columns of it. */
export const FIGURES = `
folder | false alarms a year | on days off | same day | later | not in 5 days | hours until alert
- | - | - | - | - | - | -
busy office, 250 a day | 0.5 | 8.0 | 58 | 2 | 0 | 2.7
office, 80 a day | 2.0 | 8.0 | 44 | 16 | 0 | 3.7
small office, 20 a day | 10.0 | 7.3 | 30 | 30 | 0 | 5.8
the same, silentAfter: 5h | 37.0 | 7.8 | 45 | 15 | 0 | 4.0
the same, silentAfter: 7h | 10.0 | 7.5 | 24 | 36 | 0 | 6.2
the same, silentAfter: 9h | 2.8 | 5.8 | 9 | 51 | 0 | 8.2
3 a day | 7.3 | 3.8 | 7 | 53 | 0 | 6.0
all at once, 60 a day | 2.0 | 0.5 | 1 | 59 | 0 | 1.7
once a month, 300 | 0.0 | 0.0 | 0 | 0 | 60 | -
season of five months, 120 a day | 1.5 | 3.0 | 50 | 9 | 1 | 3.3
shop at weekends, 150 a day | 0.3 | 3.0 | 56 | 3 | 1 | 3.3
two shifts, 400 a day | 0.5 | 8.0 | 60 | 0 | 0 | 2.9
grows from 5 to 300 a day | 0.5 | 7.5 | 52 | 8 | 0 | 3.0
shrinks from 300 to none | 5.3 | 7.0 | 56 | 4 | 0 | 3.1
80 a day, every sixth day none | 1.3 | 40.5 | 48 | 12 | 0 | 3.9
80 a day, agent off at night | 2.8 | 9.5 | 50 | 10 | 0 | 4.0
80 a day, closes for vacations | 1.0 | 9.0 | 49 | 11 | 0 | 3.8
`.trim();

/** The figures of a trial, in the form of `FIGURES`. */
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

/** The cells of a table, without the padding of a formatter. */
export function cellsOf(table: string): string[][] {
  return table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
}

/** The table of a page. */
export function tableIn(page: string): string[][] {
  const rows = page.split('\n').filter((line) => /^\|(?! *-)/.test(line));
  return cellsOf(rows.map((row) => row.slice(1, -1)).join('\n'));
}

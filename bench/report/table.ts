import type { Figure, Findings, Scenario } from '../scenario.ts';
import { groups } from './groups.ts';
import { aim, amount, remark, verdict } from './words.ts';

/** The findings as a table for a terminal. */
export function table({ title }: Scenario, { figures, skipped }: Findings): string {
  const lines = [`\n${title}`];
  for (const group of groups(figures)) {
    if (group.name !== '') lines.push(`\n  ${group.name}`);
    lines.push(...aligned(group.figures.map(cells)).map((line) => `  ${line}`));
  }
  return `${[...lines, ...skipped.map((sentence) => `  ${sentence}`)].join('\n')}\n\n`;
}

function cells(figure: Figure): string[] {
  const { name, value, unit } = figure;
  return [name, amount(value, unit), aim(figure), verdict(figure), remark(figure)];
}

/** Pads columns to the width of their widest cell. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

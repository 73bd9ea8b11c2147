import stringWidth from 'string-width';

/** A longer cell goes on beyond its column: one long name must not push the rest of every row off the screen. */
const WIDEST = 48;

/** A plain table; wide characters take the columns that a terminal gives them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    rows.reduce(
      (widest, row) => Math.max(widest, Math.min(WIDEST, stringWidth(row[column] ?? ''))),
      stringWidth(title),
    ),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell))))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}

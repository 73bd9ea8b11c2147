import stringWidth from 'string-width';

/** A longer cell goes on beyond its column: one long name must not push the rest of every row off the screen. */
const WIDEST = 48;

/** A plain table; wide characters take the columns that a terminal gives them. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  widest = WIDEST,
): string {
  const widths = head.map((title, column) =>
    rows.reduce(
      (most, row) => Math.max(most, Math.min(widest, stringWidth(row[column] ?? ''))),
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

/** The narrowest that a shortened column gets. */
const NARROWEST = 12;

/**
 * The same within so many columns of a terminal: cells of the columns `shortened` lose their middle, for a name tells most at
 * its ends.
 */
export function fitted(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  shortened: readonly number[],
): string[] {
  const widths = head.map((title, column) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), stringWidth(title)),
  );
  const total = () => widths.reduce((sum, width) => sum + width + 2, -2);
  while (total() > columns) {
    const widest = shortened.reduce(
      (a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a),
      shortened[0] ?? 0,
    );
    const width = widths[widest] ?? 0;
    if (width <= NARROWEST) break;
    widths[widest] = width - 1;
  }
  const cut = (row: readonly string[]) =>
    row.map((cell, column) => (shortened.includes(column) ? shortenMiddle(cell, widths[column] ?? 0) : cell));
  return table(head, rows.map(cut), columns).split('\n');
}

/** By what a reader takes for one character. */
export function shortenMiddle(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const parts = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  const take = (from: readonly string[], most: number): string[] => {
    const taken: string[] = [];
    let wide = 0;
    for (const part of from) {
      wide += stringWidth(part);
      if (wide > most) break;
      taken.push(part);
    }
    return taken;
  };
  const start = take(parts, Math.ceil((width - 1) / 2)).join('');
  const end = take(parts.toReversed(), width - 1 - stringWidth(start))
    .toReversed()
    .join('');
  return `${start}…${end}`;
}

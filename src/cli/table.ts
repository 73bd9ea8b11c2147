import stringWidth from 'string-width';

/** Maximum column width; longer cells overflow, so that one long name does not push every row off the screen. */
const WIDEST = 48;

/** A plain table, aligned by display width. */
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

/** Minimum width of a shortened column. */
const NARROWEST = 12;

/** Lines of a table that fits into `columns`. `shortened`: how to shorten the cells of each column that may become narrower. */
export function fitted(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  shortened: ReadonlyMap<number, (cell: string, width: number) => string>,
): string[] {
  const widths = head.map((title, column) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), stringWidth(title)),
  );
  const total = () => widths.reduce((sum, width) => sum + width + 2, -2);
  while (total() > columns) {
    const [widest = 0] = [...shortened.keys()].toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const width = widths[widest] ?? 0;
    if (width <= NARROWEST) break;
    widths[widest] = width - 1;
  }
  const cut = (row: readonly string[]) =>
    row.map((cell, column) => shortened.get(column)?.(cell, widths[column] ?? 0) ?? cell);
  return table(head, rows.map(cut), columns).split('\n');
}

/** For names, whose ends are the most telling. Like the other functions here, never cuts within a grapheme. */
export function shortenMiddle(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const parts = segments(text);
  const start = take(parts, Math.ceil((width - 1) / 2)).join('');
  const end = take(parts.toReversed(), width - 1 - stringWidth(start))
    .toReversed()
    .join('');
  return `${start}…${end}`;
}

/** For paths, whose end is the most telling. */
export function shortenStart(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  return `…${take(segments(text).toReversed(), width - 1)
    .toReversed()
    .join('')}`;
}

export function shortenEnd(text: string, width: number): string {
  return stringWidth(text) <= width ? text : `${take(segments(text), width - 1).join('')}…`;
}

function segments(text: string): string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

/** The first graphemes that fit into `most` columns. */
function take(from: readonly string[], most: number): string[] {
  const taken: string[] = [];
  let wide = 0;
  for (const part of from) {
    wide += stringWidth(part);
    if (wide > most) break;
    taken.push(part);
  }
  return taken;
}

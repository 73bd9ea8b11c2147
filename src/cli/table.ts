import stringWidth from 'string-width';

/** Maximum column width; longer cells overflow, so that one long name does not push every row off the screen. */
const WIDEST = 48;

/** Minimum width of a shortened column. */
const NARROWEST = 8;

type TableRows = readonly (readonly string[])[];

/** How to shorten the cells of each column that may become narrower. */
export type Shortened = ReadonlyMap<number, (cell: string, width: number) => string>;

/** A plain table, aligned by display width. */
export function table(head: readonly string[], rows: TableRows): string {
  const { top, lines } = tableInParts(head)(rows);
  return [...top, ...lines].join('\n');
}

export interface TablePart {
  /** The head and its rule; only of the first part. */
  readonly top: readonly string[];
  /** A line for each row. */
  readonly lines: readonly string[];
}

/**
 * Turns rows that arrive in parts into lines. A later part may widen the columns, but never narrows them. With `fit`, cells
 * are shortened until the lines fit into a terminal.
 */
export function tableInParts(
  head: readonly string[],
  fit?: { readonly columns: number; readonly shortened: Shortened },
): (rows: TableRows) => TablePart {
  const widths = head.map((title) => stringWidth(title));
  const widest = fit ? Math.max(fit.columns, NARROWEST) : WIDEST;
  let isFirst = true;
  return (rows) => {
    for (const row of rows)
      for (const [column, width] of widths.entries())
        widths[column] = Math.max(width, Math.min(widest, stringWidth(row[column] ?? '')));
    const fitting = fit ? narrowed(widths, fit.columns, fit.shortened) : widths;
    const lines = rows.map((row) => lineOf(shorten(row, fitting, fit?.shortened), fitting));
    const rule = fitting.map((width) => '─'.repeat(width));
    const top = isFirst ? [head, rule].map((cells) => lineOf(cells, fitting)) : [];
    isFirst = false;
    return { top, lines };
  };
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell))))
    .join('  ')
    .trimEnd();
}

/** Takes from the widest of the columns that may become narrower, until all fit into `columns`. */
function narrowed(natural: readonly number[], columns: number, shortened: Shortened): number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width + 2, -2);
  while (total() > columns) {
    const [widest = 0] = [...shortened.keys()].toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const width = widths[widest] ?? 0;
    if (width <= NARROWEST) break;
    widths[widest] = width - 1;
  }
  return widths;
}

function shorten(
  row: readonly string[],
  widths: readonly number[],
  shortened?: Shortened,
): readonly string[] {
  if (!shortened) return row;
  return row.map((cell, column) => shortened.get(column)?.(cell, widths[column] ?? 0) ?? cell);
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

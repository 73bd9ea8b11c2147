/**
 * The rows that a terminal shows after receiving `sent`. Interprets the sequences that progress lines and prompts use, and wraps lines
 * longer than `columns`.
 */
export function drawnScreen(sent: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const current = (): string[] => (rows[row] ??= []);
  const control = (count: number, erases: string, letter: string | undefined): void => {
    const steps = Math.max(1, count);
    if (letter === 'A') row = Math.max(0, row - steps);
    else if (letter === 'B') row += steps;
    else if (letter === 'C') column = Math.min(columns - 1, column + steps);
    else if (letter === 'D') column = Math.max(0, column - steps);
    else if (letter === 'G') column = steps - 1;
    else if (letter === 'K' && erases === '2') current().length = 0;
    else if (letter === 'K' || letter === 'J') current().length = Math.min(current().length, column);
    if (letter === 'J') rows.length = row + 1;
  };
  // oxlint-disable-next-line no-control-regex -- that is what it takes apart
  for (const [piece] of sent.matchAll(/\x1b\[[\d;?]*[A-Za-z]|[\s\S]/gu)) {
    if (piece === '\r') column = 0;
    else if (piece === '\n') row += 1;
    else if (piece === '\b') column = Math.max(0, column - 1);
    else if (piece.startsWith('\x1b')) {
      const given = piece.slice(2, -1);
      control(Number(given) || 0, given, piece.at(-1));
    } else if (piece !== '\x07') {
      if (column === columns) [row, column] = [row + 1, 0];
      current()[column] = piece;
      column += 1;
    }
  }
  // Fills the holes in rows and cells that were skipped.
  return Array.from({ length: rows.length }, (_, at) => {
    const cells = rows[at] ?? [];
    return Array.from({ length: cells.length }, (__, cell) => cells[cell] ?? ' ')
      .join('')
      .trimEnd();
  });
}

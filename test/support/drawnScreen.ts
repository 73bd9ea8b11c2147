/**
 * The rows that a terminal shows after receiving `sent`. Interprets the sequences that a progress line uses, and wraps lines longer
 * than `columns`.
 */
export function drawnScreen(sent: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const current = (): string[] => (rows[row] ??= []);
  // oxlint-disable-next-line no-control-regex -- that is what it takes apart
  for (const [piece] of sent.matchAll(/\x1b\[[\d;?]*[A-Za-z]|[\s\S]/gu)) {
    if (piece === '\r') column = 0;
    else if (piece === '\n') row += 1;
    else if (piece === '\x1b[K') current().length = Math.min(current().length, column);
    else if (piece === '\x1b[J') {
      current().length = Math.min(current().length, column);
      rows.length = row + 1;
      // oxlint-disable-next-line no-control-regex -- as above
    } else if (/^\x1b\[\d+A$/.test(piece)) row = Math.max(0, row - Number.parseInt(piece.slice(2), 10));
    else if (!piece.startsWith('\x1b')) {
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

/** The one of `known` that a person most likely meant by `typo`; null when none is near. */
export function nearest(typo: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = 3;
  for (const name of known) {
    const count = edits(typo.toLowerCase(), name.toLowerCase());
    if (count < fewest && count < name.length) {
      best = name;
      fewest = count;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`. */
function edits(a: string, b: string): number {
  if (a.length > 2 * b.length + 2) return a.length;
  const rows: number[][] = [];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i += 1) {
    const row: number[] = [];
    rows.push(row);
    for (let j = 0; j <= b.length; j += 1) {
      if (i === 0 || j === 0) {
        row.push(i + j);
        continue;
      }
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(
        Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped ? at(i - 2, j - 2) + 1 : Infinity),
      );
    }
  }
  return at(a.length, b.length);
}

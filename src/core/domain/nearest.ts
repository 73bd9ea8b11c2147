/** The candidate that was most likely meant; undefined if none is similar. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const plain = normalise(written);
  // All two-letter words are within distance two of each other.
  const limit = plain.length < 3 ? 0 : Math.max(1, Math.floor(plain.length / 3));
  let best: string | undefined;
  let fewest = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(plain, normalise(candidate), limit);
    if (distance < fewest) [best, fewest] = [candidate, distance];
  }
  return best;
}

/** Ignores spelling style: `base_url` and `baseURL` equal `baseUrl`. */
function normalise(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, '');
}

/** Counts insertions, deletions, substitutions and swaps of neighbours; values above `limit` are not exact. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Infinity;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? Infinity;
}

/** The order of two texts by their bytes in UTF-8, in which file names are gone through. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const one = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

/** A surrogate is half of a character that comes after all that take one code unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

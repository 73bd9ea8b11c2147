/** Numbers in [0, 1) that depend on the seed alone, so that every run draws the same receipts. */
export function seeded(seed: number): () => number {
  // A 32-bit linear congruential generator. Only the top 24 bits are used, because the low bits have a short period.
  let state = (seed * 2_654_435_761 + 1_013_904_223) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 0x100_0000;
  };
}

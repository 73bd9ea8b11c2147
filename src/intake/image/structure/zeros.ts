/** Compressed data never ends in so many zeros: they stand in place of bytes that are not written yet. */
const ZEROS = Buffer.alloc(32);

/** Whether compressed data that ends at `end` ends in zeros. */
export function endsInZeros(bytes: Buffer, end: number): boolean {
  return end >= ZEROS.length && bytes.subarray(end - ZEROS.length, end).equals(ZEROS);
}

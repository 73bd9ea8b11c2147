/** Pool of reusable buffers for images. */
export interface Buffers {
  /** A buffer of `size` bytes with arbitrary old content. */
  take(size: number): Buffer;
  /**
   * Returns a buffer that nobody reads, keeps or sends any more. Ignores buffers that were not taken here or were given back
   * already; one that is never given back is garbage-collected.
   */
  giveBack(bytes: Buffer): void;
}

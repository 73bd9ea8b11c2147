/** Memory for images that is used again and again. */
export interface Buffers {
  /** `size` bytes; what they hold is left over from before. */
  take(size: number): Buffer;
  /**
   * Nobody reads, keeps or sends these bytes any more. Nothing happens to what was not taken here, or was given back
   * before; what is never given back is collected as garbage like any other.
   */
  giveBack(bytes: Buffer): void;
}

/**
 * Copies of images that wait, by their hash (SHA-256, hexadecimal), so that an original which is overwritten,
 * renamed or deleted meanwhile loses nothing. Private to the agent, and limited in size.
 */
export interface Spool {
  /** Whether a copy is there, as far as is known without looking at its bytes. */
  has(sha256: string): boolean;
  /** Whether an image of that many bytes still fits. */
  fits(bytes: number): boolean;
  /** Bytes of all copies, and the most that they may have. */
  readonly usedBytes: number;
  readonly limitBytes: number;
  /**
   * Idempotent. The copy is durable when this resolves true; false if it does not fit.
   * @throws ReceiptdError SPOOL_UNWRITABLE if the disk fails or is full; nothing is left behind then.
   */
  put(sha256: string, bytes: Buffer): Promise<boolean>;
  /** The bytes, with that hash; null without a good copy (one that is damaged is removed). */
  read(sha256: string): Promise<Buffer | null>;
  /** Idempotent; the space is free again when this resolves. */
  remove(sha256: string): Promise<void>;
  /** Hashes of all copies at this moment. */
  hashes(): readonly string[];
}

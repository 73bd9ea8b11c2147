import type { Buffers } from './buffers.ts';
import type { ReadBeside } from './folder.ts';

/**
 * How bytes are read: into memory that is used again, and beside the calling thread. Ordinary memory for each image would make the
 * engine collect garbage several times a second.
 */
export interface BytesReading {
  readonly buffers: Buffers;
  readonly readBeside?: ReadBeside | undefined;
  /** SHA-256 in hexadecimal. */
  readonly hash: (bytes: Buffer) => Promise<string>;
}

/**
 * Copies of waiting images, by hash (SHA-256, hexadecimal), so that nothing is lost if an original is overwritten,
 * renamed or deleted meanwhile. Private to the agent, and limited in size.
 */
export interface Spool {
  /** Whether a copy exists; does not check its bytes. */
  has(sha256: string): boolean;
  /** Whether an image of that many bytes fits into the remaining space. */
  fits(bytes: number): boolean;
  /** Total bytes of all copies, and their limit. */
  readonly usedBytes: number;
  readonly limitBytes: number;
  /**
   * Idempotent. The copy is durable when this resolves true; false if it does not fit.
   * @throws ReceiptdError SPOOL_UNWRITABLE if the disk fails or is full; leaves nothing behind.
   */
  put(sha256: string, bytes: Buffer): Promise<boolean>;
  /**
   * Bytes that match the hash; null without an intact copy (a damaged one is removed). By default in ordinary memory, read and hashed
   * by the calling thread.
   */
  read(sha256: string, reading?: BytesReading): Promise<Buffer | null>;
  /** Idempotent; the space is free once this resolves. */
  remove(sha256: string): Promise<void>;
  /** Hashes of all copies at this moment. */
  hashes(): readonly string[];
}

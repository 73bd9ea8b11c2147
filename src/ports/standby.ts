import type { EndpointKey, FileIdentity, Lane } from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';

/** An image that was accepted while the shared ledger could not be reached; its bytes are in the spool. */
export interface Accepted {
  readonly folder: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly identity: FileIdentity;
  readonly endpoint: EndpointKey;
  readonly sha256: string;
  readonly type: ImageType;
  readonly lane: Lane;
  /** When it was accepted; wall-clock milliseconds. */
  readonly at: number;
  /** What the time of capture was read as, for its name; wall-clock milliseconds, null: not asked for. */
  readonly capturedAt: number | null;
}

/**
 * The local journal of what was accepted while the shared ledger was away. Durable: an entry is on the disk when `accept`
 * resolves. @throws ReceiptdError STATE_UNWRITABLE, DISK_FULL
 */
export interface Standby {
  /** The bytes must be in the spool before. Idempotent by folder, path and hash. */
  accept(image: Accepted): Promise<void>;
  /** What has not been admitted yet, oldest first. */
  waiting(): readonly Accepted[];
  /** Whether the spool's copy with this hash is needed for one of them. */
  needs(sha256: string): boolean;
  /** It is in the shared ledger now. Idempotent. */
  admitted(image: Accepted): Promise<void>;
  close(): Promise<void>;
}

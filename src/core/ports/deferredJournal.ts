import type { EndpointKey, FileIdentity, Lane } from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';

/** An image that was deferred while the shared ledger could not be reached; its bytes are in the spool. */
export interface DeferredImage {
  readonly folder: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly identity: FileIdentity;
  /** Mark of the file system that the folder was on then; null if unknown. */
  readonly mark: string | null;
  readonly endpoint: EndpointKey;
  readonly sha256: string;
  readonly type: ImageType;
  readonly lane: Lane;
  /** When it was deferred; wall-clock milliseconds. */
  readonly at: number;
  /** Capture time that the name uses; wall-clock milliseconds, null if the name does not use it. */
  readonly capturedAt: number | null;
  /** A file that has to be split into pages. */
  readonly isFile?: true;
}

/**
 * The local journal of images deferred while the shared ledger was away. Durable: an entry is on the disk when `defer`
 * resolves. @throws ReceiptdError STATE_UNWRITABLE, DISK_FULL
 */
export interface DeferredJournal {
  /** The bytes must already be in the spool. Idempotent by folder, path and hash. */
  defer(image: DeferredImage): Promise<void>;
  /** Images not admitted yet, oldest first. */
  waiting(): readonly DeferredImage[];
  /** Whether a waiting image needs the spool's copy with this hash. */
  needs(sha256: string): boolean;
  /** Removes an image that the shared ledger has now. Idempotent. */
  admitted(image: DeferredImage): Promise<void>;
  close(): Promise<void>;
}

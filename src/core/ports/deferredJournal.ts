import type { EndpointKey, FileIdentity, Lane } from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';

/** An image that was deferred while the shared ledger could not be reached; its bytes are in the spool. */
export interface DeferredImage {
  readonly folder: string;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly identity: FileIdentity;
  /** Of the file system on which the folder lay then; null: it was not to be told. */
  readonly mark: string | null;
  readonly endpoint: EndpointKey;
  readonly sha256: string;
  readonly type: ImageType;
  readonly lane: Lane;
  /** When it was deferred; wall-clock milliseconds. */
  readonly at: number;
  /** What the time of capture was read as, for its name; wall-clock milliseconds, null: not asked for. */
  readonly capturedAt: number | null;
  /** It is a file that is to be taken apart. */
  readonly isFile?: true;
}

/**
 * The local journal of what was deferred while the shared ledger was away. Durable: an entry is on the disk when `defer`
 * resolves. @throws ReceiptdError STATE_UNWRITABLE, DISK_FULL
 */
export interface DeferredJournal {
  /** The bytes must be in the spool before. Idempotent by folder, path and hash. */
  defer(image: DeferredImage): Promise<void>;
  /** What has not been admitted yet, oldest first. */
  waiting(): readonly DeferredImage[];
  /** Whether the spool's copy with this hash is needed for one of them. */
  needs(sha256: string): boolean;
  /** It is in the shared ledger now. Idempotent. */
  admitted(image: DeferredImage): Promise<void>;
  close(): Promise<void>;
}

import type { ContentFact, GapFact } from '../../texts/en/imageFlaws.ts';
import type { ImageType } from '../domain/imageType.ts';
import type { Content } from '../domain/receiptLike.ts';

/**
 * Type and structure, by content. `complete`: the structure reaches its end marker (trailing bytes are
 * ignored). `incomplete`: the file is still being written, truncated, or (`isDoubtful`) only not as its format
 * requires; `detail` says what is missing.
 */
export type Inspection =
  | {
      readonly type: ImageType;
      readonly structure: 'complete';
      /** Has so many zeros in a row that part of it may not be written yet. */
      readonly hasHole?: boolean;
      /** Number of pages; only for a multi-page TIFF. */ readonly pages?: number;
    }
  | {
      readonly type: ImageType;
      readonly structure: 'incomplete';
      readonly detail: GapFact;
      readonly isDoubtful?: boolean;
    }
  | { readonly type: null; readonly detail: ContentFact; readonly content: Exclude<Content, 'unread'> };

/** Judges by content, never by file name. Never throws on hostile bytes, and takes linear time. */
export interface ImageInspector {
  inspect(bytes: Uint8Array): Promise<Inspection>;
  /** The capture time in the image's EXIF data, as local date and time; null if it has none. */
  capturedAt(bytes: Uint8Array, type: ImageType): Promise<Date | null>;
  /** Whether the EXIF orientation says that a viewer has to rotate this JPEG. */
  isTurned(jpeg: Uint8Array): boolean;
  /** SHA-256 in hexadecimal. May run in another thread: the bytes must not change until it resolves. */
  sha256(bytes: Buffer): Promise<string>;
}

import type { ImageType } from '../domain/imageType.ts';
import type { Content } from '../domain/receiptLike.ts';

/**
 * What the bytes say of themselves. `complete`: the structure reaches its end marker (bytes after it do
 * not count). `incomplete`: more bytes must be coming, or the file is cut short; `detail` says what is missing.
 */
export type Inspection =
  | {
      readonly type: ImageType;
      readonly structure: 'complete';
      /** Of a TIFF, where there are several. */ readonly pages?: number;
    }
  | { readonly type: ImageType; readonly structure: 'incomplete'; readonly detail: string }
  | { readonly type: null; readonly detail: string; readonly content: Exclude<Content, 'unread'> };

/** Looks at content, never at a file name. Never throws on hostile bytes, and is linear in their length. */
export interface ImageInspector {
  inspect(bytes: Uint8Array): Promise<Inspection>;
  /** The capture time that the image carries (EXIF DateTimeOriginal), as local date and time; null without one. */
  capturedAt(bytes: Uint8Array, type: ImageType): Promise<Date | null>;
  /** Whether whoever shows this JPEG has to turn it first, as its EXIF orientation says. */
  isTurned(jpeg: Uint8Array): boolean;
  /** SHA-256 in hexadecimal digits. Other work may go on meanwhile; the bytes must stay as they are until then. */
  sha256(bytes: Buffer): Promise<string>;
}

import type { PageFlawFact } from '../../texts/en/imageFlaws.ts';
import type { ImageType, SplitType } from '../domain/imageType.ts';
import type { Appearance } from '../domain/look.ts';
import type { PageType } from '../domain/pages.ts';

/** Why a file can't be split, or a page not be read. */
export interface Unreadable {
  readonly kind: 'refused';
  /** `TROUBLE`: probably not the file's fault; a later attempt may succeed. */
  readonly reason:
    | 'ENCRYPTED'
    | 'DAMAGED'
    | 'FONT_MISSING'
    | 'PORTFOLIO'
    | 'XFA_FORM'
    | 'UNSUPPORTED'
    | 'TOO_MANY_PAGES'
    | 'TOO_DEAR'
    | 'TROUBLE';
  readonly detail: PageFlawFact;
}

export interface PageImage {
  readonly kind: 'image';
  readonly type: PageType;
  readonly bytes: Buffer;
  /** True if the file contains these bytes as they are; false if the page was rendered. */
  readonly isOriginal: boolean;
  /** Null if it was not measured, or measuring failed. */
  readonly appearance: Appearance | null;
}

export interface OpenFile {
  readonly kind: 'open';
  readonly pages: number;
  /** Files inside it that are no pages and are not sent. */
  readonly attachments: number;
  /** `page` counts from 1. Never rejects because of the file's content. */
  page(page: number): Promise<PageImage | Unreadable>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface SplitRequest {
  readonly type: SplitType;
  /** Called again if the splitting process has to be replaced; null if the bytes are no longer available. */
  readonly bytes: () => Promise<Buffer | null>;
  /** Formats allowed for the pages, preferred ones first. */
  readonly into: readonly PageType[];
  /** Dots per inch of rendered pages. */
  readonly resolution: number;
  /** Whether to measure the appearance of the pages. */
  readonly isLookedAt: boolean;
  /** Ends the split at once; later calls resolve TROUBLE. */
  readonly signal: AbortSignal;
}

/**
 * Splits files into images of their pages, in a separate process: a malicious file can't harm the agent. Only a few files
 * are open at once; `open` waits for its turn. No process runs while no file is open.
 */
export interface PageSplitter {
  open(request: SplitRequest): Promise<OpenFile | Unreadable>;
  /** Measures the appearance of an image; null if that fails for any reason. Never rejects. */
  look(bytes: Buffer, type: ImageType): Promise<Appearance | null>;
  /** Whether a decoder reads the whole image, or all pages of the file; null if it can't tell. Never rejects. */
  isWhole(bytes: Buffer, type: ImageType): Promise<boolean | null>;
  /** Ends the running processes. */
  close(): Promise<void>;
}

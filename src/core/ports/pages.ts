import type { ImageType } from '../domain/imageType.ts';
import type { Appearance } from '../domain/look.ts';
import type { PageType, SplitType } from '../domain/pages.ts';

/** Why a file, or a page of it, can't be taken apart. */
export interface Unreadable {
  readonly kind: 'refused';
  /** `trouble`: not the file's fault, as far as is known; it may work later. */
  readonly reason: 'ENCRYPTED' | 'DAMAGED' | 'TOO_MANY_PAGES' | 'TOO_DEAR' | 'TROUBLE';
  /** A clause: "it took longer than 20 s". */
  readonly detail: string;
}

export interface PageImage {
  readonly kind: 'image';
  readonly type: PageType;
  readonly bytes: Buffer;
  /** It lies in the file byte for byte; else it was drawn. */
  readonly isOriginal: boolean;
  /** Null where it was not looked at, or that failed. */
  readonly appearance: Appearance | null;
}

export interface OpenFile {
  readonly kind: 'open';
  readonly pages: number;
  /** `page` counts from 1. Never rejects for what the file holds. */
  page(page: number): Promise<PageImage | Unreadable>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface SplitRequest {
  readonly type: SplitType;
  /** Asked for again where what reads it has to be replaced; null: they can't be had any more. */
  readonly bytes: () => Promise<Buffer | null>;
  /** What the pages may become, the better first where it does not matter. */
  readonly into: readonly PageType[];
  /** Dots per inch, of what has to be drawn. */
  readonly resolution: number;
  /** Whether its pages are looked at. */
  readonly isLookedAt: boolean;
  /** Ends it at once; whatever is asked from then on ends in TROUBLE. */
  readonly signal: AbortSignal;
}

/**
 * Takes files apart into images of their pages, in a process of its own: what is in a file can't harm the agent. `open` waits until its turn
 * comes; a few files are open at once at most. Nothing runs while none is open.
 */
export interface PageSplitter {
  open(request: SplitRequest): Promise<OpenFile | Unreadable>;
  /** Measures what an image looks like; null where that can't be told, whatever the cause. Never rejects. */
  look(bytes: Buffer, type: ImageType): Promise<Appearance | null>;
  /** Ends what runs. */
  close(): Promise<void>;
}

import type { Document } from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';
import type { Unreadable } from './pages.ts';

/** Of an image, or of a page of a file, for people to look at; WebP. */
export interface Picture {
  readonly kind: 'picture';
  readonly bytes: Buffer;
  /** Of the file. */
  readonly pages: number;
}

export interface PictureRequest {
  readonly bytes: Buffer;
  readonly type: ImageType;
  /** From 1. */
  readonly page: number;
  /** Of the longer side, in pixels; a smaller image stays as small. */
  readonly size: number;
  /** A picture that would be larger is made coarser; a few may be larger all the same. */
  readonly mostBytes: number;
}

/** Draws in a process of its own: what is in an image can't harm the agent. One picture at a time. */
export interface PictureMaker {
  /** Never rejects for what the image holds. */
  draw(request: PictureRequest): Promise<Picture | Unreadable>;
  /** Ends what runs; what is asked from then on ends in TROUBLE. */
  close(): Promise<void>;
}

/** `none`: none can be drawn. `busy`: not now; it may be there when asked again. */
export type Shown = Picture | { readonly kind: 'none' | 'busy' };

/** The bytes of a document, with its hash; null where they can't be had. */
export type LocateImage = (document: Document) => Promise<Buffer | null>;

/** Pictures of documents, for the console. */
export interface DocumentPictures {
  thumbnail(document: Document, locate: LocateImage, signal: AbortSignal): Promise<Shown>;
  /** Larger, and of any page; from 1. */
  preview(document: Document, page: number, locate: LocateImage, signal: AbortSignal): Promise<Shown>;
  /** Takes away what is kept of that image, also if it is drawn right now. Idempotent. @throws what the file system says */
  forget(sha256: string): Promise<void>;
}

import type { Document } from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';
import type { Unreadable } from './pages.ts';

/** WebP rendering of an image or of a page, for people to look at. */
export interface Picture {
  readonly kind: 'picture';
  readonly bytes: Buffer;
  /** Number of pages in the file. */
  readonly pages: number;
}

export interface PictureRequest {
  readonly bytes: Buffer;
  readonly type: ImageType;
  /** From 1. */
  readonly page: number;
  /** Length of the longer side in pixels; smaller images are not enlarged. */
  readonly size: number;
  /** Target size in bytes: quality is reduced to reach it, but a few pictures may still exceed it. */
  readonly mostBytes: number;
}

/** Renders in a separate process: a malicious image can't harm the agent. One picture at a time. */
export interface PictureMaker {
  /** Never rejects because of the image's content. */
  draw(request: PictureRequest): Promise<Picture | Unreadable>;
  /** Ends the running process; later calls resolve TROUBLE. */
  close(): Promise<void>;
}

/** `none`: no picture is possible. `busy`: not now; try again later. */
export type ShownPicture = Picture | { readonly kind: 'none' | 'busy' };

/** Bytes that match the document's hash; null if they are not available. */
export type LocateImage = (document: Document) => Promise<Buffer | null>;

/** Pictures of documents, for the console. */
export interface DocumentPictures {
  thumbnail(document: Document, locate: LocateImage, signal: AbortSignal): Promise<ShownPicture>;
  /** A larger picture of any page; `page` counts from 1. */
  preview(document: Document, page: number, locate: LocateImage, signal: AbortSignal): Promise<ShownPicture>;
  /** Removes the cached pictures of that image, even one being drawn now. Idempotent. @throws the file system's error */
  forget(sha256: string): Promise<void>;
}

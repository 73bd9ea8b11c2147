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

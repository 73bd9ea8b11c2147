import type { Sharp } from 'sharp';
import type { ImageType } from '../../core/domain/imageType.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { tiffPages } from '../../intake/image/structure/tiffPages.ts';
import { MOST_PIXELS, type SharpModule } from './encode.ts';
import { decodeHeic } from './heic.ts';
import { openPdf } from './pdf.ts';
import { loadPdfium } from './pdfium.ts';

/** Factor by which a page is drawn larger than shown, which keeps print clearer. */
const OVERSAMPLED = 2;

export interface Source {
  /** Upright. */
  readonly image: Sharp;
  readonly pages: number;
}

/** Opens a page of a file, or an image, for viewing. `size`: longer side of the picture in pixels; used to draw PDF pages. */
export async function sourceOf(
  sharp: SharpModule,
  bytes: Buffer,
  { type, page, size }: { readonly type: ImageType; readonly page: number; readonly size: number },
): Promise<Source | Unreadable> {
  const limits = { limitInputPixels: MOST_PIXELS };
  switch (type) {
    case 'pdf': {
      const file = openPdf(await loadPdfium(), bytes);
      if (file.kind === 'refused') return file;
      const drawn = file.picture(page, size * OVERSAMPLED);
      if (drawn === null) return NO_PAGE;
      const { width, height, bytes: pixels } = drawn;
      const image = sharp(pixels, { raw: { width, height, channels: 4 }, ...limits }).removeAlpha();
      return { image, pages: file.pages };
    }
    case 'tiff': {
      const places = tiffPages(bytes);
      const place = places[page - 1];
      if (place === undefined) return NO_PAGE;
      return { image: sharp(bytes, { page: place, ...limits }).autoOrient(), pages: places.length };
    }
    case 'heic': {
      const raw = page === 1 ? await decodeHeic(bytes) : NO_PAGE;
      if ('kind' in raw) return raw;
      const { width, height, data } = raw;
      return { image: sharp(data, { raw: { width, height, channels: 4 }, ...limits }), pages: 1 };
    }
    default:
      return page === 1 ? { image: sharp(bytes, limits).autoOrient(), pages: 1 } : NO_PAGE;
  }
}

const NO_PAGE: Unreadable = { kind: 'refused', reason: 'DAMAGED', detail: 'it has no such page' };

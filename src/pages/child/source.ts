import type { Sharp } from 'sharp';
import type { ImageType } from '../../core/domain/imageType.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { MOST_PIXELS, type SharpModule } from './encode.ts';
import { openHeic } from './heic.ts';
import { openPdf } from './pdf.ts';
import { loadPdfium } from './pdfium.ts';
import { TiffFile } from './tiff.ts';

/** Factor by which a page is drawn larger than shown, which keeps print clearer. */
const OVERSAMPLED = 2;

export interface PageSource {
  /** Upright. */
  readonly image: Sharp;
  readonly pages: number;
}

/** Opens a page of a file, or an image, for viewing. `size`: longer side of the picture in pixels; used to draw PDF pages. */
export async function sourceOf(
  sharp: SharpModule,
  bytes: Buffer,
  {
    type,
    page,
    size,
    isStrict = false,
  }: {
    readonly type: ImageType;
    readonly page: number;
    readonly size: number;
    /** Whether what a decoder can't read is an error. People rather see the rest of the image. */
    readonly isStrict?: boolean;
  },
): Promise<PageSource | Unreadable> {
  const limits = { limitInputPixels: MOST_PIXELS, failOn: isStrict ? 'error' : 'none' } as const;
  switch (type) {
    case 'pdf': {
      const file = openPdf(await loadPdfium(), bytes);
      if (file.kind === 'refused') return file;
      const drawn = await file.picture(page, size * OVERSAMPLED);
      if ('kind' in drawn) return drawn;
      const { width, height, bytes: pixels } = drawn;
      const image = sharp(pixels, { raw: { width, height, channels: 4 }, ...limits }).removeAlpha();
      return { image, pages: file.pages };
    }
    case 'tiff': {
      const file = new TiffFile(bytes);
      const image = await file.image(sharp, page, limits);
      return 'kind' in image ? image : { image, pages: file.pages };
    }
    case 'heic': {
      const file = await openHeic(bytes);
      if (file.kind === 'refused') return file;
      const raw = await file.decode(page);
      if ('kind' in raw) return raw;
      const { width, height, data } = raw;
      const image = sharp(Buffer.from(data.buffer), { raw: { width, height, channels: 4 }, ...limits });
      return { image, pages: file.pages };
    }
    default:
      return page === 1 ? { image: sharp(bytes, limits).autoOrient(), pages: 1 } : NO_PAGE;
  }
}

const NO_PAGE: Unreadable = { kind: 'refused', reason: 'DAMAGED', detail: { is: 'noSuchPage' } };

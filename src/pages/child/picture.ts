import type { Sharp } from 'sharp';
import { tiffPages } from '../../intake/image/structure/tiffPages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import type { Reply, Request } from '../protocol.ts';
import { MOST_PIXELS, type SharpModule } from './encode.ts';
import { decodeHeic } from './heic.ts';
import { openPdf } from './pdf.ts';
import { loadPdfium } from './pdfium.ts';

type Asked = Extract<Request, { kind: 'picture' }>;

/** The second where the first makes it too large. */
const QUALITIES = [62, 35] as const;
/** So much larger a page is drawn than it is shown: print stays clearer. */
const OVERSAMPLED = 2;

/** A picture for people to look at. @throws what the libraries throw */
export async function picture(
  sharp: SharpModule,
  bytes: Buffer,
  asked: Asked,
): Promise<{ readonly head: Reply; readonly body?: Uint8Array }> {
  const source = await sourceOf(sharp, bytes, asked);
  if ('kind' in source) return { head: source };
  const { size } = asked;
  const small = await source.image
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = small.info;
  let body = Buffer.alloc(0);
  for (const quality of QUALITIES) {
    body = await sharp(small.data, { raw: { width, height, channels } }).webp({ quality }).toBuffer();
    if (body.length <= asked.mostBytes) break;
  }
  return { head: { kind: 'picture', pages: source.pages }, body };
}

interface Source {
  /** Upright. */
  readonly image: Sharp;
  readonly pages: number;
}

async function sourceOf(
  sharp: SharpModule,
  bytes: Buffer,
  { type, page, size }: Asked,
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

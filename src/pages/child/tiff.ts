import type { Sharp, SharpOptions } from 'sharp';
import type { PageType } from '../../core/domain/pages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { tiffPages, type TiffPage } from '../../intake/image/structure/tiffPages.ts';
import { encode, MOST_PIXELS, type SharpModule } from './encode.ts';
import type { Drawn, Opened } from './opened.ts';

/** Compressions that libtiff reads here. Not old-style JPEG (6, TIFF 6.0, section 22), which becomes white, nor Zstandard or LZMA. */
const COMPRESSIONS: ReadonlySet<number> = new Set([
  0, 1, 2, 3, 4, 5, 7, 8, 32_766, 32_771, 32_773, 32_809, 32_909, 32_946, 50_001,
]);
const JPEG = 7;
/** Grey, RGB, palette, CMYK and YCbCr. */
const COLOURS: ReadonlySet<number> = new Set([0, 1, 2, 3, 5, 6]);
const YCBCR = 6;
/** CIE L*a*b*, which is read with 16 bits only. */
const LAB = 8;
/** Unsigned integers, the default, and undefined; signed and floating-point numbers become false greys or black. */
const INTEGERS: ReadonlySet<number> = new Set([0, 1, 4]);
const MOST_BITS = 16;
const SEPARATE = 2;
/** Extra samples that are transparency, premultiplied or not. */
const TRANSPARENCY: ReadonlySet<number> = new Set([1, 2]);
/** How much the resolutions may differ before pixels count as not square. Faxes have 204 x 98 and 204 x 196 dpi. */
const SQUARE = 0.02;

export class TiffFile implements Opened {
  readonly kind = 'opened';
  readonly pages: number;
  readonly #bytes: Buffer;
  readonly #pages: readonly TiffPage[];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#pages = tiffPages(bytes);
    this.pages = this.#pages.length;
  }

  async page(sharp: SharpModule, number: number, into: readonly PageType[]): Promise<Drawn | Unreadable> {
    const image = await this.image(sharp, number, { limitInputPixels: MOST_PIXELS, failOn: 'error' });
    if ('kind' in image) return image;
    const { bitsPerSample, density = 0 } = await image.metadata();
    const { across = 0, down = 0 } = this.#pages[number - 1] ?? {};
    const most = Math.round(density * Math.max(1, down / across || 1));
    const sharpened = image.withMetadata(most > 0 ? { density: most } : {});
    return { kind: 'image', isOriginal: false, ...(await encode(sharpened, bitsPerSample === 1, into)) };
  }

  /** The page as a viewer shows it: upright, with square pixels. The encoded page carries neither orientation nor two resolutions. */
  async image(sharp: SharpModule, number: number, options: SharpOptions): Promise<Sharp | Unreadable> {
    const page = this.#pages[number - 1];
    if (page === undefined) return { kind: 'refused', reason: 'DAMAGED', detail: { is: 'noSuchPage' } };
    const { place, across, down } = page;
    if (!isReadable(page)) return UNSUPPORTED;
    const plain = sharp(this.#bytes, { ...options, page: place });
    // Programs disagree on whether such samples are transparency: some show white.
    if (!TRANSPARENCY.has(page.extraSamples) && (await plain.metadata()).hasAlpha) {
      if (!(await plain.stats()).isOpaque) return UNSUPPORTED;
    }
    const image = sharp(this.#bytes, { ...options, page: place }).autoOrient();
    if (across <= 0 || down <= 0 || Math.abs(across / down - 1) <= SQUARE) return image;
    const { width, height, bitsPerSample } = await image.metadata();
    if (width * height * Math.max(across / down, down / across) > MOST_PIXELS)
      return { kind: 'refused', reason: 'TOO_DEAR', detail: { is: 'pixels', width, height } };
    // Before the orientation is applied.
    return sharp(this.#bytes, { ...options, page: place })
      .resize({
        width: Math.round(width * Math.max(1, down / across)),
        height: Math.round(height * Math.max(1, across / down)),
        fit: 'fill',
        kernel: bitsPerSample === 1 ? 'nearest' : 'lanczos3',
      })
      .autoOrient();
  }
}

/** Whether libvips reads it with its own colours. */
function isReadable(page: TiffPage): boolean {
  const { photometric, compression, bits, sampleFormat, planes, subsampling, isTiled } = page;
  if (!COMPRESSIONS.has(compression)) return false;
  if (!COLOURS.has(photometric) && !(photometric === LAB && bits === MOST_BITS)) return false;
  if (!INTEGERS.has(sampleFormat) || bits > MOST_BITS) return false;
  // Its three values are taken for red, green and blue.
  if (photometric === YCBCR && compression !== JPEG && subsampling === 1) return false;
  return !(isTiled && planes === SEPARATE);
}

export const UNSUPPORTED: Unreadable = {
  kind: 'refused',
  reason: 'UNSUPPORTED',
  detail: { is: 'unusualTiff' },
};

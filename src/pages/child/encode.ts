import type { Sharp, SharpOptions } from 'sharp';
import type { PageType } from '../../core/domain/pages.ts';

/** Pixel limit, above an A3 page at 600 dpi: larger images are decompression bombs or no usable receipts. */
export const MOST_PIXELS = 100_000_000;
const JPEG_QUALITY = 90;

export type SharpModule = (input: Buffer, options?: SharpOptions) => Sharp;

/** Loads sharp, restricted to the formats needed, without a cache, in one thread. */
export async function loadSharp(): Promise<SharpModule> {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Tiff', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}`),
  });
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/** Encodes bilevel images as PNG, which is exact and smaller, and others as JPEG, unless `into` allows only one type. */
export async function encode(
  image: Sharp,
  isBilevel: boolean,
  into: readonly PageType[],
): Promise<{ type: PageType; bytes: Buffer }> {
  const type = (isBilevel && into.includes('png')) || !into.includes('jpeg') ? 'png' : 'jpeg';
  const flat = image.flatten({ background: '#ffffff' });
  const bytes =
    type === 'png'
      ? await flat
          .png({ compressionLevel: 9, palette: isBilevel, ...(isBilevel && { colours: 2 }) })
          .toBuffer()
      : await flat.jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' }).toBuffer();
  return { type, bytes };
}

import type { Sharp, SharpOptions } from 'sharp';
import type { PageType } from '../../core/domain/pages.ts';

/** More pixels than a page of A3 at 600 dpi are a bomb, or nothing that anyone can read a receipt from. */
export const MOST_PIXELS = 100_000_000;
const JPEG_QUALITY = 90;

export type SharpModule = (input: Buffer, options?: SharpOptions) => Sharp;

/** Sharp with no more than what is needed here: it loads no other format, keeps nothing, and works in one thread. */
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

/** Two colours stay exact as PNG, and are smaller so; the rest becomes JPEG, unless only PNG is taken. */
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

import sharp from 'sharp';
import { CHANNELS, paintLines } from './paint.ts';
import { inventReceipt, printedLines } from './receipt.ts';

export type DrawFormat = 'jpeg' | 'png' | 'tiff';

/** Draws the image file of an invented receipt. Deterministic. */
export async function drawReceipt(seed: number, format: DrawFormat): Promise<Buffer> {
  const receipt = inventReceipt(seed);
  const { pixels, width, height } = paintLines(printedLines(receipt, seed), seed);
  const image = sharp(pixels, { raw: { width, height, channels: CHANNELS } });
  switch (format) {
    case 'jpeg': {
      const taken = exifDate(receipt.at);
      return image
        .withExif({ IFD0: { DateTime: taken, Make: 'receiptd demo' }, IFD2: { DateTimeOriginal: taken } })
        .jpeg({ quality: 82 })
        .toBuffer();
    }
    case 'png':
      return image.png().toBuffer();
    case 'tiff':
      return image.tiff({ compression: 'deflate' }).toBuffer();
    default:
      return format satisfies never;
  }
}

/** EXIF 2.3 format `YYYY:MM:DD HH:MM:SS`, without a time zone. */
function exifDate(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
}

import sharp from 'sharp';
import { CHANNELS, paintLines } from './paint.ts';
import { inventReceipt, printedLines } from './receipt.ts';

export type Format = 'jpeg' | 'png' | 'tiff';

/** An image file of an invented receipt; the same bytes for the same arguments. */
export async function drawReceipt(seed: number, format: Format): Promise<Buffer> {
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

/** EXIF 2.3: `YYYY:MM:DD HH:MM:SS`, without a zone. */
function exifDate(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
}

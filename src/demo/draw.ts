import sharp from 'sharp';
import { GLYPH_HEIGHT, GLYPH_WIDTH, isDot } from './font.ts';
import { LINE_LENGTH, inventReceipt, printedLines } from './receipt.ts';
import { seeded } from './seeded.ts';

export type Format = 'jpeg' | 'png' | 'tiff';

/** Pixels to a dot of the font. */
const SCALE = 3;
const COLUMN = (GLYPH_WIDTH + 1) * SCALE;
const ROW = (GLYPH_HEIGHT + 4) * SCALE;
const MARGIN = 36;
const CHANNELS = 3;
const PAPER = [246, 243, 234] as const;
const INK = 52;
const NOISE = 9;

/** An image file of an invented receipt; the same bytes for the same arguments. */
export async function drawReceipt(seed: number, format: Format): Promise<Buffer> {
  const receipt = inventReceipt(seed);
  const lines = printedLines(receipt, seed);
  const width = LINE_LENGTH * COLUMN + 2 * MARGIN;
  const height = lines.length * ROW + 2 * MARGIN;
  const image = sharp(paint(lines, width, height, seed), { raw: { width, height, channels: CHANNELS } });
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

/** Dark dots on slightly noisy off-white paper. */
function paint(lines: readonly string[], width: number, height: number, seed: number): Buffer {
  const random = seeded(seed + 1);
  const pixels = Buffer.alloc(width * height * CHANNELS);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const shade = Math.floor(random() * NOISE);
      const inked = isInked(lines, x - MARGIN, y - MARGIN);
      const at = (y * width + x) * CHANNELS;
      for (let channel = 0; channel < CHANNELS; channel += 1) {
        pixels[at + channel] = (inked ? INK : (PAPER[channel] ?? 0)) + shade;
      }
    }
  }
  return pixels;
}

function isInked(lines: readonly string[], x: number, y: number): boolean {
  if (x < 0 || y < 0) return false;
  const character = lines[Math.floor(y / ROW)]?.[Math.floor(x / COLUMN)];
  if (character === undefined) return false;
  const column = Math.floor((x % COLUMN) / SCALE);
  const row = Math.floor((y % ROW) / SCALE);
  return row < GLYPH_HEIGHT && isDot(character, column, row);
}

/** EXIF 2.3: `YYYY:MM:DD HH:MM:SS`, without a zone. */
function exifDate(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
}

/**
 * Receipts drawn for tests: small, quick, and different for every seed. JPEG, PNG, TIFF, WebP and GIF come
 * from a real encoder; BMP, PDF and HEIC are built by hand, the HEIC without a decodable picture.
 *
 *   const jpeg = await drawReceipt({ type: 'jpeg', seed: 'scan 1' });
 */
import { createHash } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import type { ImageType } from '../../src/core/domain/imageType.ts';
import {
  buildBmp,
  buildExif,
  buildHeic,
  buildPdf,
  buildTiff,
  exifTime,
  insertJpegSegment,
  type Pixels,
  type TiffLayout,
} from './handmadeImages.ts';

export interface ReceiptOptions {
  readonly type: ImageType;
  /** The same seed draws the same bytes; another seed, others. */
  readonly seed: string;
  /** Pixels; 96 by 160 by default. Much smaller receipts of different seeds may look alike. */
  readonly width?: number;
  readonly height?: number;
  /** Written to the EXIF as local time. Ignored for GIF, BMP and PDF, which have no EXIF. */
  readonly capturedAt?: Date;
  /** JPEG only: adds an EXIF thumbnail, itself a JPEG with an end marker. */
  readonly exifThumbnail?: boolean;
  /** JPEG only: several scans. */
  readonly progressive?: boolean;
}

/** One receipt, a complete file. */
export async function drawReceipt(options: ReceiptOptions): Promise<Buffer> {
  const { type, seed, width = 96, height = 160, capturedAt } = options;
  const pixels = drawPixels(seed, width, height);
  switch (type) {
    case 'jpeg':
      return drawJpeg(pixels, options);
    case 'png':
      return encoder(pixels, capturedAt).png({ compressionLevel: 1 }).toBuffer();
    case 'tiff':
      // The encoder writes no EXIF into a TIFF.
      return capturedAt
        ? buildTiff({ pages: [pixels], compression: 'deflate', capturedAt })
        : encoder(pixels).tiff({ compression: 'lzw' }).toBuffer();
    case 'webp':
      return encoder(pixels, capturedAt).webp({ effort: 0 }).toBuffer();
    case 'gif':
      return encoder(pixels).gif({ effort: 1 }).toBuffer();
    case 'bmp':
      return buildBmp(pixels);
    case 'heic':
      return buildHeic({ picture: digest(seed, 2000), exif: capturedAt ? buildExif({ capturedAt }) : null });
    case 'pdf':
      return buildPdf(seed);
    default:
      throw new Error(`no drawing of ${String(type satisfies never)}`);
  }
}

/** A TIFF of several pages; every page shows another receipt. */
export function drawMultiPageTiff(
  seed: string,
  pages: number,
  layout: Omit<TiffLayout, 'pages'> = {},
): Buffer {
  const drawn = Array.from({ length: pages }, (_, page) => drawPixels(`${seed} page ${page + 1}`, 32, 48));
  return buildTiff({ pages: drawn, ...layout });
}

/** Appends `count` bytes: file system padding, or a vendor's trailer. */
export function withTrailer(image: Buffer, count: number, fill = 0): Buffer {
  return Buffer.concat([image, Buffer.alloc(count, fill)]);
}

/** A file preallocated to its final size, of which only `written` bytes are written. */
export function preallocated(image: Buffer, written: number): Buffer {
  return Buffer.concat([image.subarray(0, written), Buffer.alloc(image.length - written)]);
}

async function drawJpeg(
  pixels: Pixels,
  { capturedAt, exifThumbnail, progressive }: ReceiptOptions,
): Promise<Buffer> {
  const jpeg = await encoder(pixels)
    .jpeg({ progressive: progressive ?? false })
    .toBuffer();
  if (capturedAt === undefined && !exifThumbnail) return jpeg;
  const thumbnail = exifThumbnail ? await encoder(pixels).resize(24, 40).jpeg().toBuffer() : undefined;
  const exif = buildExif({ ...(capturedAt ? { capturedAt } : {}), ...(thumbnail ? { thumbnail } : {}) });
  return insertJpegSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif]));
}

function encoder({ width, height, data }: Pixels, capturedAt?: Date): Sharp {
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  return capturedAt === undefined
    ? image
    : image.withExif({ IFD2: { DateTimeOriginal: exifTime(capturedAt) } });
}

/** A white slip with dark words on it, whose lengths come from the seed. */
function drawPixels(seed: string, width: number, height: number): Pixels {
  const data = Buffer.alloc(width * height * 3, 250);
  const lengths = digest(seed, Math.ceil(height / 2));
  const margin = Math.floor(width / 12);
  for (let y = 4, line = 0; y + 3 < height; y += 6, line += 1) {
    let x = margin;
    for (let word = 0; word < 3; word += 1) {
      const length = 2 + ((lengths[line * 3 + word] ?? 0) % Math.max(2, Math.floor(width / 4)));
      const end = Math.min(x + length, width - margin);
      if (end <= x) break;
      for (let row = y; row < y + 3; row += 1) {
        data.fill(20 + word * 30, (row * width + x) * 3, (row * width + end) * 3);
      }
      x = end + 3;
    }
  }
  return { width, height, data };
}

/** `length` bytes that depend on the seed alone. */
function digest(seed: string, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let i = 0; i * 32 < length; i += 1) blocks.push(createHash('sha256').update(`${seed}\n${i}`).digest());
  return Buffer.concat(blocks).subarray(0, length);
}

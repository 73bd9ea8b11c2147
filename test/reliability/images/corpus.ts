import sharp from 'sharp';
import { IMAGE_TYPES, type ImageType } from '../../../src/core/domain/imageType.ts';
import { buildExif, buildHeic, insertJpegSegment } from '../../support/handmadeImages.ts';
import { drawMultiPageTiff, drawReceipt } from '../../support/images.ts';
import { photographedReceipts } from '../support/images.ts';

/** A complete file that the inspector must recognize as such. */
export interface Whole {
  readonly name: string;
  readonly type: ImageType;
  readonly bytes: Buffer;
  /** Bytes that the complete image needs; the rest is padding. */
  readonly end: number;
}

const CAPTURED = new Date(2024, 1, 29, 23, 4, 59);

/** One drawn file for each layout of each type. */
export async function drawnFiles(): Promise<Whole[]> {
  const files: Whole[] = [];
  const size = { width: 40, height: 56 };
  const add = (name: string, type: ImageType, bytes: Buffer) =>
    // The line feed after %%EOF is not part of a PDF's structure.
    files.push({ name, type, bytes, end: type === 'pdf' ? bytes.length - 1 : bytes.length });
  for (const type of IMAGE_TYPES)
    add(`drawn ${type}`, type, await drawReceipt({ type, seed: type, ...size }));
  for (const type of ['jpeg', 'png', 'tiff', 'webp', 'heic'] as const)
    add(
      `drawn ${type} with EXIF`,
      type,
      await drawReceipt({ type, seed: type, ...size, capturedAt: CAPTURED }),
    );
  const jpeg = { type: 'jpeg', seed: 'thumbnail', capturedAt: CAPTURED, exifThumbnail: true } as const;
  add('drawn jpeg with a thumbnail', 'jpeg', await drawReceipt({ ...jpeg, ...size }));
  add(
    'drawn progressive jpeg',
    'jpeg',
    await drawReceipt({ type: 'jpeg', seed: 'p', progressive: true, ...size }),
  );
  add('drawn tiff of pages', 'tiff', drawMultiPageTiff('pages', 3, { rowsPerStrip: 8 }));
  add(
    'drawn big tiff',
    'tiff',
    drawMultiPageTiff('big', 2, { big: true, compression: 'deflate', capturedAt: CAPTURED }),
  );
  const before = { big: true, order: 'MM', directory: 'before', rowsPerStrip: 16 } as const;
  add('drawn big-endian big tiff', 'tiff', drawMultiPageTiff('before', 2, before));
  const picture = Buffer.alloc(300, 'picture');
  add('drawn heic, data first', 'heic', buildHeic({ picture, media: 'before' }));
  add('drawn heic, data to the end', 'heic', buildHeic({ picture, mediaSize: 'toEnd' }));
  add('drawn heic, large size', 'heic', buildHeic({ picture, mediaSize: 'large', exif: exif() }));
  return files;
}

/** The photographed receipts, if they exist next to the checkout: in full size, and reduced in several types. */
export async function realFiles(most = Infinity): Promise<Whole[]> {
  const files: Whole[] = [];
  for (const [index, { name, bytes }] of (await photographedReceipts()).slice(0, most).entries()) {
    files.push({ name, type: 'jpeg', bytes, end: bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') + 2 });
    const small = sharp(bytes).resize(64 + 8 * (index % 5));
    const add = (type: ImageType, made: Buffer) =>
      files.push({ name: `${name} made small as ${type}`, type, bytes: made, end: made.length });
    add(
      'jpeg',
      insertJpegSegment(
        await small.clone().jpeg().toBuffer(),
        0xe1,
        Buffer.concat([Buffer.from('Exif\0\0'), exif()]),
      ),
    );
    const others = {
      png: () => small.clone().resize(24).png().toBuffer(),
      tiff: () =>
        small
          .clone()
          .tiff({ compression: index % 2 === 0 ? 'lzw' : 'jpeg' })
          .toBuffer(),
      webp: () =>
        small
          .clone()
          .webp({ effort: 0 })
          .withExif({ IFD2: { DateTimeOriginal: '2024:02:29 23:04:59' } })
          .toBuffer(),
      gif: () => small.clone().resize(32).gif({ effort: 1 }).toBuffer(),
    };
    const type = (['png', 'tiff', 'webp', 'gif'] as const)[index % 4] ?? 'png';
    add(type, await others[type]());
  }
  return files;
}

function exif(): Buffer {
  return buildExif({ capturedAt: CAPTURED });
}

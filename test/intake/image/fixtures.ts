import { createHash } from 'node:crypto';
import type { ImageType } from '../../../src/core/domain/imageType.ts';
import { buildHeic } from '../../support/handmadeImages.ts';
import { drawMultiPageTiff, drawReceipt } from '../../support/images.ts';

export interface Fixture {
  readonly name: string;
  readonly type: ImageType;
  readonly bytes: Buffer;
}

/** One complete file without trailing bytes for each layout that the structure checks distinguish. */
export async function drawFixtures(): Promise<Fixture[]> {
  const picture = createHash('sha512').update('picture').digest();
  const capturedAt = new Date(2024, 1, 3, 4, 5, 6);
  const fixtures: [string, ImageType, Buffer | Promise<Buffer>][] = [
    ['JPEG', 'jpeg', drawReceipt({ type: 'jpeg', seed: '1' })],
    ['progressive JPEG', 'jpeg', drawReceipt({ type: 'jpeg', seed: '2', progressive: true })],
    [
      'JPEG with a thumbnail',
      'jpeg',
      drawReceipt({ type: 'jpeg', seed: '3', exifThumbnail: true, capturedAt }),
    ],
    ['PNG', 'png', drawReceipt({ type: 'png', seed: '4' })],
    ['PNG with EXIF', 'png', drawReceipt({ type: 'png', seed: '5', capturedAt })],
    ['TIFF', 'tiff', drawReceipt({ type: 'tiff', seed: '6' })],
    ['TIFF with EXIF', 'tiff', drawReceipt({ type: 'tiff', seed: '7', capturedAt })],
    ['TIFF of three pages', 'tiff', drawMultiPageTiff('8', 3, { rowsPerStrip: 8 })],
    [
      'TIFF of two pages, directories first',
      'tiff',
      drawMultiPageTiff('9', 2, { directory: 'before', order: 'MM' }),
    ],
    ['BigTIFF', 'tiff', drawMultiPageTiff('10', 2, { big: true, compression: 'deflate' })],
    ['BigTIFF, big-endian, directories first', 'tiff', bigEndianBigTiff()],
    ['WebP', 'webp', drawReceipt({ type: 'webp', seed: '12' })],
    ['WebP with EXIF', 'webp', drawReceipt({ type: 'webp', seed: '13', capturedAt })],
    ['GIF', 'gif', drawReceipt({ type: 'gif', seed: '14' })],
    ['BMP', 'bmp', drawReceipt({ type: 'bmp', seed: '15', width: 20, height: 30 })],
    ['HEIC', 'heic', drawReceipt({ type: 'heic', seed: '16', capturedAt })],
    ['HEIC, media data first', 'heic', buildHeic({ picture, media: 'before' })],
    ['HEIC, media data to the end', 'heic', buildHeic({ picture, mediaSize: 'toEnd' })],
    [
      'HEIC, large size',
      'heic',
      buildHeic({ picture, mediaSize: 'large', brands: ['mif1', 'mif1', 'heic'] }),
    ],
    ['PDF', 'pdf', drawReceipt({ type: 'pdf', seed: '17' })],
  ];
  return Promise.all(fixtures.map(async ([name, type, bytes]) => ({ name, type, bytes: await bytes })));
}

function bigEndianBigTiff(): Buffer {
  return drawMultiPageTiff('11', 2, { big: true, order: 'MM', directory: 'before', rowsPerStrip: 16 });
}

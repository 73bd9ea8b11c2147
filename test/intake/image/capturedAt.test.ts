import { describe, expect, test, vi } from 'vitest';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { buildExif, buildHeic, buildTiff, insertJpegSegment } from '../../support/handmadeImages.ts';
import { drawReceipt } from '../../support/images.ts';

const inspector = createImageInspector();
const moment = new Date(2024, 1, 29, 23, 4, 59);

describe('capture time', () => {
  test.each(['jpeg', 'png', 'tiff', 'webp', 'heic'] as const)(
    'is read from %s as local time',
    async (type) => {
      const bytes = await drawReceipt({ type, seed: 'captured', capturedAt: moment });
      expect(await inspector.capturedAt(bytes, type)).toEqual(moment);
    },
  );

  test.each(['jpeg', 'png', 'tiff', 'webp', 'heic', 'gif', 'bmp', 'pdf'] as const)(
    '%s has none',
    async (type) => {
      const bytes = await drawReceipt({ type, seed: 'not captured' });
      expect(await inspector.capturedAt(bytes, type)).toBeNull();
    },
  );

  test.each([
    '0000:00:00 00:00:00',
    '2023:02:29 10:00:00',
    '2024:13:01 10:00:00',
    '2024:01:01 24:00:00',
    '2024:01:01 10:61:00',
    '2024-01-01 10:00:00',
    '    :  :     :  :  ',
    'next Thursday, noon',
  ])('"%s" is no time', async (text) => {
    const jpeg = await drawReceipt({ type: 'jpeg', seed: 'odd' });
    const exif = buildExif({ capturedAt: moment });
    exif.write(text, 44, 'latin1');
    const odd = insertJpegSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif]));
    expect(await inspector.capturedAt(odd, 'jpeg')).toBeNull();
  });

  const exif = (date: Date) => Buffer.concat([Buffer.from('Exif\0\0'), buildExif({ capturedAt: date })]);

  test('comes from the first EXIF block that has one, and nothing is written to the console', async () => {
    const warn = vi.spyOn(console, 'warn');
    const jpeg = await drawReceipt({ type: 'jpeg', seed: 'two blocks' });
    const later = insertJpegSegment(jpeg, 0xe1, exif(new Date(2025, 0, 1)));
    const both = insertJpegSegment(later, 0xe1, exif(moment));
    expect(await inspector.capturedAt(both, 'jpeg')).toEqual(moment);
    const empty = Buffer.from('Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0', 'latin1');
    expect(await inspector.capturedAt(insertJpegSegment(both, 0xe1, empty), 'jpeg')).toEqual(moment);
    expect(warn).not.toHaveBeenCalled();
  });

  test('is read from a BigTIFF in either byte order', async () => {
    const pages = [{ width: 1, height: 1, data: Buffer.alloc(3, 1) }];
    for (const order of ['II', 'MM'] as const) {
      const bytes = buildTiff({ pages, order, big: true, capturedAt: moment });
      expect(await inspector.capturedAt(bytes, 'tiff')).toEqual(moment);
    }
  });

  test('is read from a HEIC whose data comes first', async () => {
    const bytes = buildHeic({
      picture: Buffer.from('data'),
      exif: buildExif({ capturedAt: moment }),
      media: 'before',
    });
    expect(await inspector.capturedAt(bytes, 'heic')).toEqual(moment);
  });

  test("is read from a WebP whose EXIF has the prefix of a JPEG's", async () => {
    const block = exif(moment);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(block.length);
    const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPEXIF'), size, block]);
    expect(await inspector.capturedAt(bytes, 'webp')).toEqual(moment);
  });

  test('costs neither time nor memory for a date as long as the file', async () => {
    const tiff = Buffer.alloc(4_000_000, 'A');
    buildExif({ capturedAt: moment }).copy(tiff);
    // The character count, in the only entry of the EXIF directory.
    tiff.writeUInt32LE(tiff.length - 44, 32);
    tiff.writeUInt32LE(0, 40);
    const before = process.memoryUsage().heapUsed;
    expect(await inspector.capturedAt(tiff, 'tiff')).toEqual(moment);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
  });
});

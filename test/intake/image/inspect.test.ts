import { deflateRawSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it, test, vi } from 'vitest';
import { IMAGE_TYPES } from '../../../src/core/domain/imageType.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { buildExif, buildHeic, buildTiff, insertJpegSegment } from '../../support/handmadeImages.ts';
import { drawReceipt, withTrailer } from '../../support/images.ts';
import { drawFixtures } from './fixtures.ts';
import { isTurned } from '../../../src/intake/image/orientation.ts';

const inspector = createImageInspector();
const fixtures = await drawFixtures();

describe('inspecting the content', () => {
  test.each(fixtures)('recognizes $name as complete', async ({ type, bytes }) => {
    expect(await inspector.inspect(bytes)).toMatchObject({ type, structure: 'complete' });
  });

  test('reads a view into a larger buffer from where the view begins', async () => {
    const png = await drawReceipt({ type: 'png', seed: 'view' });
    const memory = new Uint8Array(png.length + 20).fill(7);
    memory.set(png, 11);
    const view = new Uint8Array(memory.buffer, 11, png.length);
    expect(await inspector.inspect(view)).toEqual({ type: 'png', structure: 'complete' });
  });

  const zip = Buffer.from('504b03041400000008000000000000000000000000000000000000000100000061', 'hex');
  const mp4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');
  test.each([
    ['an empty file', Buffer.alloc(0), { is: 'empty' }],
    ['a text file', Buffer.from('Milk 1.20\nBread 2.40\nSum 3.60\n'), { is: 'text' }],
    ['a text in an old encoding', Buffer.from('Käse 1,20\r\nSumme 3,60', 'latin1'), { is: 'text' }],
    ['a text that begins like a BMP', Buffer.from('BMW invoice, sum 3,600.00'), { is: 'text' }],
    ['zeros', Buffer.alloc(5000), { is: 'zeros' }],
    ['a few bytes', Buffer.from([0xff, 0xd8]), { is: 'tooShort', bytes: 2 }],
    ['a ZIP archive', Buffer.concat([zip, deflateRawSync('a')]), { is: 'other', type: 'ZIP' }],
    ['a film', mp4, { is: 'other', type: 'MP4' }],
    [
      'an AVIF',
      buildHeic({ picture: Buffer.alloc(9, 1), brands: ['avif', 'mif1'] }),
      { is: 'other', type: 'AVIF' },
    ],
    [
      'an AVIF under a shared brand',
      buildHeic({ picture: mp4, brands: ['mif1', 'mif1', 'avif'] }),
      { is: 'other', type: 'AVIF' },
    ],
    ['noise', Buffer.from('9c01e5037f02aa00bb11cc22dd33ee44ff5501', 'hex'), { is: 'unknown' }],
  ])('names %s', async (_, bytes, detail) => {
    expect(await inspector.inspect(bytes)).toMatchObject({ type: null, detail });
  });

  const images = fixtures.filter(({ type }) => !['pdf', 'heic'].includes(type));
  test.each(images)(
    'finds no type that could be decoded in $name after a byte order mark or an ID3 tag',
    async ({ bytes }) => {
      for (const before of ['\xef\xbb\xbf', 'ID3\x04\0\0\0\0\0\0']) {
        const hidden = Buffer.concat([Buffer.from(before, 'latin1'), bytes]);
        expect((await inspector.inspect(hidden)).type).toBeNull();
      }
    },
  );

  test.each(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])(
    'recognizes the brand %s as HEIC',
    async (brand) => {
      const bytes = buildHeic({ picture: Buffer.alloc(9, 1), brands: [brand, brand] });
      expect(await inspector.inspect(bytes)).toEqual({ type: 'heic', structure: 'complete' });
    },
  );
});

describe('bytes after the end', () => {
  test.each(fixtures.filter(({ name }) => name !== 'HEIC, media data to the end'))(
    'leave $name complete if they are padding',
    async ({ type, bytes }) => {
      for (const count of [1, 7, 512, 70_000]) {
        expect(await inspector.inspect(withTrailer(bytes, count))).toMatchObject({
          type,
          structure: 'complete',
        });
      }
    },
  );

  test.each(fixtures.filter(({ type }) => ['jpeg', 'png', 'gif', 'tiff', 'bmp', 'webp'].includes(type)))(
    'leave $name complete if they are a vendor trailer',
    async ({ type, bytes }) => {
      expect(await inspector.inspect(withTrailer(bytes, 300, 0xff))).toMatchObject({
        type,
        structure: 'complete',
      });
    },
  );
});

async function jpeg(orientation?: number): Promise<Buffer> {
  const image = sharp({ create: { width: 8, height: 4, channels: 3, background: 'white' } }).jpeg();
  return (orientation === undefined ? image : image.withMetadata({ orientation })).toBuffer();
}

it.each([
  [undefined, false],
  [1, false],
  [2, true],
  [3, true],
  [6, true],
  [8, true],
])('a JPEG with EXIF orientation %s needs turning: %s', async (orientation, expected) => {
  expect(isTurned(await jpeg(orientation))).toBe(expected);
});

it('truncated or arbitrary bytes cause no error', async () => {
  const whole = await jpeg(6);
  for (let length = 0; length < whole.length; length += 1)
    expect([true, false]).toContain(isTurned(whole.subarray(0, length)));
  expect(isTurned(Buffer.alloc(1_000, 0xff))).toBe(false);
});

describe('the time of capture', () => {
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

    test.each(IMAGE_TYPES)('%s has none', async (type) => {
      const bytes = await drawReceipt({ type, seed: 'not captured' });
      expect(await inspector.capturedAt(bytes, type)).toBeNull();
    });

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
});

it('zeros in a row are a hole from 1,024 of them, wherever they begin', async () => {
  const slip = await drawReceipt({ type: 'jpeg', seed: 'hole', width: 32, height: 48 });
  for (let before = 0; before < 600; before += 7) {
    const hasHole = async (zeros: number): Promise<boolean> => {
      const text = Buffer.concat([Buffer.alloc(before, 1), Buffer.alloc(zeros), Buffer.from([1])]);
      const found = await inspector.inspect(insertJpegSegment(slip, 0xfe, text));
      return 'hasHole' in found;
    };
    expect([await hasHole(1_023), await hasHole(1_024)], `after ${before}`).toEqual([false, true]);
  }
});

import { describe, expect, test } from 'vitest';
import { jpegGap } from '../../../src/image/structure/jpeg.ts';
import { drawReceipt } from '../../support/images.ts';
import { insertJpegSegment } from '../../support/handmadeImages.ts';

const jpeg = await drawReceipt({ type: 'jpeg', seed: 'structure' });
const SCAN = [0xff, 0xda, 0, 2];

describe('JPEG', () => {
  test("a thumbnail's end marker is not the image's", async () => {
    const withThumbnail = await drawReceipt({ type: 'jpeg', seed: 'thumbnail', exifThumbnail: true });
    const thumbnailEnd = withThumbnail.indexOf(Buffer.from([0xff, 0xd9])) + 2;
    expect(thumbnailEnd).toBeLessThan(withThumbnail.length);
    expect(jpegGap(withThumbnail.subarray(0, thumbnailEnd))).toMatch(/end marker is missing/);
    expect(jpegGap(withThumbnail)).toBeNull();
  });

  test('says after how many bytes the end marker is missing', () => {
    const padded = Buffer.concat([jpeg.subarray(0, 3000), Buffer.alloc(81_920 - 3000, 0x11)]);
    expect(jpegGap(padded)).toBe('the JPEG end marker is missing after 81,920 bytes');
  });

  test.each([
    [
      'stuffed zeros, restart markers and fill bytes',
      [...SCAN, 1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xff, 0xff, 0xd9],
      true,
    ],
    ['several scans', [...SCAN, 1, 0xff, 0xc4, 0, 3, 9, ...SCAN, 2, 0xff, 0xd9], true],
    ['a reserved code in the data', [...SCAN, 1, 0xff, 0x02, 0xff, 0xd9], true],
    ['bytes after the end', [...SCAN, 1, 0xff, 0xd9, 0xff, 0xd8, 0xff], true],
    ['an end marker within a segment', [...SCAN, 1, 0xff, 0xfe, 0, 6, 0xff, 0xd9, 0, 0], false],
    ['an end marker before any scan', [0xff, 0xfe, 0, 3, 1, 0xff, 0xd9], false],
    ['a stuffed end marker', [...SCAN, 1, 0xff, 0, 0xd9], false],
    ['half an end marker', [...SCAN, 1, 0xff], false],
    ['a segment that reaches beyond the file', [...SCAN, 1, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xd9], false],
    ['a segment of no length', [0xff, 0xe1, 0, 0, ...SCAN, 0xff, 0xd9], false],
  ])('%s', (_, body, complete) => {
    expect(jpegGap(Buffer.from([0xff, 0xd8, ...body])) === null).toBe(complete);
  });

  test('a segment as long as a length can say is passed over', () => {
    expect(jpegGap(insertJpegSegment(jpeg, 0xe2, Buffer.alloc(65_533, 0xff)))).toBeNull();
  });
});

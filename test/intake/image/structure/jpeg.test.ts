import { describe, expect, test } from 'vitest';
import { jpegGap } from '../../../../src/intake/image/structure/jpeg.ts';
import { drawReceipt } from '../../../support/images.ts';
import { insertJpegSegment } from '../../../support/handmadeImages.ts';

const jpeg = await drawReceipt({ type: 'jpeg', seed: 'structure' });
const SCAN = [0xff, 0xda, 0, 2];
const FRAME = [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0];
const FRAME_OF_TWO = [0xff, 0xc0, 0, 14, 8, 0, 1, 0, 1, 2, 1, 0x11, 0, 2, 0x11, 0];
const SCAN_OF_ONE = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0];
const COMMENT = [0xff, 0xfe, 0, 4, 0xff, 0xd9];

describe('JPEG', () => {
  test('does not end at the end marker of a thumbnail', async () => {
    const withThumbnail = await drawReceipt({ type: 'jpeg', seed: 'thumbnail', exifThumbnail: true });
    const thumbnailEnd = withThumbnail.indexOf(Buffer.from([0xff, 0xd9])) + 2;
    expect(thumbnailEnd).toBeLessThan(withThumbnail.length);
    expect(jpegGap(withThumbnail.subarray(0, thumbnailEnd))).toMatch(/end marker is missing/);
    expect(jpegGap(withThumbnail)).toBeNull();
  });

  test('reports after how many bytes the end marker is missing', () => {
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
    [
      'an end marker behind the one scan of a frame',
      [...FRAME, ...SCAN_OF_ONE, 1, 0xff, 0, 2, 0xff, 0xd9, 3],
      true,
    ],
    ['no end marker behind the one scan of a frame', [...FRAME, ...SCAN_OF_ONE, 1, 0xff, 0, 0xd9], false],
    [
      'one scan of several, with an end marker in a segment',
      [...FRAME_OF_TWO, ...SCAN_OF_ONE, 1, ...COMMENT],
      false,
    ],
    [
      'the first scan of several',
      [...FRAME_OF_TWO, ...SCAN_OF_ONE, 1, ...COMMENT, ...SCAN_OF_ONE, 2, 0xff, 0xd9],
      true,
    ],
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

  test('skips a segment of the maximum length', () => {
    expect(jpegGap(insertJpegSegment(jpeg, 0xe2, Buffer.alloc(65_533, 0xff)))).toBeNull();
  });
});

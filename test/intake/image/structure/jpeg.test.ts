import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { jpegGap } from '../../../../src/intake/image/structure/jpeg.ts';
import { drawReceipt, preallocated, withTrailer } from '../../../support/images.ts';
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
    expect(jpegGap(withThumbnail.subarray(0, thumbnailEnd))).toMatchObject({ is: 'endMissing' });
    expect(jpegGap(withThumbnail)).toBeNull();
  });

  test('reports after how many bytes the end marker is missing', () => {
    const padded = Buffer.concat([jpeg.subarray(0, 3000), Buffer.alloc(81_920 - 3000, 0x11)]);
    expect(jpegGap(padded)).toEqual({ is: 'endMissing', type: 'jpeg', has: 81_920 });
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

/** The reference: walks from marker to marker. `jpegGap` decides sooner by looking at the frame. */
function walked(bytes: Buffer): boolean {
  let scans = 0;
  let at = 2;
  for (;;) {
    const prefix = bytes.indexOf(0xff, at);
    if (prefix === -1) return false;
    let code = prefix + 1;
    while (bytes[code] === 0xff) code += 1;
    const marker = bytes[code];
    if (marker === undefined) return false;
    at = code + 1;
    if (marker === 0xd9) return scans > 0;
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    if (at + 2 > bytes.length || bytes.readUInt16BE(at) < 2) return false;
    at += bytes.readUInt16BE(at);
    if (at > bytes.length) return false;
    if (marker === 0xda) scans += 1;
  }
}

/** Offsets at which the file, truncated or zeroed from there, is judged differently than by the walk. */
function differences(bytes: Buffer, points: readonly number[]): number[] {
  return points.filter((at) =>
    [bytes.subarray(0, at), preallocated(bytes, at)].some(
      (part) => (jpegGap(part) === null) !== walked(part),
    ),
  );
}

/** Some offsets in the header and in the scan, and each one near the end. */
function cuts(length: number): number[] {
  const step = Math.ceil(length / 12);
  const points = [0, length];
  for (let at = 2; at < Math.min(length, 700); at += 23) points.push(at);
  for (let at = step; at < length; at += step) points.push(at);
  for (let at = Math.max(0, length - 4); at < length; at += 1) points.push(at);
  return points;
}

const SMALL = { type: 'jpeg', seed: 'cut', width: 48, height: 64 } as const;
const oneScan = await drawReceipt(SMALL);
const severalScans = await drawReceipt({ ...SMALL, progressive: true });
const withThumbnail = await drawReceipt({ ...SMALL, exifThumbnail: true });

describe('a JPEG truncated anywhere is judged as by a walk from marker to marker', () => {
  test.each([
    ['one scan', oneScan],
    ['several scans', severalScans],
    ['a thumbnail', withThumbnail],
    ['a trailer', withTrailer(oneScan, 40, 0xff)],
    ['another JPEG behind it', Buffer.concat([oneScan, severalScans])],
  ])('%s', (_, bytes) => {
    expect(jpegGap(bytes)).toBeNull();
    expect(differences(bytes, [...bytes.keys(), bytes.length])).toEqual([]);
  });

  const receipts = path.resolve(import.meta.dirname, '../../../../../shared/receipts');
  const why = existsSync(receipts)
    ? ''
    : ' (skipped: they belong beside the checkout, as ../shared/receipts)';
  test.skipIf(why !== '')(`real receipts${why}`, () => {
    const files = readdirSync(receipts).filter((name) => name.endsWith('.jpg'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const bytes = readFileSync(path.join(receipts, file));
      expect({ file, points: differences(bytes, cuts(bytes.length)) }).toEqual({ file, points: [] });
    }
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { jpegGap } from '../../../../src/intake/image/structure/jpeg.ts';
import { drawReceipt, preallocated, withTrailer } from '../../../support/images.ts';

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

import { describe, expect, test } from 'vitest';
import { tiffGap } from '../../../../src/intake/image/structure/tiff.ts';
import { drawMultiPageTiff } from '../../../support/images.ts';

describe('TIFF', () => {
  test('is incomplete if the last written page points to another', () => {
    const pages = drawMultiPageTiff('pages', 3, { directory: 'before' });
    const one = drawMultiPageTiff('pages', 1, { directory: 'before' });
    expect(tiffGap(one)).toBeNull();
    expect(tiffGap(pages.subarray(0, one.length))).toMatch(/incomplete: a page's directory at byte/);
  });

  test('is incomplete while the directory is not written yet', () => {
    const bytes = drawMultiPageTiff('late', 1);
    bytes.writeUInt32LE(0, 4);
    expect(tiffGap(bytes)).toMatch(/directory is not written yet/);
  });

  test('is damaged if its directories form a loop', () => {
    const bytes = drawMultiPageTiff('circle', 2, { directory: 'before' });
    const first = bytes.readUInt32LE(4);
    const second = bytes.readUInt32LE(first + 2 + 9 * 12);
    bytes.writeUInt32LE(first, second + 2 + 9 * 12);
    expect(tiffGap(bytes)).toBe('the TIFF is damaged: its directories run in a circle');
  });

  test('takes no longer than its size allows if many directories share a strip list', () => {
    const strips = 500_000;
    const pages = 20_000;
    const listAt = 8;
    const pageSize = 2 + 2 * 12 + 4;
    const bytes = Buffer.alloc(listAt + strips * 4 + pages * pageSize, 1);
    bytes.write('II*\0', 'latin1');
    bytes.writeUInt32LE(listAt + strips * 4, 4);
    for (let i = 0; i < strips; i += 1) bytes.writeUInt32LE(4, listAt + i * 4);
    for (let page = 0, at = listAt + strips * 4; page < pages; page += 1, at += pageSize) {
      bytes.writeUInt16LE(2, at);
      for (const [i, tag] of [273, 279].entries()) {
        const entry = at + 2 + i * 12;
        bytes.writeUInt16LE(tag, entry);
        bytes.writeUInt16LE(4, entry + 2);
        bytes.writeUInt32LE(strips, entry + 4);
        bytes.writeUInt32LE(listAt, entry + 8);
      }
      bytes.writeUInt32LE(page + 1 < pages ? at + pageSize : 0, at + 26);
    }
    const before = process.cpuUsage();
    expect(tiffGap(bytes)).toBe('the TIFF is damaged: its directories overlap');
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(2_000_000);
  });

  test('is left to a decoder if the length of the image data is unknown', () => {
    const bytes = drawMultiPageTiff('no lengths', 1);
    const lengths = bytes.readUInt32LE(4) + 2 + 8 * 12;
    expect(bytes.readUInt16LE(lengths)).toBe(279);
    bytes.writeUInt16LE(40_000, lengths);
    expect(tiffGap(bytes)).toEqual({ doubt: expect.any(String) });
  });

  test('does not keep more sub-directories in memory than any real file has', () => {
    const count = 65_537;
    const bytes = Buffer.alloc(8 + 18 + 4 * count, 8);
    bytes.write('II*\0\x08\0\0\0\x01\0', 'latin1');
    bytes.writeUInt16LE(330, 10);
    bytes.writeUInt16LE(4, 12);
    bytes.writeUInt32LE(count, 14);
    bytes.writeUInt32LE(26, 18);
    bytes.writeUInt32LE(0, 22);
    expect(tiffGap(bytes)).toBe('the TIFF is damaged: its directories overlap');
  });
});

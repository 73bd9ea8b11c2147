import { describe, expect, test } from 'vitest';
import { bmpGap } from '../../../../src/intake/image/structure/bmp.ts';
import { gifGap } from '../../../../src/intake/image/structure/gif.ts';
import { heicGap } from '../../../../src/intake/image/structure/heic.ts';
import { pngGap } from '../../../../src/intake/image/structure/png.ts';
import { webpGap } from '../../../../src/intake/image/structure/webp.ts';
import { appendToPdf, buildHeic, buildPdf } from '../../../support/handmadeImages.ts';
import { drawMultiPageTiff, drawReceipt } from '../../../support/images.ts';
import { pdfGap } from '../../../../src/intake/image/structure/pdf.ts';
import { tiffGap } from '../../../../src/intake/image/structure/tiff.ts';

const [png, gif, bmp, webp] = await Promise.all(
  (['png', 'gif', 'bmp', 'webp'] as const).map((type) => drawReceipt({ type, seed: 'containers' })),
);

describe('PNG', () => {
  test('is incomplete without image data', () => {
    const header = png!.subarray(0, 33);
    const end = png!.subarray(-12);
    expect(pngGap(Buffer.concat([header, end]))).toMatchObject({ is: 'imageMissing' });
  });

  test('is incomplete if the end chunk lacks its checksum', () => {
    expect(pngGap(Buffer.concat([png!.subarray(0, -4), Buffer.alloc(4)]))).toMatchObject({ is: 'endCut' });
  });
});

describe('GIF', () => {
  test('is not ended by stray zeros between blocks', () => {
    expect(gifGap(Buffer.concat([gif!.subarray(0, -1), Buffer.from([0, 0, 0x3b])]))).toBeNull();
  });

  test('is incomplete if it has a trailer but no image', () => {
    expect(gifGap(Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'))).toMatchObject({ is: 'imageMissing' });
  });
});

describe('BMP', () => {
  test('is measured by its dimensions if the header has no size, and by the header if the dimensions imply less', () => {
    const silent = Buffer.from(bmp!);
    silent.writeUInt32LE(0, 2);
    expect(bmpGap(silent)).toBeNull();
    expect(bmpGap(silent.subarray(0, -1))).toEqual({ is: 'short', type: 'bmp', has: 46_133, needs: 46_134 });

    const longer = Buffer.from(bmp!);
    longer.writeUInt32LE(bmp!.length + 100, 2);
    expect(bmpGap(longer)).toMatchObject({ is: 'short', needs: 46_234 });
  });

  test('may store its rows from the top', () => {
    const topDown = Buffer.from(bmp!);
    topDown.writeInt32LE(-160, 22);
    expect(bmpGap(topDown)).toBeNull();
    expect(bmpGap(topDown.subarray(0, -1))).not.toBeNull();
  });

  test('may have the short header of old writers', () => {
    const core = Buffer.alloc(14 + 12 + 8);
    core.write('BM');
    core.writeUInt32LE(26, 10);
    core.writeUInt32LE(12, 14);
    core.writeUInt16LE(1, 18);
    core.writeUInt16LE(2, 20);
    core.writeUInt16LE(1, 22);
    core.writeUInt16LE(24, 24);
    expect(bmpGap(core)).toBeNull();
    expect(bmpGap(core.subarray(0, -1))).not.toBeNull();
  });
});

describe('WebP', () => {
  test('is incomplete if the container is empty', () => {
    expect(webpGap(Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'))).toMatchObject({ is: 'noData' });
  });

  test('is damaged if a chunk reaches beyond its container', () => {
    const damaged = Buffer.from(webp!);
    damaged.writeUInt32LE(damaged.length * 2, 16);
    expect(webpGap(damaged)).toMatchObject({ is: 'boxBeyond' });
  });
});

describe('HEIC', () => {
  const heic = buildHeic({ picture: Buffer.alloc(500, 9) });

  test('is incomplete if a location points beyond the last box', () => {
    expect(heicGap(heic.subarray(0, heic.indexOf('mdat') - 4))).toMatchObject({ is: 'dataBeyond' });
  });

  test('is incomplete if zeros replace the media data box', () => {
    const at = heic.indexOf('mdat');
    const taken: number[] = [];
    for (let written = 20; written <= at + 3; written += 1) {
      const zeros = Buffer.concat([heic.subarray(0, written), Buffer.alloc(heic.length - written)]);
      if (heicGap(zeros) === null) taken.push(written);
    }
    expect(taken).toEqual([]);
  });

  test('spends no time on extents without bytes', () => {
    const iloc = Buffer.alloc(3_000_000, 0xff);
    iloc.writeUInt32BE(iloc.length, 0);
    iloc.write('iloc', 4);
    iloc.writeUInt32BE(0, 8);
    iloc.writeUInt16BE(0, 12);
    const meta = Buffer.from([0, 0, 0, 0, 0x6d, 0x65, 0x74, 0x61, 0, 0, 0, 0]);
    const started = performance.now();
    expect(heicGap(Buffer.concat([meta, iloc]))).not.toBeNull();
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

const pdf = buildPdf('structure');

describe('PDF', () => {
  test.each([
    ['white space', Buffer.from('\r\n\r\n  ')],
    ['a block of zeros', Buffer.alloc(100_000)],
    ['a little garbage', Buffer.from('<html></html>')],
  ])('ignores %s after the end', (_, after) => {
    expect(pdfGap(Buffer.concat([pdf, after]))).toBeNull();
  });

  test('does not end at an end marker far before the end of the file', () => {
    expect(pdfGap(Buffer.concat([pdf, Buffer.alloc(5000, 'a')]))).toMatchObject({ is: 'endMissing' });
  });

  test('is incomplete while a revision is being appended, until its own end', () => {
    const revised = appendToPdf(pdf, [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Note (${'x'.repeat(3000)}) >>`,
    ]);
    const taken: number[] = [];
    for (let at = pdf.length + 1; at < revised.length - 1; at += 1) {
      if (pdfGap(revised.subarray(0, at)) === null) taken.push(at);
    }
    expect(taken).toEqual([]);
    expect(pdfGap(revised)).toBeNull();
  });

  test('is incomplete with only the first part of a linearized file', () => {
    const first =
      '%PDF-1.4\n1 0 obj\n<< /Linearized 1 /L 9000 /O 3 /E 400 /N 1 /T 800 >>\nendobj\nstartxref\n0\n%%EOF\n';
    expect(pdfGap(Buffer.from(first))).toEqual({ is: 'short', type: 'pdf', has: first.length, needs: 9_000 });
    const whole = appendToPdf(Buffer.from(first.padEnd(8900, ' ')), ['<< >>']);
    expect(pdfGap(whole)).toBeNull();
    // The final size, but not the final content.
    expect(pdfGap(Buffer.concat([Buffer.from(first), Buffer.alloc(9000)]))).toEqual({
      is: 'pdfTableMissing',
    });
  });

  test.each([
    ['0', { is: 'pdfTableMissing' }],
    ['99999999', { doubt: { is: 'pdfTableMissing' } }],
    ['x', { doubt: { is: 'pdfTableMissing' } }],
    ['', { doubt: { is: 'pdfTableMissing' } }],
  ])('is incomplete, or a decoder decides, if its table is said to be at "%s"', (offset, gap) => {
    const text = pdf.toString('latin1').replace(/startxref\n\d+/, `startxref\n${offset}`);
    expect(pdfGap(Buffer.from(text, 'latin1'))).toEqual(gap);
  });
});

describe('TIFF', () => {
  test('is incomplete if the last written page points to another', () => {
    const pages = drawMultiPageTiff('pages', 3, { directory: 'before' });
    const one = drawMultiPageTiff('pages', 1, { directory: 'before' });
    expect(tiffGap(one)).toBeNull();
    expect(tiffGap(pages.subarray(0, one.length))).toMatchObject({ is: 'directoryBeyond' });
  });

  test('is incomplete while the directory is not written yet', () => {
    const bytes = drawMultiPageTiff('late', 1);
    bytes.writeUInt32LE(0, 4);
    expect(tiffGap(bytes)).toMatchObject({ is: 'directoryMissing' });
  });

  test('is damaged if its directories form a loop', () => {
    const bytes = drawMultiPageTiff('circle', 2, { directory: 'before' });
    const first = bytes.readUInt32LE(4);
    const second = bytes.readUInt32LE(first + 2 + 9 * 12);
    bytes.writeUInt32LE(first, second + 2 + 9 * 12);
    expect(tiffGap(bytes)).toEqual({ is: 'circle' });
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
    expect(tiffGap(bytes)).toEqual({ is: 'overlap' });
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(2_000_000);
  });

  test('is left to a decoder if the length of the image data is unknown', () => {
    const bytes = drawMultiPageTiff('no lengths', 1);
    const lengths = bytes.readUInt32LE(4) + 2 + 8 * 12;
    expect(bytes.readUInt16LE(lengths)).toBe(279);
    bytes.writeUInt16LE(40_000, lengths);
    expect(tiffGap(bytes)).toEqual({ doubt: { is: 'lengthMissing', type: 'tiff' } });
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
    expect(tiffGap(bytes)).toEqual({ is: 'overlap' });
  });
});

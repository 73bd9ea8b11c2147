import { describe, expect, test } from 'vitest';
import { pdfGap } from '../../../../src/intake/image/structure/pdf.ts';
import { appendToPdf, buildPdf } from '../../../support/handmadeImages.ts';

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
    expect(pdfGap(Buffer.concat([pdf, Buffer.alloc(5000, 'a')]))).toMatch(/end \(%%EOF\) is missing/);
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
    expect(pdfGap(Buffer.from(first))).toBe(`the PDF has ${first.length} bytes of 9,000 bytes`);
    const whole = appendToPdf(Buffer.from(first.padEnd(8900, ' ')), ['<< >>']);
    expect(pdfGap(whole)).toBeNull();
    // The final size, but not the final content.
    expect(pdfGap(Buffer.concat([Buffer.from(first), Buffer.alloc(9000)]))).toMatch(/does not say where/);
  });

  test.each([
    ['0', expect.any(String)],
    ['99999999', { doubt: expect.any(String) }],
    ['x', { doubt: expect.any(String) }],
    ['', { doubt: expect.any(String) }],
  ])('is incomplete, or a decoder decides, if its table is said to be at "%s"', (offset, gap) => {
    const text = pdf.toString('latin1').replace(/startxref\n\d+/, `startxref\n${offset}`);
    expect(pdfGap(Buffer.from(text, 'latin1'))).toEqual(gap);
  });
});

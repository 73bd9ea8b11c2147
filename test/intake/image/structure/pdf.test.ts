import { describe, expect, test } from 'vitest';
import { pdfGap } from '../../../../src/intake/image/structure/pdf.ts';
import { appendToPdf, buildPdf } from '../../../support/handmadeImages.ts';

const pdf = buildPdf('structure');

describe('PDF', () => {
  test.each([
    ['white space', Buffer.from('\r\n\r\n  ')],
    ['a block of zeros', Buffer.alloc(100_000)],
    ['a little garbage', Buffer.from('<html></html>')],
  ])('%s after the end is passed over', (_, after) => {
    expect(pdfGap(Buffer.concat([pdf, after]))).toBeNull();
  });

  test('an end far before the end of the file is not its end', () => {
    expect(pdfGap(Buffer.concat([pdf, Buffer.alloc(5000, 'a')]))).toMatch(/end \(%%EOF\) is missing/);
  });

  test('a revision that is being appended makes it incomplete until its own end', () => {
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

  test('the first part of a linearized file is not the whole', () => {
    const first =
      '%PDF-1.4\n1 0 obj\n<< /Linearized 1 /L 9000 /O 3 /E 400 /N 1 /T 800 >>\nendobj\nstartxref\n0\n%%EOF\n';
    expect(pdfGap(Buffer.from(first))).toBe(`the PDF has ${first.length} bytes of 9,000 bytes`);
    const whole = appendToPdf(Buffer.from(first.padEnd(8900, ' ')), ['<< >>']);
    expect(pdfGap(whole)).toBeNull();
    // Its final size, but not its final content.
    expect(pdfGap(Buffer.concat([Buffer.from(first), Buffer.alloc(9000)]))).toMatch(/does not say where/);
  });

  test.each(['0', '99999999', 'x', ''])('a table said to be at "%s" makes it incomplete', (offset) => {
    const text = pdf.toString('latin1').replace(/startxref\n\d+/, `startxref\n${offset}`);
    expect(pdfGap(Buffer.from(text, 'latin1'))).toMatch(/does not say where/);
  });
});

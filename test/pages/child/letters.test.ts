import { expect, it } from 'vitest';
import { lackingLetters } from '../../../src/pages/child/letters.ts';
import type { Pdfium } from '../../../src/pages/child/pdfium.ts';

/** A page of one text object, whose font is not in the file and has no letters. */
function pageOf(codes: readonly number[]): Pdfium {
  return {
    FPDFText_LoadPage: () => 1,
    FPDFText_CountChars: () => codes.length,
    FPDFText_IsGenerated: () => 0,
    FPDFText_GetTextObject: () => 1,
    FPDFTextObj_GetFont: () => 1,
    FPDFText_GetUnicode: (_text: number, index: number) => codes[index],
    FPDFTextObj_GetTextRenderMode: () => 0,
    FPDFFont_GetIsEmbedded: () => 0,
    FPDFFont_GetGlyphPath: () => 0,
    FPDFText_ClosePage: () => {},
  } as unknown as Pdfium;
}

it('names letters that are lacking, and passes over codes that are no letters', () => {
  expect(lackingLetters(pageOf([0x589e, 0x20, 0x503c]), 1)).toBe('增值');
  // Codes of 32 bits come as signed numbers.
  expect(lackingLetters(pageOf([-257_382_528, 0, 0x11_00_00, 0x7f_ff_ff_ff]), 1)).toBe('');
});

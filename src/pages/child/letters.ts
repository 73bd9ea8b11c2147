import type { Pdfium } from './pdfium.ts';

/** Result of FPDFTextObj_GetTextRenderMode for text neither filled nor stroked, such as recognized text over a scan. */
const INVISIBLE = 3;
/** A font size; any will do, since only the presence of an outline counts. */
const SIZE = 12;
const SHOWN_AT_MOST = 5;
/** Spaces, controls and marks that have no outline. */
const WITHOUT_OUTLINE = /[\s\p{C}\p{Z}\p{M}]/u;

/** Letters of a page that would be drawn as nothing: their font is not in the file, and no other font has them. */
export function lackingLetters(module: Pdfium, page: number): string {
  const text = module.FPDFText_LoadPage(page);
  if (text === 0) return '';
  try {
    const lacking = new Set<string>();
    const known = new Set<string>();
    const count = module.FPDFText_CountChars(text);
    for (let index = 0; index < count && lacking.size <= SHOWN_AT_MOST; index += 1) {
      if (module.FPDFText_IsGenerated(text, index) === 1) continue;
      const object = module.FPDFText_GetTextObject(text, index);
      const font = object === 0 ? 0 : module.FPDFTextObj_GetFont(object);
      const code = module.FPDFText_GetUnicode(text, index);
      if (font === 0 || code <= 0 || code > 0x10_ff_ff) continue;
      const letter = String.fromCodePoint(code);
      const key = `${font} ${letter}`;
      if (known.has(key) || WITHOUT_OUTLINE.test(letter)) continue;
      if (module.FPDFTextObj_GetTextRenderMode(object) === INVISIBLE) continue;
      known.add(key);
      if (module.FPDFFont_GetIsEmbedded(font) === 1) continue;
      if (module.FPDFFont_GetGlyphPath(font, code, SIZE) === 0) lacking.add(letter);
    }
    const letters = [...lacking];
    return letters.slice(0, SHOWN_AT_MOST).join('') + (letters.length > SHOWN_AT_MOST ? '…' : '');
  } finally {
    module.FPDFText_ClosePage(text);
  }
}

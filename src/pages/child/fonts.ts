import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { lend, numbers, type Pdfium } from './pdfium.ts';

/*
 * Fonts for text whose font is not in the file. Those that PDFium brings have the letters of Western Europe alone; these have Latin, Greek
 * and Cyrillic letters, and the widths of Arial, Times New Roman and Courier New.
 */

const FAMILIES = [
  { name: 'Arimo', standsFor: ['Arial', 'Helvetica'] },
  { name: 'Tinos', standsFor: ['Times New Roman', 'Times'] },
  { name: 'Cousine', standsFor: ['Courier New', 'Courier'] },
] as const;
const [SANS, SERIF, MONOSPACED] = FAMILIES;

/** Windows character sets: Shift JIS, Hangul, GB 2312, Big5. */
const CHINESE_JAPANESE_KOREAN = new Set([128, 129, 134, 136]);
/** DEFAULT_CHARSET. */
const ANY = 1;
/** Bits of a Windows pitch and family. */
const FIXED_PITCH = 1;
const ROMAN = 16;
const BOLD = 600;
const LONGEST_NAME = 32;

const { resolve } = createRequire(import.meta.url);

function fileOf(family: string, style: string): string {
  return `@expo-google-fonts/${family.toLowerCase()}/${style}/${family}_${style}.ttf`;
}

/** Offers the fonts to PDFium, as FPDF_SYSFONTINFO (fpdf_sysfontinfo.h). Each is read when a page first needs it. */
export function serveFonts(module: Pdfium): void {
  const { pdfium } = module;
  const faces: { readonly name: string; readonly bytes: Buffer }[] = [];

  const open = (family: string, style: string): number => {
    const name = `${family}-${style}`;
    const known = faces.findIndex((face) => face.name === name);
    return known < 0 ? faces.push({ name, bytes: readFileSync(resolve(fileOf(family, style))) }) : known + 1;
  };
  const write = (bytes: Uint8Array, at: number, size: number): number => {
    if (at !== 0 && size >= bytes.length) pdfium.HEAPU8.set(bytes, at);
    return bytes.length;
  };

  const release = pdfium.addFunction(() => {}, 'vi');
  const enumerate = pdfium.addFunction((_info: number, mapper: number) => {
    for (const name of FAMILIES.flatMap(({ standsFor }) => standsFor))
      lend(module, LONGEST_NAME, (at) => {
        pdfium.stringToUTF8(name, at, LONGEST_NAME);
        module.FPDF_AddInstalledFont(mapper, at, ANY);
      });
  }, 'vii');
  const map = pdfium.addFunction(
    (_info: number, weight: number, isItalic: number, charset: number, pitch: number, face: number) => {
      if (CHINESE_JAPANESE_KOREAN.has(charset)) return 0;
      const name = pdfium.UTF8ToString(face);
      const byPitch = (pitch & FIXED_PITCH) !== 0 ? MONOSPACED : (pitch & ROMAN) !== 0 ? SERIF : SANS;
      const { name: family } =
        FAMILIES.find(({ standsFor }) => standsFor.some((each) => name.startsWith(each))) ?? byPitch;
      return open(family, `${weight >= BOLD ? '700Bold' : '400Regular'}${isItalic === 0 ? '' : '_Italic'}`);
    },
    'iiiiiiii',
  );
  const get = pdfium.addFunction(() => 0, 'iii');
  // Table 0 is the whole file.
  const data = pdfium.addFunction(
    (_info: number, font: number, table: number, at: number, size: number) =>
      table === 0 ? write(faces[font - 1]?.bytes ?? Buffer.alloc(0), at, size) : 0,
    'iiiiii',
  );
  const faceName = pdfium.addFunction(
    (_info: number, font: number, at: number, size: number) =>
      write(Buffer.from(`${faces[font - 1]?.name}\0`), at, size),
    'iiiii',
  );
  const charset = pdfium.addFunction(() => ANY, 'iii');
  const remove = pdfium.addFunction(() => {}, 'vii');
  module.FPDF_SetSystemFontInfo(
    numbers(module, [1, release, enumerate, map, get, data, faceName, charset, remove]),
  );
}

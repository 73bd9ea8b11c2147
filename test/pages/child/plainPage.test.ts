import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assert, asyncProperty, pre, subarray } from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPdf } from '../../../src/pages/child/pdf.ts';
import { copyOfPage, lend, loadPdfium, type Pdfium } from '../../../src/pages/child/pdfium.ts';
import { plainPage } from '../../../src/pages/child/plainPage.ts';
import { pdfOf, rawPdf } from '../../support/pdf.ts';
import { requirement } from '../../support/requires.ts';

const POPPLER = '/usr/bin/pdftoppm';
const hasPoppler = requirement('poppler', existsSync(POPPLER), 'install poppler-utils');

/** Of the image, in pixels; the page has half as many points. */
const [WIDE, HIGH] = [240, 320];
const PAGE = { wide: WIDE / 2, high: HIGH / 2 };

/** Something that makes a page look different from the JPEG in it. */
interface Change {
  readonly page?: string;
  readonly image?: string;
  readonly resources?: string;
  readonly before?: string;
  readonly after?: string;
  readonly objects?: Readonly<Record<number, string>>;
  readonly matrix?: string;
  /** The colours of the image. */
  readonly space?: string;
}

const ring = (count: number, byte: string): string => byte.repeat(count);
/** Numbers 10 and up are free for what a change brings. */
const CHANGES: Readonly<Record<string, Change>> = {
  'a rotated page': { page: '/Rotate 90' },
  'a page upside down': { page: '/Rotate 180' },
  'a crop box': { page: `/CropBox [20 20 ${PAGE.wide - 10} ${PAGE.high - 30}]` },
  'a hard mask': {
    image: '/Mask 10 0 R',
    objects: {
      10: `<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ImageMask true /BitsPerComponent 1 /Filter /ASCIIHexDecode /Length 17 >>\nstream\n${ring(8, 'F0')}>\nendstream`,
    },
  },
  'a soft mask': {
    image: '/SMask 11 0 R',
    objects: {
      11: `<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode /Length 9 >>\nstream\nFF00FF80>\nendstream`,
    },
  },
  'a colour key': { image: '/Mask [0 90 0 90 0 90]' },
  'a negative': { image: '/Decode [1 0 1 0 1 0]' },
  'a clip': { before: '10 10 60 80 re W n' },
  'a line': { after: `2 w 10 40 m ${PAGE.wide - 10} 44 l S` },
  'a box over it': { after: '1 g 30 30 40 50 re f' },
  // Of a font that is in the file: other programs draw standard fonts with what is installed.
  'a word': {
    resources: '/Font << /F0 14 0 R >>',
    after: 'BT /F0 30 Tf 8 60 Td (aaa) Tj ET',
    objects: {
      14: '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [1.1] /Encoding << /Differences [97 /a] >> /CharProcs << /a 15 0 R >> /Resources << >> >>',
      15: '<< /Length 37 >>\nstream\n1.1 0 0 0 1 1 d1 0 0 1 1 re f        \nendstream',
    },
  },
  'a stamp': {
    page: '/Annots [12 0 R]',
    objects: {
      12: '<< /Type /Annot /Subtype /Square /Rect [20 20 70 70] /C [1 0 0] /IC [0 0 1] /F 4 /AP << /N 13 0 R >> >>',
      13: '<< /Type /XObject /Subtype /Form /BBox [0 0 50 50] /Length 23 >>\nstream\n0 0 1 rg 0 0 50 50 re f \nendstream',
    },
  },
  transparency: {
    resources: '/ExtGState << /G0 << /ca 0.4 >> >>',
    before: '/G0 gs',
  },
  'pixels that are not square': { matrix: `${PAGE.wide} 0 0 ${PAGE.high / 2} 0 0` },
  'white around the image': {
    matrix: `${PAGE.wide * 0.8} 0 0 ${PAGE.high * 0.8} ${PAGE.wide * 0.1} ${PAGE.high * 0.1}`,
  },
  'a mirrored image': { matrix: `-${PAGE.wide} 0 0 ${PAGE.high} ${PAGE.wide} 0` },
  'an image upside down': { matrix: `${PAGE.wide} 0 0 -${PAGE.high} 0 ${PAGE.high}` },
  'an image beyond the page': { matrix: `${PAGE.wide * 1.5} 0 0 ${PAGE.high * 1.5} -20 -30` },
  'a second image': { after: `q 40 0 0 40 60 90 cm /Im0 Do Q` },
};

/** What changes nothing that a viewer shows. */
const HARMLESS: Readonly<Record<string, Change>> = {
  'an invisible word': {
    resources: '/Font << /F0 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>',
    after: 'BT 3 Tr /F0 12 Tf 12 60 Td (Total 12.30) Tj ET',
  },
  'a clip to the page': { before: `0 0 ${PAGE.wide} ${PAGE.high} re W n` },
  'boxes for printers': { page: `/TrimBox [5 5 50 50] /BleedBox [0 0 60 60]` },
  'a crop box of the page': { page: `/CropBox [0 0 ${PAGE.wide} ${PAGE.high}]` },
  'a group': { page: '/Group << /S /Transparency /CS /DeviceRGB >>' },
  'a hair of white at its edges': {
    matrix: `${PAGE.wide * 0.99} 0 0 ${PAGE.high * 0.99} ${PAGE.wide * 0.005} ${PAGE.high * 0.005}`,
  },
  'colours without use': { before: '1 0 0 rg 0 0 1 RG 3 w' },
};

/** What is not on the list, but changes nothing either. */
const COMPARED: Readonly<Record<string, Change>> = {
  'a graphics state': { resources: '/ExtGState << /G0 << /ca 1 /SA true >> >>', before: '/G0 gs' },
  'a white line on white paper': { after: `1 G 2 w 4 316 m 10 316 l S` },
  'a hidden note': { page: '/Annots [<< /Type /Annot /Subtype /Square /Rect [20 20 70 70] /F 2 >>]' },
  'a colour profile': {
    objects: { 10: '<< /N 3 /Alternate /DeviceRGB /Length 0 >>\nstream\n\nendstream' },
    space: '[/ICCBased 10 0 R]',
  },
};

function pdfWith(jpeg: Buffer, changes: readonly Change[]): Buffer {
  const all = (key: 'page' | 'image' | 'resources' | 'before' | 'after'): string =>
    changes.map((change) => change[key] ?? '').join(' ');
  const matrix = changes.find((change) => change.matrix)?.matrix ?? `${PAGE.wide} 0 0 ${PAGE.high} 0 0`;
  const space = changes.find((change) => change.space)?.space ?? '/DeviceRGB';
  const content = `${all('before')}\nq ${matrix} cm /Im0 Do Q\n${all('after')}`;
  return rawPdf({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.wide} ${PAGE.high}] ${all('page')} /Resources << /XObject << /Im0 4 0 R >> ${all('resources')} >> /Contents 5 0 R >>`,
    4: [
      `<< /Type /XObject /Subtype /Image /Width ${WIDE} /Height ${HIGH} /ColorSpace ${space} /BitsPerComponent 8 /Filter /DCTDecode ${all('image')} /Length ${jpeg.length} >>`,
      jpeg,
    ],
    5: [`<< /Length ${content.length} >>`, Buffer.from(content)],
    ...Object.assign({}, ...changes.map(({ objects }) => objects ?? {})),
  });
}

async function pixelsOf(image: Buffer, width: number, height: number): Promise<Buffer> {
  const size = { width, height, fit: 'fill' } as const;
  return sharp(image).flatten({ background: '#fff' }).toColourspace('srgb').resize(size).raw().toBuffer();
}

/** A JPEG whose colour profile exchanges red and blue: PDF viewers ignore it, image viewers do not. */
async function turnedByProfile(image: Sharp): Promise<Buffer> {
  const bytes = await image.withIccProfile('p3').jpeg().toBuffer();
  const [red, blue] = ['rXYZ', 'bXYZ'].map((tag) => bytes.indexOf(tag)) as [number, number];
  bytes.write('bXYZ', red, 'latin1');
  bytes.write('rXYZ', blue, 'latin1');
  return bytes;
}

/** Mean difference of two pictures in the worst of 8 x 8 cells, as a share of black to white. */
async function worst(one: Buffer, other: Buffer): Promise<number> {
  const [side, cell] = [128, 16];
  const [a, b] = await Promise.all([pixelsOf(one, side, side), pixelsOf(other, side, side)]);
  const sums = new Float64Array((side / cell) ** 2);
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [Math.floor(at / 3) % side, Math.floor(at / 3 / side)];
    const index = Math.floor(y / cell) * (side / cell) + Math.floor(x / cell);
    sums[index] = (sums[index] ?? 0) + Math.abs((a[at] ?? 0) - (b[at] ?? 0));
  }
  return Math.max(...sums) / (cell * cell * 3 * 255);
}

/** Two renderers smooth edges and scale images differently. */
const ALIKE = 0.12;

describe('a page of a PDF', () => {
  let module: Pdfium;
  let jpeg: Buffer;

  beforeAll(async () => {
    module = await loadPdfium();
    const words = Array.from(
      { length: 9 },
      (_, line) => `<text x="16" y="${30 + line * 32}" font-size="22">Item ${line} 12.${line}0</text>`,
    );
    const receipt = `<svg width="${WIDE}" height="${HIGH}"><rect width="100%" height="100%" fill="#e8e4d0"/><rect x="150" y="200" width="70" height="90" fill="#b03020"/>${words.join('')}</svg>`;
    jpeg = await sharp(Buffer.from(receipt)).jpeg({ quality: 92 }).toBuffer();
  });

  async function sent(pdf: Buffer) {
    const file = openPdf(module, pdf);
    if (file.kind === 'refused') throw new Error(file.detail.is);
    const page = await file.page(sharp, 1, ['jpeg'], 144);
    if (page.kind === 'refused') throw new Error(page.detail.is);
    return page;
  }

  async function sentAsItsThumbnailShows(pdf: Buffer) {
    const page = await sent(pdf);
    const file = openPdf(module, pdf);
    if (file.kind === 'refused') throw new Error(file.detail.is);
    const drawn = await file.picture(1, 320);
    if ('kind' in drawn) throw new Error(drawn.detail.is);
    const { width, height, bytes } = drawn;
    const thumbnail = sharp(bytes, { raw: { width, height, channels: 4 } }).removeAlpha();
    expect(await worst(page.bytes, await thumbnail.png().toBuffer())).toBeLessThan(ALIKE);
    return page;
  }

  function onePage(pdf: Buffer): Buffer {
    return lend(module, pdf.length, (at) => {
      module.pdfium.HEAPU8.set(pdf, at);
      return copyOfPage(module, module.FPDF_LoadMemDocument(at, pdf.length, ''), 0) ?? Buffer.alloc(0);
    });
  }

  async function shown(pdf: Buffer): Promise<Buffer> {
    const scratch = await mkdtemp(join(tmpdir(), 'receiptd-pages-'));
    try {
      await writeFile(join(scratch, 'page.pdf'), pdf);
      await promisify(execFile)(
        POPPLER,
        ['-r', '144', '-cropbox', '-png', '-singlefile', 'page.pdf', 'page'],
        {
          cwd: scratch,
        },
      );
      return await readFile(join(scratch, 'page.png'));
    } finally {
      await rm(scratch, { recursive: true });
    }
  }

  it.each(Object.entries(HARMLESS))('with %s is the scanner’s JPEG, byte for byte', async (_what, change) => {
    const pdf = pdfWith(jpeg, [change]);
    expect(await sentAsItsThumbnailShows(pdf)).toMatchObject({ isOriginal: true, bytes: jpeg });
  });

  it.each(Object.entries(COMPARED))(
    'with %s is the scanner’s JPEG, since the drawing shows the same',
    async (_what, change) => {
      const pdf = pdfWith(jpeg, [change]);
      expect(plainPage(onePage(pdf))).toBeNull();
      expect(await sentAsItsThumbnailShows(pdf)).toMatchObject({ isOriginal: true, bytes: jpeg });
    },
  );

  it('of any size is compared pixel by pixel: sizes are no round numbers', async () => {
    const hidden = '/Annots [<< /Type /Annot /Subtype /Square /Rect [5 5 9 9] /F 2 >>]';
    for (let width = 211; width < 251; width += 7) {
      const height = width + 89;
      const scan = await sharp(jpeg).resize(width, height, { fit: 'fill' }).jpeg().toBuffer();
      const pdf = pdfOf([{ jpeg: scan, width, height, keys: hidden }]);
      expect([width, (await sent(pdf)).isOriginal]).toEqual([width, true]);
    }
  });

  it('whose letters can’t be drawn is not compared with a drawing that lacks them', async () => {
    const chinese =
      '/Font << /F0 << /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>] >> >>';
    const pdf = pdfWith(jpeg, [{ resources: chinese, after: 'BT /F0 20 Tf 12 60 Td <589e503c> Tj ET' }]);
    await expect(sent(pdf)).rejects.toThrow('fontMissing');
  });

  it.each<[string, (image: Sharp) => Promise<Buffer>, boolean]>([
    ['progressive', (image) => image.jpeg({ progressive: true }).toBuffer(), true],
    ['in full colour', (image) => image.jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(), true],
    ['with a colour profile', (image) => image.withIccProfile('srgb').jpeg().toBuffer(), true],
    ['with a profile that makes red blue', turnedByProfile, false],
    ['with an orientation', (image) => image.withMetadata({ orientation: 6 }).jpeg().toBuffer(), false],
    ['of another size', (image) => image.resize(200, 300).jpeg().toBuffer(), false],
    ['cut short', async (image) => (await image.jpeg().toBuffer()).subarray(0, -400), false],
  ])('whose JPEG is %s', async (_how, make, isOriginal) => {
    const bytes = await make(sharp(jpeg));
    expect(await sent(pdfWith(bytes, []))).toMatchObject({ isOriginal });
  });

  describe.skipIf(!hasPoppler)('that looks different from the JPEG in it', () => {
    it.each(Object.entries(CHANGES))('by %s is sent as another program shows it', async (_what, change) => {
      const pdf = pdfWith(jpeg, [change]);
      const page = await sentAsItsThumbnailShows(pdf);
      const picture = await shown(pdf);
      // The check could not fail otherwise.
      expect(await worst(jpeg, picture)).toBeGreaterThan(ALIKE / 4);
      expect(page.isOriginal).toBe(false);
      expect(await worst(page.bytes, picture)).toBeLessThan(ALIKE);
    });

    it('by several things at once', async () => {
      const some = subarray(Object.keys({ ...CHANGES, ...HARMLESS }), { minLength: 2, maxLength: 4 });
      await assert(
        asyncProperty(some, async (names) => {
          const all = { ...CHANGES, ...HARMLESS };
          const changes = names.flatMap((name) => all[name] ?? []);
          // Keys that come twice are read differently by each program.
          const keys = changes.flatMap(({ page = '', image = '', resources = '' }) =>
            [
              ...`${page} ${image} ${resources}`.matchAll(/(?:^|\s)\/(Rotate|CropBox|Mask|SMask|Font)\b/g),
            ].map(String),
          );
          pre(new Set(keys.map((key) => key.trim())).size === keys.length);
          const pdf = pdfWith(jpeg, changes);
          expect(await worst((await sent(pdf)).bytes, await shown(pdf))).toBeLessThan(ALIKE);
        }),
        { numRuns: 5 },
      );
    });
  });
});

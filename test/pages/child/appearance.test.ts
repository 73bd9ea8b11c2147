import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { remarkOn } from '../../../src/core/domain/look.ts';
import { appearanceOf } from '../../../src/pages/child/appearance.ts';
import { hasReceipts, receiptFile, receipts } from '../../e2e/support/receipts.ts';
import { drawReceipt } from '../../support/images.ts';
import { isEveryCase, isEveryCase as isWhole } from '../../support/everyCase.ts';
import { blankSheet, SCANNED_AGAIN, SPOILED } from '../../support/spoiled.ts';
import { likeness, type Print, SAME_PAPER, toPrint } from '../../../src/core/domain/paper.ts';
import { lackingLetters } from '../../../src/pages/child/letters.ts';
import type { Pdfium } from '../../../src/pages/child/pdfium.ts';

const REAL = fileURLToPath(new URL('../../../../shared/receipts', import.meta.url));

async function reasonOf(image: Buffer): Promise<string | null> {
  return remarkOn(await appearanceOf(sharp(image)))?.reason ?? null;
}

describe('what images look like', () => {
  it('a drawn receipt is good, a sheet with nothing on it blank', async () => {
    expect(
      await reasonOf(await drawReceipt({ type: 'jpeg', seed: 'look', width: 600, height: 1_000 })),
    ).toBeNull();
    expect(await reasonOf(await blankSheet())).toBe('BLANK');
  });

  it('the shadow of a lid along the edge makes no sheet a receipt', async () => {
    const shadow = { create: { width: 30, height: 1_754, channels: 3, background: '#777777' } } as const;
    const sheet = sharp(await blankSheet()).composite([{ input: shadow, left: 0, top: 0 }]);
    expect(await reasonOf(await sheet.jpeg().toBuffer())).toBe('BLANK');
  });

  it('one line of print on a sheet of A4 is something', async () => {
    const line = await sharp({ text: { text: 'Total EUR 12.30', dpi: 150 } })
      .png()
      .toBuffer();
    const sheet = sharp(await blankSheet()).composite([{ input: line, left: 400, top: 600 }]);
    expect(await reasonOf(await sheet.jpeg().toBuffer())).not.toBe('BLANK');
  });

  /** A receipt of print on paper, as SVG, `side` pixels wide. */
  const receipt = (side: number, ink = '#222', paper = '#fff'): string => {
    const rows = Array.from(
      { length: 16 },
      (_, row) => `<text x="8%" y="${6 + row * 5.6}%" font-size="${side / 16}">Item ${row} 12.3${row}</text>`,
    );
    return `<svg width="${side}" height="${side * 2}"><rect width="100%" height="100%" fill="${paper}"/><g fill="${ink}">${rows.join('')}</g></svg>`;
  };
  const page = (background: string): Sharp =>
    sharp({ create: { width: 1240, height: 1754, channels: 3, background } });
  const holes = Buffer.from(
    '<svg width="1240" height="1754"><circle cx="60" cy="640" r="18" fill="#111"/><circle cx="60" cy="1110" r="18" fill="#111"/></svg>',
  );

  it.each<[string, () => Promise<Buffer>]>([
    [
      'a dark-mode screenshot',
      () =>
        sharp(Buffer.from(receipt(600, '#ddd', '#141414')))
          .png()
          .toBuffer(),
    ],
    ...['#5a4632', '#202020', '#c8b090'].map((table): [string, () => Promise<Buffer>] => [
      `a receipt on 9 % of a photograph of a ${table} table`,
      () =>
        page(table)
          .composite([{ input: Buffer.from(receipt(312)), left: 380, top: 300 }])
          .jpeg()
          .toBuffer(),
    ]),
    [
      'a receipt on a sheet with punch holes',
      () =>
        page('#fff')
          .composite([{ input: Buffer.from(receipt(800)), left: 200, top: 60 }, { input: holes }])
          .jpeg()
          .toBuffer(),
    ],
    [
      'one number on a page',
      async () => {
        const text = { text: '12.30', dpi: 150, rgba: true } as const;
        const input = await sharp({ text }).png().toBuffer();
        return page('#fff')
          .composite([{ input, left: 500, top: 700 }])
          .jpeg()
          .toBuffer();
      },
    ],
  ])('%s is legible', async (_what, draw) => {
    expect(await reasonOf(await draw())).toBeNull();
  });

  it.each([6, 10])('a page blurred by σ %i is blurred, not blank', async (sigma) => {
    const input = Buffer.from(receipt(800));
    const sharpened = await page('#fff')
      .composite([{ input, left: 200, top: 60 }])
      .png()
      .toBuffer();
    expect(await reasonOf(await sharp(sharpened).blur(sigma).jpeg().toBuffer())).toBe('BLURRED');
  });

  it.each([
    [1, 1],
    [2, 1],
    [3, 3],
    [1, 5_000],
  ])('an image of %i x %i pixels is measured as well', async (width, height) => {
    const image = sharp({ create: { width, height, channels: 3, background: 'white' } }).png();
    expect(await reasonOf(await image.toBuffer())).not.toBeNull();
  });

  describe.skipIf(!hasReceipts())('of real receipts', () => {
    it('holds none of them, nor what is still good of them, and finds what is spoiled', async () => {
      const files = (await readdir(REAL)).filter((name) => name.endsWith('.jpg') && name !== '015.jpg');
      const found: Record<string, Record<string, number>> = {};
      for (const [at, file] of files.entries()) {
        const image = await readFile(join(REAL, file));
        for (const [how, spoil] of Object.entries(SPOILED)) {
          // Some of them, and a few spoiled; docs/pages.md has the figures of all.
          const every = how === 'as it is' ? 60 : 170;
          if (at % every !== 0 && !isEveryCase) continue;
          const reason = await reasonOf(await spoil(image));
          const counts = (found[how] ??= {});
          counts[reason ?? 'good'] = (counts[reason ?? 'good'] ?? 0) + 1;
        }
      }
      if (isEveryCase) console.log(found);
      const good = ['as it is', 'JPEG of quality 30', 'noise of ±40', 'turned by 3°', 'upside down'];
      good.push('cropped by 6 %', 'faded to 30 %', 'half as bright', 'blurred, σ 2');
      for (const how of good) expect([how, Object.keys(found[how] ?? {})]).toEqual([how, ['good']]);
      expect(found['a third as bright']).not.toHaveProperty('good');
      // Not each of them.
      expect(found['a back that the front shines through']).toHaveProperty('BLANK');
      expect(found['blurred, σ 6']).toHaveProperty('BLURRED');
    });
  });
});

async function printOf(image: Buffer): Promise<Print | null> {
  const { print } = await appearanceOf(sharp(image));
  return print === null ? null : toPrint(Buffer.from(print, 'base64'));
}

function isSame(one: Print | null, other: Print | null): boolean {
  return one !== null && other !== null && likeness(one, other) >= SAME_PAPER;
}

describe('what a paper is known by', () => {
  it('is nothing where there is next to no print', async () => {
    expect(await printOf(await blankSheet())).toBeNull();
  });

  describe.skipIf(!hasReceipts())('of real receipts', () => {
    /** One shop's, of which each pair looks alike to people, too. */
    const SHOPS = [
      ['081.jpg', '085.jpg'],
      ['478.jpg', '493.jpg'],
    ];

    it(
      'tells each receipt from all others, and knows second scans',
      { timeout: isWhole ? 1_800_000 : 60_000 },
      async () => {
        const files = isWhole ? Object.keys(receipts()).filter((name) => name !== '015.jpg') : SHOPS.flat();
        const images = await Promise.all(files.map((name) => readFile(receiptFile(name))));
        const first = new Map<string, Print | null>();
        for (const [at, name] of files.entries()) first.set(name, await printOf(images[at]!));
        const wrong: string[] = [];
        let [pairs, closest] = [0, 0];
        const compare = (name: string, how: string, print: Print | null, others: readonly string[]): void => {
          for (const other of others) {
            const known = first.get(other) ?? null;
            if (other === name || known === null || print === null) continue;
            pairs += 1;
            const alike = likeness(known, print);
            closest = Math.max(closest, alike);
            if (alike >= SAME_PAPER) wrong.push(`${name} (${how}) is taken for ${other}`);
          }
        };
        for (const [name, print] of first) compare(name, 'as it is', print, files);
        const known: Record<string, number> = {};
        for (const [turn, [how, scan]] of Object.entries(SCANNED_AGAIN).entries()) {
          for (const [at, name] of files.entries()) {
            // A few; docs/pages.md has the figures of all.
            if (!isWhole && (turn + at) % 12 !== 0) continue;
            const again = await printOf(await scan(images[at]!));
            known[how] = (known[how] ?? 0) + (isSame(first.get(name) ?? null, again) ? 1 : 0);
            compare(name, how, again, isWhole ? files : (SHOPS.find((shop) => shop.includes(name)) ?? []));
          }
        }
        if (isWhole) console.log(known, { receipts: files.length, pairs, closest });
        expect(wrong).toEqual([]);
        const found = Object.values(known).reduce((sum, count) => sum + count, 0);
        const tried = isWhole ? files.length * Object.keys(SCANNED_AGAIN).length : Object.keys(known).length;
        expect(found / tried).toBeGreaterThan(0.8);
      },
    );
  });
});

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

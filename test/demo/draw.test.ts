import * as ExifReader from 'exifreader';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawReceipt, type DrawFormat } from '../../src/demo/draw.ts';
import { hasGlyph } from '../../src/demo/font.ts';
import { inventReceipt, LINE_LENGTH, printedLines } from '../../src/demo/receipt.ts';
import { paintLines } from '../../src/demo/paint.ts';
import { encodePng } from '../../src/demo/png.ts';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';

test.each<DrawFormat>(['jpeg', 'png', 'tiff'])(
  'a drawn receipt is a valid %s of legible size',
  async (format) => {
    const bytes = await drawReceipt(5, format);
    const metadata = await sharp(bytes).metadata();
    expect(metadata).toMatchObject({ format, channels: 3 });
    expect(metadata.width).toBeGreaterThan(500);
    expect(metadata.height).toBeGreaterThan(400);
    // Decodes to the last row.
    const { info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect(info.size).toBe(metadata.width * metadata.height * 3);
    if (format !== 'jpeg') return;
    const expected = inventReceipt(5).at.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
    expect(ExifReader.load(bytes).DateTimeOriginal?.description).toBe(expected);
  },
);

test('an invented receipt adds up, fits the paper, and is printed in letters that there are', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const { items, total } = inventReceipt(seed);
    expect(total).toBe(items.reduce((sum, item) => sum + item.amount, 0));
    for (const line of printedLines(inventReceipt(seed), seed)) {
      expect(line.length).toBeLessThanOrEqual(LINE_LENGTH);
      expect(line.split('').filter((character) => !hasGlyph(character))).toEqual([]);
    }
  }
});

test('a test receipt is a PNG of legible size, another one for another number, in letters that there are', async () => {
  const first = drawTestReceipt({ number: 1, at: '2026-01-31 08:30' });
  const { width, height, format } = await sharp(first).metadata();
  expect(format).toBe('png');
  expect(width).toBeGreaterThan(500);
  expect(height).toBeGreaterThan(300);
  expect(first.equals(drawTestReceipt({ number: 2, at: '2026-01-31 08:30' }))).toBe(false);
  const text = '*** NOT A PURCHASE *** IT SHOWS THAT SET-UP WORKS. PLEASE DISREGARD IT. TOTAL EUR 0.00 08:30';
  expect(text.split('').filter((character) => character !== ' ' && !hasGlyph(character))).toEqual([]);
});

test('what is encoded is what was painted, to the last pixel', async () => {
  const picture = paintLines(['NOT A PURCHASE'], 7);
  const { data, info } = await sharp(encodePng(picture)).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: picture.width, height: picture.height, channels: 3 });
  expect(data.equals(picture.pixels)).toBe(true);
});

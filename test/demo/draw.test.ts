import { createHash } from 'node:crypto';
import * as ExifReader from 'exifreader';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { drawReceipt, type DrawFormat } from '../../src/demo/draw.ts';
import { GLYPH_HEIGHT, GLYPH_WIDTH, hasGlyph, isDot } from '../../src/demo/font.ts';
import { inventReceipt, LINE_LENGTH, printedLines } from '../../src/demo/receipt.ts';
import { paintLines } from '../../src/demo/paint.ts';
import { encodePng } from '../../src/demo/png.ts';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a drawn receipt', () => {
  test.each<DrawFormat>(['jpeg', 'png', 'tiff'])('is a valid %s of legible size', async (format) => {
    const bytes = await drawReceipt(5, format);
    const metadata = await sharp(bytes).metadata();
    expect(metadata).toMatchObject({ format, channels: 3 });
    expect(metadata.width).toBeGreaterThan(500);
    expect(metadata.height).toBeGreaterThan(400);
    expect(bytes.length).toBeLessThan(2_000_000);
    // Decodes to the last row.
    const { info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect(info.size).toBe(metadata.width * metadata.height * 3);
  });

  test('has dark ink on light, slightly noisy paper', async () => {
    const { data } = await sharp(await drawReceipt(5, 'png'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const dark = data.filter((value) => value < 80).length / data.length;
    expect(dark).toBeGreaterThan(0.03);
    expect(dark).toBeLessThan(0.3);
    expect(new Set(data).size).toBeGreaterThan(10);
  });

  test('shows the letters of the shop where they belong', async () => {
    const { data, info } = await sharp(await drawReceipt(4, 'png'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const line = printedLines(inventReceipt(4), 4)[0] ?? '';
    expect(line.trim()).toBe('FUEL STOP 24');
    for (const [index, character] of line.split('').entries()) {
      for (let column = 0; column < GLYPH_WIDTH; column += 1) {
        for (let row = 0; row < GLYPH_HEIGHT; row += 1) {
          const x = 36 + index * 18 + column * 3 + 1;
          const y = 36 + row * 3 + 1;
          const value = data[(y * info.width + x) * 3] ?? 0;
          expect(value < 128).toBe(isDot(character, column, row));
        }
      }
    }
  });

  test('is the same for the same seed, and another for another', async () => {
    const hashes = await Promise.all(
      [1, 2, 3, 4, 9, 10].map(async (seed) => sha256(await drawReceipt(seed, 'jpeg'))),
    );
    expect(new Set(hashes).size).toBe(6);
    expect(sha256(await drawReceipt(3, 'jpeg'))).toBe(hashes[2]);
  });

  test('carries in a JPEG when it was taken', async () => {
    const tags = ExifReader.load(await drawReceipt(7, 'jpeg'));
    const expected = inventReceipt(7).at.toISOString().slice(0, 19);
    expect(tags.DateTimeOriginal?.description).toBe(expected.replaceAll('-', ':').replace('T', ' '));
  });
});

describe('an invented receipt', () => {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed);

  test('adds up', () => {
    for (const seed of seeds) {
      const { items, total } = inventReceipt(seed);
      expect(total).toBe(items.reduce((sum, item) => sum + item.amount, 0));
      expect(items.length).toBeGreaterThanOrEqual(3);
    }
  });

  test('fits the paper, and is printed in letters that there are', () => {
    for (const seed of seeds) {
      for (const line of printedLines(inventReceipt(seed), seed)) {
        expect(line.length).toBeLessThanOrEqual(LINE_LENGTH);
        expect(line.split('').filter((character) => !hasGlyph(character))).toEqual([]);
      }
    }
  });
});

test('a test receipt is a PNG of legible size, and another one for another number', async () => {
  const first = drawTestReceipt({ number: 1, at: '2026-01-31 08:30' });
  const { width, height, format } = await sharp(first).metadata();
  expect(format).toBe('png');
  expect(width).toBeGreaterThan(500);
  expect(height).toBeGreaterThan(300);
  expect(first.length).toBeLessThan(1_000_000);
  expect(first.equals(drawTestReceipt({ number: 2, at: '2026-01-31 08:30' }))).toBe(false);
});

test('what is encoded is what was painted, to the last pixel', async () => {
  const picture = paintLines(['NOT A PURCHASE'], 7);
  const { data, info } = await sharp(encodePng(picture)).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: picture.width, height: picture.height, channels: 3 });
  expect(data.equals(picture.pixels)).toBe(true);
});

test('the font has every character that it prints', () => {
  const text = '*** NOT A PURCHASE *** IT SHOWS THAT SET-UP WORKS. PLEASE DISREGARD IT. TOTAL EUR 0.00 08:30';
  expect(text.split('').filter((character) => character !== ' ' && !hasGlyph(character))).toEqual([]);
});

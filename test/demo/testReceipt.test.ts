import sharp from 'sharp';
import { expect, test } from 'vitest';
import { hasGlyph } from '../../src/demo/font.ts';
import { paintLines } from '../../src/demo/paint.ts';
import { encodePng } from '../../src/demo/png.ts';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';

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

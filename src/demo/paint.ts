import { GLYPH_HEIGHT, GLYPH_WIDTH, isDot } from './font.ts';
import { LINE_LENGTH } from './receipt.ts';
import { seeded } from './seeded.ts';

/** Pixels per dot of the font. */
const SCALE = 3;
const COLUMN = (GLYPH_WIDTH + 1) * SCALE;
const ROW = (GLYPH_HEIGHT + 4) * SCALE;
const MARGIN = 36;
/** Red, green, blue. */
export const CHANNELS = 3;
const PAPER = [246, 243, 234] as const;
const INK = 52;
const NOISE = 9;

export interface PaintedPicture {
  /** Row by row from the top, `CHANNELS` bytes each. */
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Paints printed lines as a picture. Deterministic. */
export function paintLines(lines: readonly string[], seed: number): PaintedPicture {
  const width = LINE_LENGTH * COLUMN + 2 * MARGIN;
  const height = lines.length * ROW + 2 * MARGIN;
  return { pixels: paint(lines, width, height, seed), width, height };
}

/** Dark dots on slightly noisy off-white paper. */
function paint(lines: readonly string[], width: number, height: number, seed: number): Buffer {
  const random = seeded(seed + 1);
  const pixels = Buffer.alloc(width * height * CHANNELS);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const shade = Math.floor(random() * NOISE);
      const inked = isInked(lines, x - MARGIN, y - MARGIN);
      const at = (y * width + x) * CHANNELS;
      for (let channel = 0; channel < CHANNELS; channel += 1) {
        pixels[at + channel] = (inked ? INK : (PAPER[channel] ?? 0)) + shade;
      }
    }
  }
  return pixels;
}

function isInked(lines: readonly string[], x: number, y: number): boolean {
  if (x < 0 || y < 0) return false;
  const character = lines[Math.floor(y / ROW)]?.[Math.floor(x / COLUMN)];
  if (character === undefined) return false;
  const column = Math.floor((x % COLUMN) / SCALE);
  const row = Math.floor((y % ROW) / SCALE);
  return row < GLYPH_HEIGHT && isDot(character, column, row);
}

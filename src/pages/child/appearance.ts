import type { Sharp } from 'sharp';
import type { Appearance } from '../../core/domain/look.ts';
import { printOf } from './print.ts';

/** Longer side, in pixels, to which images are scaled for measuring: keeps the print of a receipt and removes noise. */
export const MEASURED_SIDE = 800;
/** Share of each side to ignore: lid shadows and paper edges are not content. */
const MARGIN = 0.04;
/** Differences between neighbouring pixels that all but the strongest hundredth stay below, if there is little print. */
const LITTLE_PRINT = 16;
const LEVELS = 256;
const MOST_DIFFERENCE = 2 * (LEVELS - 1);

/** @param image any size, upright */
export async function appearanceOf(image: Sharp): Promise<Appearance> {
  const { autoOrient } = await image.metadata();
  const { data, info } = await image
    .flatten({ background: '#ffffff' })
    .resize({ width: MEASURED_SIDE, height: MEASURED_SIDE, fit: 'inside', withoutEnlargement: true })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { ...autoOrient, ...measure(data, width, height), print: printOf(data, width, height) };
}

/** Measures a grey picture, one byte per pixel. */
function measure(
  grey: Uint8Array,
  width: number,
  height: number,
): Pick<Appearance, 'paper' | 'light' | 'ink' | 'detail' | 'sharpness'> {
  const levels = new Uint32Array(LEVELS);
  const innerLevels = new Uint32Array(LEVELS);
  const all = new Uint32Array(MOST_DIFFERENCE + 1);
  const inner = new Uint32Array(MOST_DIFFERENCE + 1);
  const [left, top] = [Math.ceil(width * MARGIN), Math.ceil(height * MARGIN)];
  for (let y = 0; y < height; y += 1) {
    const isInside = y >= top && y < height - top;
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x;
      const here = grey[at] ?? 0;
      levels[here] = (levels[here] ?? 0) + 1;
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) continue;
      const across = (grey[at + 1] ?? 0) - (grey[at - 1] ?? 0);
      const down = (grey[at + width] ?? 0) - (grey[at - width] ?? 0);
      const difference = Math.abs(across) + Math.abs(down);
      all[difference] = (all[difference] ?? 0) + 1;
      if (!isInside || x < left || x >= width - left) continue;
      inner[difference] = (inner[difference] ?? 0) + 1;
      innerLevels[here] = (innerLevels[here] ?? 0) + 1;
    }
  }
  const paper = quantile(levels, 0.9);
  const contrast = paper - quantile(levels, 0.05);
  // A few words on a page have fewer sharp edges.
  const edges = quantile(all, 0.99) < LITTLE_PRINT ? 0.9999 : 0.9995;
  return {
    paper,
    light: quantile(levels, 0.999),
    ink: paper - quantile(innerLevels, 0.005),
    detail: quantile(inner, 0.9995),
    sharpness: quantile(all, edges) / (contrast + 30),
  };
}

/** The smallest value that at least `share` of the counted values do not exceed. */
function quantile(counts: Uint32Array, share: number): number {
  const enough = counts.reduce((sum, count) => sum + count, 0) * share;
  let sum = 0;
  for (const [value, count] of counts.entries()) {
    sum += count;
    if (sum > 0 && sum >= enough) return value;
  }
  return 0;
}

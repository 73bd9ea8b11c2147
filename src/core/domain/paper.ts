/*
 * Decides whether two images show the same piece of paper by where they have print: a grid over the upright print, from its
 * first line to its last, holds the ink of each cell. The grids are aligned, then every block of one must have a similar
 * block in the other: two receipts of one shop agree in most blocks, two scans of one receipt in all.
 */

/** Cells of the grid, across and down. */
export const PRINT_WIDE = 64;
export const PRINT_HIGH = 128;
/** Two cells per byte. */
export const PRINT_BYTES = (PRINT_WIDE * PRINT_HIGH) / 2;
/** Maximum ink of a cell. */
export const PRINT_INK = 15;

/** Minimum likeness of the same paper; docs/pages.md shows the measurements. */
export const SAME_PAPER = 0.85;
/** Below this correlation, the lines of print do not match under any alignment. */
const COULD_BE = 0.6;
/** Maximum shift and scaling between the grids of two scans of one paper, as a share of the length. */
const SHIFTED = 0.1;
const SCALED = 0.16;
const COARSE = 4;
/** Size of a block, in cells. */
const BLOCK = 8;
/** Blocks with less average ink are ignored. */
const LEAST_INK = 0.6;
/** Share of blocks that may differ: a fold, a finger, a handwritten note. */
const OVERLOOKED = 0.1;
/** Constant per cell, added to both sides of the correlation: with little ink, small differences would weigh too much. */
const ALIKE_ANYWAY = 1.2;

export interface Print {
  readonly packed: Uint8Array;
  /** Sums of the cells per row, minus their mean. */
  readonly rows: Float32Array;
  readonly columns: Float32Array;
}

export function toPrint(packed: Uint8Array): Print {
  const rows = new Float32Array(PRINT_HIGH);
  const columns = new Float32Array(PRINT_WIDE);
  for (let row = 0, at = 0; row < PRINT_HIGH; row += 1)
    for (let column = 0; column < PRINT_WIDE; column += 2, at += 1) {
      const both = packed[at] ?? 0;
      const [first, second] = [both >> 4, both & PRINT_INK];
      rows[row] = (rows[row] ?? 0) + first + second;
      columns[column] = (columns[column] ?? 0) + first;
      columns[column + 1] = (columns[column + 1] ?? 0) + second;
    }
  return { packed, rows: centred(rows), columns: centred(columns) };
}

function cellsOf({ packed }: Print): Float32Array {
  const cells = new Float32Array(PRINT_WIDE * PRINT_HIGH);
  for (let at = 0; at < packed.length; at += 1) {
    const both = packed[at] ?? 0;
    cells[2 * at] = both >> 4;
    cells[2 * at + 1] = both & PRINT_INK;
  }
  return cells;
}

/** From 0 (nothing alike) to 1 (every block of the first has a match in the second). */
export function likeness(one: Print, other: Print): number {
  const lines = roughly(one.rows, other.rows);
  if (lines.fits < COULD_BE) return 0;
  const margins = roughly(one.columns, other.columns);
  if (margins.fits < COULD_BE) return 0;
  const down = closely(one.rows, other.rows, lines);
  const across = closely(one.columns, other.columns, margins);
  const [ours, theirs] = [smoothed(cellsOf(one)), smoothed(laidOver(cellsOf(other), across, down))];
  const parts: number[] = [];
  for (let top = 0; top < PRINT_HIGH; top += BLOCK)
    for (let left = 0; left < PRINT_WIDE; left += BLOCK) {
      const part = likenessOfPart(ours, theirs, left, top);
      if (part !== null) parts.push(part);
    }
  return parts.toSorted((a, b) => a - b)[Math.floor(parts.length * OVERLOOKED)] ?? 0;
}

/** Shift and scale that align the second grid, from its middle. */
interface Fit {
  readonly shift: number;
  readonly scale: number;
}

interface Tried extends Fit {
  /** Correlation of both grids; at most 1. */
  readonly fits: number;
}

function roughly(ours: Float32Array, theirs: Float32Array): Tried {
  const reach = Math.round((ours.length * SHIFTED) / COARSE);
  return best(coarse(ours), coarse(theirs), { shift: 0, scale: 1 }, [reach, 1], [SCALED, 0.04]);
}

function closely(ours: Float32Array, theirs: Float32Array, { shift, scale }: Fit): Fit {
  return best(ours, theirs, { shift: shift * COARSE, scale }, [2, 0.5], [0.03, 0.01]);
}

type TextRange = readonly [reach: number, step: number];

function best(
  ours: Float32Array,
  theirs: Float32Array,
  from: Fit,
  [shifts, shiftStep]: TextRange,
  [scales, scaleStep]: TextRange,
): Tried {
  let found = { ...from, fits: -1 };
  for (let i = -Math.round(scales / scaleStep); i <= Math.round(scales / scaleStep); i += 1)
    for (let shift = from.shift - shifts; shift <= from.shift + shifts; shift += shiftStep) {
      const scale = from.scale + i * scaleStep;
      const fits = correlation(ours, theirs, shift, scale);
      if (fits > found.fits) found = { shift, scale, fits };
    }
  return found;
}

function correlation(ours: Float32Array, theirs: Float32Array, shift: number, scale: number): number {
  const middle = (ours.length - 1) / 2;
  let [both, own, other] = [0, 0, 0];
  for (let at = 0; at < ours.length; at += 1) {
    const a = ours[at] ?? 0;
    // Values beyond the ends of the second grid count as 0.
    const from = (at - middle) * scale + middle + shift;
    const low = Math.floor(from);
    const b = (theirs[low] ?? 0) * (low + 1 - from) + (theirs[low + 1] ?? 0) * (from - low);
    both += a * b;
    own += a * a;
    other += b * b;
  }
  return both / Math.sqrt(own * other + 1e-9);
}

function laidOver(cells: Float32Array, across: Fit, down: Fit): Float32Array {
  const moved = new Float32Array(cells.length);
  const [centreX, centreY] = [(PRINT_WIDE - 1) / 2, (PRINT_HIGH - 1) / 2];
  for (let y = 0; y < PRINT_HIGH; y += 1) {
    const fromY = (y - centreY) * down.scale + centreY + down.shift;
    const [top, partY] = [Math.floor(fromY), fromY - Math.floor(fromY)];
    for (let x = 0; x < PRINT_WIDE; x += 1) {
      const fromX = (x - centreX) * across.scale + centreX + across.shift;
      const [left, partX] = [Math.floor(fromX), fromX - Math.floor(fromX)];
      const upper = cellAt(cells, left, top) * (1 - partX) + cellAt(cells, left + 1, top) * partX;
      const lower = cellAt(cells, left, top + 1) * (1 - partX) + cellAt(cells, left + 1, top + 1) * partX;
      moved[y * PRINT_WIDE + x] = upper * (1 - partY) + lower * partY;
    }
  }
  return moved;
}

function cellAt(cells: Float32Array, x: number, y: number): number {
  return x < 0 || y < 0 || x >= PRINT_WIDE || y >= PRINT_HIGH ? 0 : (cells[y * PRINT_WIDE + x] ?? 0);
}

/** Smooths the grid: each cell plus its neighbours at half weight. */
function smoothed(cells: Float32Array): Float32Array {
  const smooth = new Float32Array(cells.length);
  for (let y = 0; y < PRINT_HIGH; y += 1)
    for (let x = 0; x < PRINT_WIDE; x += 1) {
      let sum = 0;
      for (let down = -1; down <= 1; down += 1)
        for (let across = -1; across <= 1; across += 1)
          sum += cellAt(cells, x + across, y + down) * (across === 0 ? 2 : 1) * (down === 0 ? 2 : 1);
      smooth[y * PRINT_WIDE + x] = sum / 16;
    }
  return smooth;
}

/** Likeness of a block at its best position, up to one cell to each side. Null if it has hardly any print. */
function likenessOfPart(ours: Float32Array, theirs: Float32Array, left: number, top: number): number | null {
  let found: number | null = null;
  for (let down = -1; down <= 1; down += 1)
    for (let across = -1; across <= 1; across += 1) {
      let [own, other, ownSquares, otherSquares, both] = [0, 0, 0, 0, 0];
      for (let y = top; y < top + BLOCK; y += 1)
        for (let x = left; x < left + BLOCK; x += 1) {
          const a = ours[y * PRINT_WIDE + x] ?? 0;
          const b = cellAt(theirs, x + across, y + down);
          own += a;
          other += b;
          ownSquares += a * a;
          otherSquares += b * b;
          both += a * b;
        }
      const cells = BLOCK * BLOCK;
      if (Math.max(own, other) <= cells * LEAST_INK) continue;
      const anyway = cells * ALIKE_ANYWAY;
      const spread = (squares: number, sum: number) => squares - (sum * sum) / cells + anyway;
      const alike =
        (both - (own * other) / cells + anyway) /
        Math.sqrt(spread(ownSquares, own) * spread(otherSquares, other));
      found = Math.max(found ?? -1, alike);
    }
  return found;
}

function coarse(values: Float32Array): Float32Array {
  const sums = new Float32Array(values.length / COARSE);
  for (let at = 0; at < values.length; at += 1)
    sums[Math.floor(at / COARSE)] = (sums[Math.floor(at / COARSE)] ?? 0) + (values[at] ?? 0) / COARSE;
  return sums;
}

function centred(values: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < values.length; at += 1) sum += values[at] ?? 0;
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) - sum / values.length;
  return values;
}

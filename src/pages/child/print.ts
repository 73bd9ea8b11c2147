import { PRINT_BYTES, PRINT_HIGH, PRINT_INK, PRINT_WIDE } from '../../core/domain/paper.ts';

/** Strokes of print are thinner than this, in pixels of the measured image; shadows and paper edges are not. */
const STROKE = 11;
/** Share of the image to ignore at each edge, where the scanner's lid shows: left and right, top and bottom. */
const [SIDE, END] = [0.03, 0.02];
/** The darkest pixels (this share of the image) set the threshold for print (this share of their darkness). */
const [DARKEST, DARK] = [0.015, 0.45];
const LEAST_DARK = 0.06;
/** Minimum pixels of print among a pixel and its eight neighbors; with fewer, it is noise. */
const LEAST_AROUND = 4;
/** Minimum pixels of print to recognize a paper by. */
const LEAST_PIXELS = 300;
/** Maximum skew of a paper, and the steps of the search for it, in degrees. */
const ASLANT = 5;
const STEPS = [0.5, 0.25, 0.125];
/** Share of the print to ignore at each side, as stains or notes; and how far the grid extends beyond the rest, as a share. */
const [BEYOND, REACH] = [0.01, 0.04];
/** Share of a cell under print that counts as the maximum ink. */
const FULL = PRINT_INK / 20;

interface Points {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/**
 * Measures where a grey picture (one byte per pixel) has print, for comparison with others (core/domain/paper.ts): finds
 * strokes, turns them upright, and counts them in a grid from the first to the last. Base64; null if there is too little.
 */
export function printOf(grey: Uint8Array, width: number, height: number): string | null {
  const points = strokes(grey, width, height);
  if (points.x.length < LEAST_PIXELS) return null;
  const upright = turned(points, slantOf(points, Math.ceil(Math.hypot(width, height))));
  return Buffer.from(packed(grid(upright))).toString('base64');
}

function strokes(grey: Uint8Array, width: number, height: number): Points {
  const dark = darkness(grey, width, height);
  const least = Math.max(LEAST_DARK, DARK * darkest(dark));
  const isPrint = (x: number, y: number): boolean => (dark[y * width + x] ?? 0) > least;
  const x: number[] = [];
  const y: number[] = [];
  const [side, end] = [Math.ceil(width * SIDE), Math.ceil(height * END)];
  for (let row = end; row < height - end; row += 1)
    for (let column = side; column < width - side; column += 1) {
      if (!isPrint(column, row)) continue;
      let around = 0;
      for (let down = -1; down <= 1; down += 1)
        for (let across = -1; across <= 1; across += 1) if (isPrint(column + across, row + down)) around += 1;
      if (around < LEAST_AROUND) continue;
      x.push(column - width / 2);
      y.push(row - height / 2);
    }
  return { x: Float32Array.from(x), y: Float32Array.from(y) };
}

/** How much darker each pixel is than the paper, from 0 to 1. The paper is the picture without thin strokes (a closing). */
function darkness(grey: Uint8Array, width: number, height: number): Float32Array {
  const across = (pixels: Uint8Array) => widened(pixels, width, height, [1, width]);
  const down = (pixels: Uint8Array) => widened(pixels, height, width, [width, 1]);
  const paper = inverted(down(across(inverted(down(across(grey))))));
  const dark = new Float32Array(grey.length);
  for (let at = 0; at < grey.length; at += 1) {
    const white = paper[at] ?? 0;
    dark[at] = (white - (grey[at] ?? 0)) / (white + 1);
  }
  return dark;
}

/** Sets each pixel to the brightest within a stroke's width around it, along one direction (a dilation). */
function widened(
  pixels: Uint8Array,
  length: number,
  lines: number,
  [step, next]: readonly [step: number, next: number],
): Uint8Array {
  const out = new Uint8Array(pixels.length);
  const half = (STROKE - 1) / 2;
  const line = new Uint8Array(length + 2 * half);
  for (let each = 0; each < lines; each += 1) {
    const start = each * next;
    for (let at = 0; at < line.length; at += 1)
      line[at] = pixels[start + Math.min(length - 1, Math.max(0, at - half)) * step] ?? 0;
    // The brightest of two, four and eight pixels from here on, then of all.
    for (let reach = 1; reach < STROKE; reach *= 2) {
      const by = Math.min(reach, STROKE - reach);
      for (let at = 0; at + by < line.length; at += 1) {
        const other = line[at + by] as number;
        if (other > (line[at] as number)) line[at] = other;
      }
    }
    for (let at = 0; at < length; at += 1) out[start + at * step] = line[at] ?? 0;
  }
  return out;
}

function inverted(pixels: Uint8Array): Uint8Array {
  const out = new Uint8Array(pixels.length);
  for (let at = 0; at < pixels.length; at += 1) out[at] = 255 - (pixels[at] as number);
  return out;
}

function darkest(dark: Float32Array): number {
  const levels = new Uint32Array(1001);
  for (const value of dark) {
    const level = Math.round(value * 1000);
    levels[level] = (levels[level] ?? 0) + 1;
  }
  let left = dark.length * DARKEST;
  for (let level = 1000; level > 0; level -= 1) {
    left -= levels[level] ?? 0;
    if (left <= 0) return level / 1000;
  }
  return 0;
}

/** Skew in degrees: the angle at which lines of print stand out most from the gaps between them. */
function slantOf(points: Points, size: number): number {
  const [wide = 1, ...narrow] = STEPS;
  let found = { degrees: 0, gaps: -1 };
  const look = (degrees: number): void => {
    const gaps = gapsAt(points, degrees, size);
    if (gaps > found.gaps) found = { degrees, gaps };
  };
  for (let degrees = -ASLANT; degrees <= ASLANT; degrees += wide) look(degrees);
  for (const step of narrow) {
    const { degrees } = found;
    look(degrees - step);
    look(degrees + step);
  }
  return found.degrees;
}

function gapsAt({ x, y }: Points, degrees: number, size: number): number {
  const angle = (degrees * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const rows = new Float64Array(size + 2);
  for (let at = 0; at < x.length; at += 1) {
    const row = Math.round(-sine * (x[at] ?? 0) + cosine * (y[at] ?? 0) + size / 2);
    rows[row] = (rows[row] ?? 0) + 1;
  }
  let sum = 0;
  for (let row = 1; row < rows.length; row += 1) sum += ((rows[row] ?? 0) - (rows[row - 1] ?? 0)) ** 2;
  return sum;
}

function turned({ x, y }: Points, degrees: number): Points {
  const angle = (degrees * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return {
    x: x.map((value, at) => cosine * value + sine * (y[at] ?? 0)),
    y: y.map((value, at) => -sine * (x[at] ?? 0) + cosine * value),
  };
}

/** Distributes each pixel of print over the four nearest cells. */
function grid({ x, y }: Points): Float32Array {
  const [left, right] = reach(x);
  const [top, bottom] = reach(y);
  const [wide, high] = [PRINT_WIDE / (right - left), PRINT_HIGH / (bottom - top)];
  const cells = new Float32Array(PRINT_WIDE * PRINT_HIGH);
  for (let at = 0; at < x.length; at += 1) {
    const atX = ((x[at] ?? 0) - left) * wide - 0.5;
    const atY = ((y[at] ?? 0) - top) * high - 0.5;
    const [column, row] = [Math.floor(atX), Math.floor(atY)];
    for (const across of [0, 1])
      for (const down of [0, 1]) {
        const [toX, toY] = [column + across, row + down];
        if (toX < 0 || toY < 0 || toX >= PRINT_WIDE || toY >= PRINT_HIGH) continue;
        const share = Math.abs(1 - across - (atX - column)) * Math.abs(1 - down - (atY - row));
        const cell = toY * PRINT_WIDE + toX;
        cells[cell] = (cells[cell] ?? 0) + share * wide * high;
      }
  }
  return cells;
}

function reach(values: Float32Array): readonly [from: number, to: number] {
  const sorted = values.toSorted();
  const skipped = Math.floor(sorted.length * BEYOND);
  const [from, to] = [sorted[skipped] ?? 0, sorted[sorted.length - 1 - skipped] ?? 0];
  const more = Math.max(1, (to - from) * REACH);
  return [from - more, to + more];
}

function packed(cells: Float32Array): Uint8Array {
  const bytes = new Uint8Array(PRINT_BYTES);
  for (const [at, covered] of cells.entries()) {
    const ink = Math.min(PRINT_INK, Math.round((covered * PRINT_INK) / FULL));
    bytes[at >> 1] = (bytes[at >> 1] ?? 0) | (at % 2 === 0 ? ink << 4 : ink);
  }
  return bytes;
}

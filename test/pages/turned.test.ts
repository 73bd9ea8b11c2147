/** However a page is turned or mirrored in its file, it is sent as a person sees it: pixel arithmetic says how. */
import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { SplitType } from '../../src/core/domain/imageType.ts';
import { HEIC } from '../support/heic.ts';
import { pdfOf } from '../support/pdf.ts';
import { tiffOf } from '../support/tiff.ts';
import { firstPage } from './child/openFile.ts';

/** Grey. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

/** Where a pixel of the upright page, `w` wide and `h` high, lies in a file of that orientation (EXIF 2.32, 4.6.4). */
const STORED: Readonly<
  Record<number, (x: number, y: number, w: number, h: number) => readonly [number, number]>
> = {
  1: (x, y) => [x, y],
  2: (x, y, w) => [w - 1 - x, y],
  3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
  4: (x, y, _, h) => [x, h - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y, w) => [y, w - 1 - x],
  7: (x, y, w, h) => [h - 1 - y, w - 1 - x],
  8: (x, y, _, h) => [h - 1 - y, x],
};
const ORIENTATIONS = Object.keys(STORED).map(Number);

/** What a person sees of what a file stores. */
function seen({ width, height, pixels }: Picture, orientation: number): Picture {
  const [wide, high] = orientation > 4 ? [height, width] : [width, height];
  const turned = Buffer.alloc(pixels.length);
  for (let y = 0; y < high; y += 1)
    for (let x = 0; x < wide; x += 1) {
      const [column, row] = STORED[orientation]!(x, y, wide, high);
      turned[y * wide + x] = pixels[row * width + column]!;
    }
  return { width: wide, height: high, pixels: turned };
}

/** Quarters of four shades, so that no two ways to turn or mirror it look the same. */
const [WIDE, HIGH] = [96, 64];
const PAGE: Picture = {
  width: WIDE,
  height: HIGH,
  pixels: Buffer.from(
    Array.from({ length: WIDE * HIGH }, (_, at) => {
      const [right, low] = [at % WIDE >= WIDE / 2, at >= (WIDE * HIGH) / 2];
      return low ? (right ? 200 : 140) : right ? 80 : 20;
    }),
  ),
};

const asImage = ({ width, height, pixels }: Picture) =>
  sharp(pixels, { raw: { width, height, channels: 1 } }).toColourspace('b-w');
const jpeg = (orientation: number): Promise<Buffer> =>
  asImage(PAGE).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
const tiff = (orientation: number): Buffer => {
  const page = { ...PAGE, tags: { 274: orientation } };
  return tiffOf([page, page]);
};

async function pdf(rotate: number): Promise<Buffer> {
  return pdfOf([
    { jpeg: await asImage(PAGE).toColourspace('srgb').jpeg().toBuffer(), width: WIDE, height: HIGH, rotate },
  ]);
}

/** A telephone's picture with a property in place of one that describes its depth. */
function heic(property: string, value: number): Buffer {
  const bytes = Buffer.from(HEIC);
  const at = bytes.indexOf('pixi');
  bytes.fill(0, at, at + 12);
  bytes.write(property, at, 'latin1');
  bytes[at + 4] = value;
  return bytes;
}

let ofPhone: Promise<Picture> | undefined;
const picturedByPhone = () => (ofPhone ??= sent('heic', HEIC).then(pictureOf));
interface Row {
  readonly what: string;
  readonly type: SplitType;
  readonly bytes: () => Buffer | Promise<Buffer>;
  readonly orientation: number;
  readonly stored?: () => Promise<Picture>;
}

const QUARTERS = { 0: 1, 90: 6, 180: 3, 270: 8 };
/** Counter-clockwise, in quarters; and mirrored top to bottom, or left to right (ISO 23008-12). */
const OF_PHONES = { 'irot 1': 8, 'irot 2': 3, 'irot 3': 6, 'imir 0': 4, 'imir 1': 2 };
const ROWS: readonly Row[] = [
  ...ORIENTATIONS.slice(1).map((orientation): Row => ({
    what: `EXIF ${orientation}`,
    type: 'jpeg',
    bytes: () => jpeg(orientation),
    orientation,
  })),
  ...ORIENTATIONS.map((orientation): Row => ({
    what: `tag 274 = ${orientation}`,
    type: 'tiff',
    bytes: () => tiff(orientation),
    orientation,
  })),
  ...Object.entries(QUARTERS).map(([rotate, orientation]): Row => ({
    what: `/Rotate ${rotate}`,
    type: 'pdf',
    bytes: () => pdf(Number(rotate)),
    orientation,
  })),
  ...Object.entries(OF_PHONES).map(([what, orientation]): Row => {
    const [property = '', value] = what.split(' ');
    return {
      what,
      type: 'heic',
      bytes: () => heic(property, Number(value)),
      orientation,
      stored: picturedByPhone,
    };
  }),
];

async function sent(type: SplitType, bytes: Buffer): Promise<Buffer> {
  const page = await firstPage(type, bytes);
  if (page.kind === 'refused') throw new Error(page.detail.is);
  return page.bytes;
}

/** Viewers that apply an orientation and those that ignore it must show the same. */
async function pictureOf(image: Buffer): Promise<Picture> {
  const { orientation = 1 } = await sharp(image).metadata();
  expect(orientation).toBe(1);
  const { data, info } = await sharp(image).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
}

it.each(ROWS)('$what of a $type is applied to what is sent', async ({ type, bytes, orientation, stored }) => {
  const page = await pictureOf(await sent(type, await bytes()));
  const wanted = seen((await stored?.()) ?? PAGE, orientation);
  expect([page.width, page.height]).toEqual([wanted.width, wanted.height]);
  const apart = wanted.pixels.map((shade, at) => Math.abs(shade - page.pixels[at]!));
  expect(apart.reduce((sum, each) => sum + each, 0) / apart.length).toBeLessThan(4);
});

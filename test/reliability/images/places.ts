import type { ImageType } from '../../../src/core/domain/imageType.ts';

/** Position of a number that gives a length, a count or an offset. */
export interface Place {
  readonly at: number;
  readonly width: 1 | 2 | 4 | 8;
}

const MOST = 400;

/** Finds the lengths, counts and offsets of a well-formed file, without the code under test. */
export function placesOf(type: ImageType, file: Buffer): Place[] {
  const places: Place[] = [];
  const add = (at: number, ...widths: Place['width'][]): void => {
    for (const width of widths) {
      if (at + width <= file.length && places.length < MOST) places.push({ at, width });
      at += width;
    }
  };
  FINDERS[type](file, add);
  return places;
}

type Add = (at: number, ...widths: Place['width'][]) => void;

const FINDERS: Readonly<Record<ImageType, (file: Buffer, add: Add) => void>> = {
  jpeg(file, add) {
    for (let at = 2; at + 4 <= file.length && file[at] === 0xff; at += 2 + file.readUInt16BE(at + 2)) {
      add(at, 1, 1, 2);
      if (file.toString('latin1', at + 4, at + 8) === 'Exif') tiffPlaces(file, at + 10, add);
      if (file[at + 1] === 0xda) break;
    }
    add(file.length - 2, 1, 1);
  },
  png(file, add) {
    for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
      add(at, 4, 4);
      if (file.toString('latin1', at + 4, at + 8) === 'eXIf') tiffPlaces(file, at + 8, add);
    }
    add(file.length - 4, 4);
  },
  webp(file, add) {
    add(4, 4);
    for (let at = 12; at + 8 <= file.length;) {
      add(at, 4, 4);
      if (file.toString('latin1', at, at + 4) === 'EXIF') tiffPlaces(file, at + 8, add);
      const size = file.readUInt32LE(at + 4);
      at += 8 + size + (size % 2);
    }
  },
  gif(file, add) {
    add(6, 2, 2, 1, 1, 1);
    const table = 13 + 3 * 2 ** (((file[10] ?? 0) & 7) + 1);
    add(table, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1);
    for (let at = table + 11; at < file.length && file[at] !== 0; at += 1 + (file[at] ?? 0)) add(at, 1);
    add(file.length - 2, 1, 1);
  },
  bmp(_, add) {
    add(2, 4, 4, 4, 4, 4, 4, 2, 2, 4, 4, 4, 4, 4, 4);
  },
  tiff: (file, add) => tiffPlaces(file, 0, add),
  heic: (file, add) => boxPlaces(file, 0, file.length, add),
  pdf(file, add) {
    for (const match of file.toString('latin1').matchAll(/\d+|startxref|%%EOF|xref|obj|\/L/g))
      add(match.index, 1);
  },
};

function tiffPlaces(file: Buffer, origin: number, add: Add): void {
  const little = file[origin] === 0x49;
  const big = file[origin + (little ? 2 : 3)] === 43;
  const number = (at: number, width: number): number => {
    if (at + width > file.length) return 0;
    const low = Math.min(width, 6);
    return little ? file.readUIntLE(at, low) : file.readUIntBE(at + width - low, low);
  };
  const word = big ? 8 : 4;
  add(origin, 2, 2, word);
  const seen = new Set<number>();
  const pending = [number(origin + (big ? 8 : 4), word)];
  for (let offset = pending.pop(); offset !== undefined; offset = pending.pop()) {
    if (offset === 0 || seen.has(offset)) continue;
    seen.add(offset);
    const countWidth = big ? 8 : 2;
    const count = number(origin + offset, countWidth);
    add(origin + offset, countWidth);
    let at = origin + offset + countWidth;
    for (let i = 0; i < Math.min(count, 40); i += 1, at += 4 + 2 * word) {
      add(at, 2, 2, word, word);
      if ([330, 34_665].includes(number(at, 2))) pending.push(number(at + 4 + word, word));
    }
    add(at, word);
    pending.push(number(at, word));
  }
}

const CONTAINERS: ReadonlySet<string> = new Set(['meta', 'iinf']);

function boxPlaces(file: Buffer, from: number, to: number, add: Add): void {
  for (let at = from; at + 8 <= to;) {
    const size = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    add(at, 4, 4);
    if (size === 1) add(at + 8, 8);
    if (size < 8) return;
    if (CONTAINERS.has(type)) {
      const body = at + (type === 'meta' ? 12 : 14);
      add(at + 8, 4);
      boxPlaces(file, body, Math.min(to, at + size), add);
    } else if (type === 'iloc' || type === 'infe') {
      for (let byte = at + 8; byte + 2 <= at + size; byte += 2) add(byte, 2);
    }
    at += size;
  }
}

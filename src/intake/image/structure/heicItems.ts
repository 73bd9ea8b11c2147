import { endsInZeros } from './zeros.ts';
import type { IsoBox } from './isoBoxes.ts';
import type { GapFact } from '../../../core/domain/why.ts';

export const IN_FILE = 0;
export const IN_META = 1;
const DESCRIPTION_BYTES = 1024;

/** A piece of an item (ISO/IEC 14496-12, 8.11.3). */
export interface HeicExtent {
  readonly item: number;
  /** What `start` is relative to. IN_FILE: the start of the file; IN_META: the content of the `idat` box; else another item. */
  readonly method: number;
  readonly start: number;
  readonly length: number;
}

/** The extents that an item location box names; ends with null if the box is cut off. */
export function* extentsIn(bytes: Buffer, iloc: IsoBox): Generator<HeicExtent | null> {
  const version = bytes[iloc.body] ?? 0;
  const cursor = { at: iloc.body + 4, overrun: false };
  const read = (width: number): number => {
    if (cursor.at + width > iloc.end) {
      cursor.overrun = true;
      return 0;
    }
    let value = 0;
    for (let i = 0; i < width; i += 1) value = value * 256 + bytes.readUInt8(cursor.at + i);
    cursor.at += width;
    return value;
  };

  const widths = read(2);
  const offsetWidth = (widths >> 12) & 15;
  const lengthWidth = (widths >> 8) & 15;
  const baseWidth = (widths >> 4) & 15;
  const indexWidth = version === 0 ? 0 : widths & 15;
  const extentWidth = indexWidth + offsetWidth + lengthWidth;
  const items = read(version < 2 ? 2 : 4);

  for (let count = 0; count < items && !cursor.overrun; count += 1) {
    const item = read(version < 2 ? 2 : 4);
    const method = version === 0 ? IN_FILE : read(2) & 15;
    read(2);
    const base = read(baseWidth);
    const extents = read(2);
    // Extents of width 0 take no bytes, so a hostile file could claim any number of them to waste time.
    if (extentWidth === 0) continue;
    for (let extent = 0; extent < extents && !cursor.overrun; extent += 1) {
      read(indexWidth);
      const start = base + read(offsetWidth);
      const length = read(lengthWidth);
      if (!cursor.overrun) yield { item, method, start, length };
    }
  }
  if (cursor.overrun) yield null;
}

/**
 * Describes what a file whose boxes end at `fileEnd` lacks of its item locations; null if every extent in the file ends by
 * then.
 */
export function ilocGap(bytes: Buffer, iloc: IsoBox, fileEnd: number): GapFact | null {
  let extentsInFile = 0;
  for (const extent of extentsIn(bytes, iloc)) {
    if (extent === null) return { is: 'placesCut', type: 'heic' };
    const { method, start, length } = extent;
    if (method !== IN_FILE) continue;
    if (start === 0 || start + length > fileEnd) {
      return { is: 'dataBeyond', type: 'heic', end: start + length, has: fileEnd };
    }
    // Smaller items are descriptions.
    if (length > DESCRIPTION_BYTES && endsInZeros(bytes, start + length))
      return { is: 'dataCut', type: 'heic', at: start };
    extentsInFile += 1;
  }
  return extentsInFile > 0 ? null : { is: 'notPlaced', type: 'heic' };
}

import { extentsIn, IN_FILE, IN_META } from '../structure/heicItems.ts';
import { boxesIn, type IsoBox } from '../structure/isoBoxes.ts';

/** Cap on the pieces of an EXIF block; real files stay far below it. */
const MOST_EXTENTS = 16;

/** The EXIF data of a HEIC: an item of type `Exif` (ISO/IEC 23008-12, annex A), joined from its extents; null if there is none. */
export function heicExif(bytes: Buffer): Buffer | null {
  const meta = firstBox(bytes, 0, bytes.length, 'meta');
  if (meta === null) return null;
  // A full box: version and flags come before the boxes in it.
  const within = (type: string) => firstBox(bytes, meta.body + 4, Math.min(meta.end, bytes.length), type);
  const [infos, locations] = [within('iinf'), within('iloc')];
  const item = infos && exifItem(bytes, infos);
  if (item === null || locations === null) return null;
  const content = contentOf(bytes, item, locations, within('idat'));
  // The first four bytes are the offset of the TIFF header from the byte after them.
  return content === null || content.length < 4 ? null : content.subarray(4 + content.readUInt32BE(0));
}

function firstBox(bytes: Buffer, from: number, to: number, type: string): IsoBox | null {
  for (const box of boxesIn(bytes, from, to)) {
    if (box.type === type) return box.end <= to ? box : null;
  }
  return null;
}

/** Id of the first EXIF item. */
function exifItem(bytes: Buffer, infos: IsoBox): number | null {
  const count = bytes[infos.body] === 0 ? 2 : 4;
  for (const { type, body, end } of boxesIn(bytes, infos.body + 4 + count, infos.end)) {
    const version = bytes[body];
    if (type !== 'infe' || end > infos.end || (version !== 2 && version !== 3)) continue;
    const width = version === 2 ? 2 : 4;
    const typeAt = body + 4 + width + 2;
    if (typeAt + 4 <= end && bytes.toString('latin1', typeAt, typeAt + 4) === 'Exif') {
      return bytes.readUIntBE(body + 4, width);
    }
  }
  return null;
}

function contentOf(bytes: Buffer, item: number, locations: IsoBox, data: IsoBox | null): Buffer | null {
  const pieces: Buffer[] = [];
  let length = 0;
  for (const extent of extentsIn(bytes, locations)) {
    if (extent?.item !== item) continue;
    const origin = extent.method === IN_FILE ? 0 : extent.method === IN_META ? data?.body : undefined;
    if (origin === undefined || pieces.length === MOST_EXTENTS) return null;
    const start = origin + extent.start;
    length += extent.length;
    // Overlapping pieces could add up to more bytes than the file has.
    if (start + extent.length > bytes.length || length > bytes.length) return null;
    pieces.push(bytes.subarray(start, start + extent.length));
  }
  return pieces.length === 1 ? (pieces[0] ?? null) : Buffer.concat(pieces);
}

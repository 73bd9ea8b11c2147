import { box, bytes, repeat, u16, u32, u64, type Piece } from './bytes.ts';

const FTYP = box('ftyp', 'heic', u32(0), 'mif1heic');
const FULL = u32(0);
const IINF = box('iinf', FULL, u16(1), box('infe', u32(0x0200_0000), u16(1), u16(0), 'Exif\0'));

function heic(...pieces: readonly Piece[]): Buffer {
  return bytes(FTYP, ...pieces);
}

function meta(...boxes: readonly Piece[]): Buffer {
  return box('meta', FULL, ...boxes);
}

/** One extent for each item, with widths of four bytes. */
function iloc(items: number, ...extents: readonly Piece[]): Buffer {
  return box('iloc', FULL, [0x44, 0], u16(items), ...extents);
}

function extent(offset: number, length: number, item = 1): Buffer {
  return bytes(u16(item), u16(0), u16(1), u32(offset), u32(length));
}

/** HEIC: nested boxes. */
export function hostileBoxes(): Record<string, Buffer> {
  return {
    'HEIC, brands alone': heic(),
    'HEIC, brand box of size 0': bytes(u32(0), 'ftypheic', u32(0)),
    'HEIC, brand box of size 1': bytes(u32(1), 'ftypheic', u32(0)),
    'HEIC, brand box of size 7': bytes(u32(7), 'ftypheic', u32(0)),
    'HEIC, brand box of 2^32-1': bytes(u32(0xffff_ffff), 'ftypheic', u32(0)),
    'HEIC, brands without end': bytes(u32(400_016), 'ftypmif1', u32(0), repeat('abcd', 100_000)),
    'HEIC, box of size 0': heic(u32(0), 'free'),
    'HEIC, box of size 1 without its size': heic(u32(1), 'free'),
    'HEIC, box of size 2': heic(u32(2), 'free', repeat([0], 40)),
    'HEIC, 64-bit size of 0': heic(u32(1), 'free', u64(0), repeat([0], 40)),
    'HEIC, 64-bit size of 15': heic(u32(1), 'free', u64(15), repeat([0], 40)),
    'HEIC, 64-bit size of 2^64-1': heic(u32(1), 'mdat', u64(-1), repeat([0], 40)),
    'HEIC, 64-bit size of 2^63': heic(u32(1), 'mdat', u64(2n ** 63n), repeat([0], 40)),
    'HEIC, a hundred thousand empty boxes': heic(repeat(box('free'), 100_000)),
    'HEIC, a hundred thousand types of boxes': heic(manyTypes(100_000)),
    'HEIC, boxes nested ten thousand deep': heic(nested('meta', 10_000, FULL)),
    'HEIC, property boxes nested ten thousand deep': heic(
      meta(nested('iprp', 10_000), iloc(1, extent(1, 4))),
    ),
    'HEIC, containers nested ten thousand deep': heic(meta(nested('ipco', 10_000), iloc(1, extent(1, 4)))),
    'HEIC, ten thousand meta boxes': heic(repeat(meta(), 10_000)),
    'HEIC, meta of 12 bytes': heic(meta()),
    'HEIC, meta of 8 bytes': heic(box('meta')),
    'HEIC, box beyond its container': heic(meta(u32(1000), 'iinf'), repeat([0], 2000)),
    'HEIC, no items': heic(meta(iloc(0))),
    'HEIC, 65,535 items that are not there': heic(meta(iloc(0xffff))),
    'HEIC, 2^32-1 items of no bytes': heic(
      meta(box('iloc', u32(0x0200_0000), [0, 0], u32(0xffff_ffff), repeat([0], 200))),
    ),
    'HEIC, 65,535 extents of no bytes': heic(
      meta(box('iloc', FULL, [0, 0], u16(2), repeat([0, 1, 0, 0, 0xff, 0xff], 2))),
    ),
    'HEIC, widths of 15': heic(
      meta(box('iloc', u32(0x0100_0000), [0xff, 0xff], u16(9), repeat([0xff], 500))),
    ),
    'HEIC, widths of 8 and 2^64-1': heic(
      meta(box('iloc', FULL, [0x88, 0x80], u16(1), u16(1), u16(0), u64(-1), u16(1), u64(-1), u64(-1))),
    ),
    'HEIC, extent beyond the file': heic(meta(iloc(1, extent(0xffff_ffff, 0xffff_ffff)))),
    'HEIC, extent at 0': heic(meta(iloc(1, extent(0, 10)))),
    'HEIC, extent of itself': heic(meta(iloc(1, extent(24, 60))), box('mdat', 'data')),
    'HEIC, overlapping extents': heic(
      meta(iloc(5000, repeat(extent(24, 5000), 5000))),
      box('mdat', repeat('x', 5000)),
    ),
    'HEIC, version 255': heic(meta(box('iloc', u32(0xff00_0000), [0x44, 0], u32(1), repeat([0], 40)))),
    'HEIC, EXIF that points beyond': heic(meta(IINF, iloc(1, extent(24, 4))), box('mdat', u32(0xffff_ffff))),
    'HEIC, EXIF without an end': heic(meta(IINF, iloc(1, extent(200, 4))), box('mdat', repeat([0xff], 400))),
    'HEIC, EXIF in overlapping parts': heic(
      meta(
        IINF,
        box(
          'iloc',
          FULL,
          [0x44, 0],
          u16(1),
          u16(1),
          u16(0),
          u16(2000),
          repeat(bytes(u32(24), u32(8000)), 2000),
        ),
      ),
      box('mdat', repeat('x', 9000)),
    ),
    'HEIC, a hundred thousand item infos': heic(
      meta(
        box('iinf', FULL, u16(0xffff), repeat(box('infe', u32(0x0200_0000), u16(1), u16(0), 'mime'), 40_000)),
        iloc(1, extent(24, 4)),
      ),
    ),
    'HEIC, item names without end': heic(
      meta(
        box('iinf', FULL, u16(9), repeat(bytes([1, 1, 1, 1], 'infe', [2, 1, 1, 1], repeat('n', 40)), 5000)),
        iloc(1, extent(24, 4)),
      ),
    ),
    'HEIC, a sequence without data': heic(box('moov'), box('free')),
    'HEIC, a sequence': heic(box('moov'), box('mdat')),
    'HEIC, types of no letters': heic(box('\0\x01\x02\x03'), box('mdat', 'data')),
  };
}

function manyTypes(count: number): Buffer {
  const boxes = repeat(box('----'), count);
  for (let i = 0; i < count; i += 1) boxes.write(i.toString(36).padStart(4, '-'), 8 * i + 4);
  return boxes;
}

function nested(type: string, depth: number, head: Piece = ''): Buffer {
  const each = 8 + bytes(head).length;
  return bytes(...Array.from({ length: depth }, (_, i) => bytes(u32((depth - i) * each), type, head)));
}

import { bytes, directory, entry, repeat, u16, u32, u64, type Piece } from './bytes.ts';
import { DATES } from './hostileJpegs.ts';

const HEAD = 'II*\0\x08\0\0\0';
const BIG = bytes('II+\0\x08\0\0\0', u64(16, 'II'));
const STRIP = [entry(273, 4, 1, 4), entry(279, 4, 1, 4)];
const NONE = 0xffff_ffff;

function tiff(...pieces: readonly Piece[]): Buffer {
  return bytes(HEAD, ...pieces);
}

export function hostileTiffs(): Record<string, Buffer> {
  const dates = DATES.map((text, i) => [`TIFF, EXIF date ${i + 1}`, dated(text)] as const);
  return {
    'TIFF, header alone': bytes(HEAD),
    'TIFF, seven bytes': bytes(HEAD).subarray(0, 7),
    'TIFF, first directory at 0': bytes('II*\0', u32(0)),
    'TIFF, first directory in the header': bytes('II*\0\x04\0\0\0', repeat([0], 40)),
    'TIFF, first directory at the last byte': bytes('II*\0', u32(19, 'II'), repeat([1], 12)),
    'TIFF, first directory at the end': bytes('II*\0', u32(20, 'II'), repeat([1], 12)),
    'TIFF, first directory beyond 2^31': bytes('MM\0*', u32(0x8000_0000), repeat([0], 40)),
    'TIFF, first directory at 2^32-1': bytes('MM\0*', u32(NONE), repeat([0], 40)),
    'TIFF, directory that follows itself': tiff(directory(STRIP, 8)),
    'TIFF, directories in a circle of three': tiff(
      directory(STRIP, 38),
      directory(STRIP, 68),
      directory(STRIP, 8),
    ),
    'TIFF, sub-directory that is its own parent': tiff(directory([...STRIP, entry(330, 4, 1, 8)])),
    'TIFF, sub-directories that share a child': tiff(
      directory([...STRIP, entry(330, 4, 2, 50)]),
      u32(58, 'II'),
      u32(58, 'II'),
      directory(STRIP),
    ),
    'TIFF, 2^32-1 sub-directories': tiff(directory([...STRIP, entry(330, 4, NONE, 8)])),
    'TIFF, sub-directories of all bytes': tiff(
      directory([...STRIP, entry(330, 1, 60_000, 50)]),
      repeat([8], 60_000),
    ),
    'TIFF, EXIF pointer to itself': tiff(directory([...STRIP, entry(0x8769, 4, 1, 8)])),
    'TIFF, EXIF pointer beyond': tiff(directory([...STRIP, entry(0x8769, 4, 1, NONE)])),
    'TIFF, directory of 65,535 entries': tiff(u16(0xffff), repeat(entry(254, 3, 1, 0), 65_535), u32(0)),
    'TIFF, directory of no entries': tiff(directory([])),
    'TIFF, a chain of 40,000 directories': chain(40_000),
    'TIFF, a chain that overlaps': overlapping(60_000),
    'TIFF, ten thousand times the same strip': tiff(
      directory([entry(273, 4, 10_000, 38), entry(279, 4, 10_000, 38)]),
      repeat(u32(8, 'II'), 10_000),
    ),
    'TIFF, 2^32-1 strips': tiff(directory([entry(273, 4, NONE, 8), entry(279, 4, NONE, 8)])),
    'TIFF, 2^29 strips whose size wraps to 0': tiff(
      directory([entry(273, 16, 2 ** 29, 8), entry(279, 16, 2 ** 29, 8)]),
    ),
    'TIFF, strips of an unknown type': tiff(directory([entry(273, 99, NONE, 8), entry(279, 99, NONE, 8)])),
    'TIFF, strips of type 0': tiff(directory([entry(273, 0, 1, 8), entry(279, 0, 1, 8)])),
    'TIFF, strips of type 14, which has no size': tiff(
      directory([entry(273, 14, NONE, 8), entry(279, 14, NONE, 8)]),
    ),
    'TIFF, strip offset and length of 2^32-1': tiff(
      directory([entry(273, 4, 1, NONE), entry(279, 4, 1, NONE)]),
    ),
    'TIFF, strip that ends at the end': tiff(directory([entry(273, 4, 1, 4), entry(279, 4, 1, 34)])),
    'TIFF, strip that ends one byte later': tiff(directory([entry(273, 4, 1, 4), entry(279, 4, 1, 35)])),
    'TIFF, fewer lengths than offsets': tiff(directory([entry(273, 4, 2, 8), entry(279, 4, 1, 4)])),
    'TIFF, offsets without lengths': tiff(directory([entry(273, 4, 1, 8)])),
    'TIFF, lengths of 0': tiff(directory([entry(273, 4, 1, 8), entry(279, 4, 1, 0)])),
    'TIFF, dimensions of 2^32-1': tiff(directory([entry(256, 4, 1, NONE), entry(257, 4, 1, NONE), ...STRIP])),
    'TIFF, the same tag a thousand times': tiff(
      directory([...Array.from({ length: 1000 }, () => entry(0x9003, 2, 4000, 8)), ...STRIP]),
    ),
    'TIFF, a date of the whole file': tiff(
      directory([...STRIP, entry(0x9003, 2, 200_000, 8)]),
      repeat([0x41], 200_000),
    ),
    'TIFF, a date of zeros': tiff(
      directory([...STRIP, entry(0x8769, 4, 1, 50)]),
      directory([entry(0x9003, 2, 200_000, 68)]),
      repeat([0], 200_000),
    ),
    'TIFF, value beyond the file': tiff(directory([...STRIP, entry(270, 2, 100, 0xffff_ff00)])),
    'BigTIFF, header alone': bytes(BIG),
    'BigTIFF, header cut': bytes(BIG).subarray(0, 15),
    'BigTIFF, offset size of 4': bytes('II+\0\x04\0\0\0', u64(16, 'II'), repeat([0], 40)),
    'BigTIFF, first directory at 2^64-1': bytes('MM\0+\0\x08\0\0', u64(-1), repeat([0], 40)),
    'BigTIFF, first directory at 2^53': bytes('MM\0+\0\x08\0\0', u64(2 ** 53), repeat([0], 40)),
    'BigTIFF, 2^64-1 entries': bytes(BIG, u64(-1, 'II'), repeat([1], 40)),
    'BigTIFF, 2^60 entries': bytes(BIG, u64(2n ** 60n, 'II'), repeat([1], 40)),
    'BigTIFF, directory that follows itself': bytes(
      BIG,
      bigDirectory([bigEntry(273, 1, 8), bigEntry(279, 1, 4)], 16),
    ),
    'BigTIFF, 2^64-1 strips': bytes(BIG, bigDirectory([bigEntry(273, -1, 8), bigEntry(279, -1, 8)], 0)),
    'BigTIFF, 2^61 strips whose size wraps to 0': bytes(
      BIG,
      bigDirectory([bigEntry(273, 2n ** 61n, 8), bigEntry(279, 2n ** 61n, 8)], 0),
    ),
    'BigTIFF, strip at 2^64-1': bytes(BIG, bigDirectory([bigEntry(273, 1, -1), bigEntry(279, 1, 2)], 0)),
    'TIFF, other byte order inside': bytes('II*\0', u32(8), u16(1), u32(0)),
    'TIFF, order of bytes unknown': bytes('IM*\0\x08\0\0\0', directory(STRIP)),
    ...Object.fromEntries(dates),
  };
}

function dated(text: string): Buffer {
  const content = bytes(text, '\0');
  return tiff(
    directory([...STRIP, entry(0x8769, 4, 1, 50)]),
    directory([entry(0x9004, 2, content.length, 68)]),
    content,
  );
}

function chain(length: number): Buffer {
  const all = repeat(directory([entry(254, 4, 1, 0)]), length);
  for (let i = 1; i < length; i += 1) all.writeUInt32LE(8 + 18 * i, 18 * i - 4);
  return tiff(all);
}

/** Each directory begins four bytes into the previous one. */
function overlapping(length: number): Buffer {
  const file = Buffer.alloc(8 + length * 4 + 64);
  bytes(HEAD).copy(file);
  for (let i = 0; i < length; i += 1) file.writeUInt16LE(1 + (i % 3), 8 + 4 * i);
  return file;
}

function bigEntry(tag: number, count: number | bigint, value: number | bigint): Buffer {
  return bytes(u16(tag, 'II'), u16(16, 'II'), u64(count, 'II'), u64(value, 'II'));
}

function bigDirectory(entries: readonly Buffer[], next: number): Buffer {
  return bytes(u64(entries.length, 'II'), ...entries, u64(next, 'II'));
}

import { buildExif } from '../../support/handmadeImages.ts';
import { box, bytes, chunk, directory, entry, repeat, segment, u16, u32, u64, type Piece } from './bytes.ts';

const SCAN = bytes(segment(0xda, [1, 1, 0, 0, 63, 0]), 'data\xff\xd9');
const DATED = buildExif({ capturedAt: new Date(2024, 1, 29, 23, 4, 59) });
const STRIP = [entry(273, 4, 1, 4), entry(279, 4, 1, 4)];

/** Files of the maximum size, each of which tries to multiply the cost of reading it. */
export const BOMBS: Readonly<Record<string, (size: number) => Buffer>> = {
  'JPEG of markers': (size) => fill('\xff\xd8', '\xff\xd0', size, SCAN),
  'JPEG of fill bytes': (size) => fill('\xff\xd8', '\xff', size, SCAN),
  'JPEG of empty segments': (size) => fill('\xff\xd8', '\xff\xe0\0\x02', size, SCAN),
  'JPEG of EXIF segments': (size) => fill('\xff\xd8', segment(0xe1, 'Exif\0\0', DATED), size, SCAN),
  'JPEG of XMP segments': (size) =>
    fill('\xff\xd8', segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x/>'), size, SCAN),
  'PNG of empty chunks': (size) => fill('\x89PNG\r\n\x1a\n', chunk('teXt'), size, pngEnd()),
  'PNG of texts': (size) => fill('\x89PNG\r\n\x1a\n', chunk('tEXt', 'a\0'), size, pngEnd()),
  'PNG of physical sizes': (size) => fill('\x89PNG\r\n\x1a\n', chunk('pHYs'), size, pngEnd()),
  'GIF of sub-blocks': (size) =>
    fill('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02', '\x01x', size, '\0;'),
  'GIF of extensions': (size) => fill('GIF89a\x01\0\x01\0\0\0\0', '!\xfe\0', size),
  'GIF of zeros': (size) => fill('GIF89a\x01\0\x01\0\0\0\0', '\0', size),
  'WebP of empty chunks': (size) => riff(fill('', 'XXXX\0\0\0\0', size - 32)),
  'WebP of EXIF chunks': (size) => riff(fill('', 'EXIF\x08\0\0\0II*\0\x08\0\0\0', size - 32)),
  'HEIC of boxes of many types': (size) => manyTypes(size),
  'HEIC of meta boxes': (size) => fill(box('ftyp', 'heic', u32(0)), box('meta'), size),
  'HEIC of item infos': (size) => {
    const each = box('infe', u32(0x0200_0000), u16(1), u16(0), 'mime\0text\0');
    const infos = fill(bytes(u32(0), u16(0xffff)), each, size - 200);
    const iloc = box('iloc', u32(0), [0x44, 0], u16(1), u16(1), u16(0), u16(1), u32(8), u32(8));
    return bytes(box('ftyp', 'heic', u32(0)), box('meta', u32(0), box('iinf', infos), iloc));
  },
  'HEIC of items': (size) => {
    const each = bytes(u16(1), u16(0), u16(1), u32(8), u32(8));
    const body = fill(bytes(u32(0x0200_0000), [0x44, 0], u32(0xffff_ffff)), each, size - 100);
    return bytes(box('ftyp', 'heic', u32(0)), box('meta', u32(0), box('iloc', body)));
  },
  'TIFF with a date of all letters': (size) =>
    fill(
      bytes(
        'II*\0\x08\0\0\0',
        directory([...STRIP, entry(0x8769, 4, 1, 50)]),
        directory([entry(0x9003, 2, size - 68, 68)]),
      ),
      'A',
      size,
    ),
  'TIFF with a date of zeros and letters': (size) =>
    fill(
      bytes(
        'II*\0\x08\0\0\0',
        directory([...STRIP, entry(0x8769, 4, 1, 50)]),
        directory([entry(0x9003, 2, size - 68, 68)]),
      ),
      'A\0',
      size,
    ),
  'TIFF with a thousand dates of all letters': (size) => {
    const dates = Array.from({ length: 1000 }, () => entry(0x9003, 2, size - 20_000, 20_000));
    return fill(
      bytes('II*\0\x08\0\0\0', directory([...STRIP, entry(0x8769, 4, 1, 50)]), directory(dates)),
      'A',
      size,
    );
  },
  'TIFF with many EXIF pointers': (size) =>
    fill(
      bytes('II*\0\x08\0\0\0', directory([...STRIP, entry(0x8769, 4, (size - 100) >> 2, 100)])),
      [50, 0, 0, 0],
      size,
    ),
  'TIFF of directories': (size) => chain(size),
  'TIFF of directories in any order': (size) => chain(size, 7919),
  'TIFF of sub-directories': (size) =>
    fill(
      bytes('II*\0\x08\0\0\0', directory([...STRIP, entry(330, 4, (size - 100) >> 2, 50)])),
      [1, 0, 0, 0],
      size,
    ),
  'TIFF of overlapping directories': (size) => fill('II*\0\x08\0\0\0', [0xff, 0x00, 1, 0], size),
  'TIFF of strips': (size) => {
    const count = (size - 100) >> 3;
    const head = directory([entry(273, 4, count, 40), entry(279, 4, count, 40)]);
    return fill(bytes('II*\0\x08\0\0\0', head), [8, 0, 0, 0], size);
  },
  'TIFF of strips of one byte each': (size) => {
    const count = size - 200;
    const head = directory([entry(259, 3, 1, 5), entry(273, 1, count, 100), entry(279, 1, count, 100)]);
    return fill(bytes('II*\0\x08\0\0\0', head), [9], size);
  },
  'BigTIFF of one directory': (size) => {
    const count = Math.floor((size - 40) / 20);
    return fill(
      bytes('II+\0\x08\0\0\0', u64(16, 'II'), u64(count, 'II')),
      bytes(u16(254, 'II'), u16(4, 'II'), u64(1, 'II'), u64(0)),
      size,
    );
  },
  'BMP of zeros': (size) => fill(bytes('BM', repeat([0], 12), [40, 0, 0, 0]), '\0', size),
  'PDF of white space': (size) => fill('%PDF-1.7\nstartxref\n9\n%%EOF', ' ', size),
  'PDF of ends': (size) => fill('%PDF-1.7\nstartxref\n9\n', '%%EOF\n', size),
  zeros: (size) => Buffer.alloc(size),
  'byte order marks': (size) => fill('', '\xef\xbb\xbf', size),
};

/** Exactly `size` bytes, if `end` fits. */
function fill(head: Piece, body: Piece, size: number, end: Piece = ''): Buffer {
  const [first, last] = [bytes(head), bytes(end)];
  const file = Buffer.alloc(size).fill(bytes(body), first.length);
  first.copy(file);
  const whole =
    first.length + Math.floor((size - first.length - last.length) / bytes(body).length) * bytes(body).length;
  last.copy(file, whole);
  return last.length === 0 ? file : file.subarray(0, whole + last.length);
}

function pngEnd(): Buffer {
  return bytes(chunk('IDAT', 'data'), chunk('IEND', '', 0xae42_6082));
}

function riff(content: Buffer): Buffer {
  const body = bytes(content, 'VP8 \x04\0\0\0data');
  return bytes('RIFF', u32(body.length + 4, 'II'), 'WEBP', body);
}

function manyTypes(size: number): Buffer {
  const head = box('ftyp', 'heic', u32(0));
  const file = Buffer.alloc(size - (size % 8));
  head.copy(file);
  for (let at = head.length, i = 0; at + 8 <= file.length; at += 8, i += 1) {
    file.writeUInt32BE(8, at);
    for (let letter = 0, left = i; letter < 4; letter += 1, left = Math.floor(left / 94))
      file[at + 4 + letter] = 33 + (left % 94);
  }
  return file;
}

/** A chain of directories with one entry each, `stride` apart. */
function chain(size: number, stride = 1): Buffer {
  const count = Math.floor((size - 8) / 18);
  const file = Buffer.alloc(8 + count * 18);
  bytes('II*\0\x08\0\0\0').copy(file);
  for (let i = 0, at = 0; i < count; i += 1) {
    const next = (at + stride) % count;
    file.writeUInt16LE(1, 8 + at * 18);
    file.writeUInt16LE(254, 10 + at * 18);
    file.writeUInt16LE(4, 12 + at * 18);
    file.writeUInt32LE(1, 14 + at * 18);
    file.writeUInt32LE(i === count - 1 ? 0 : 8 + next * 18, 22 + at * 18);
    at = next;
  }
  return file;
}

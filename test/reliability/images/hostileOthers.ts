import { gzipSync } from 'node:zlib';
import { buildPdf } from '../../support/handmadeImages.ts';
import { bytes, chunk, repeat, segment, u16, u32, type Piece } from './bytes.ts';

const JPEG = bytes('\xff\xd8', segment(0xda, [1, 1, 0, 0, 63, 0]), 'data\xff\xd9');
const GIF = bytes('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;');
const PNG = bytes(
  '\x89PNG\r\n\x1a\n',
  chunk('IHDR', repeat([1], 13)),
  chunk('IDAT', 'data'),
  chunk('IEND', '', 0xae42_6082),
);
const ZIP = bytes(
  'PK\x03\x04\x14\0\0\0\x08\0',
  repeat([0], 8),
  u32(4, 'II'),
  u32(0xffff_ffff, 'II'),
  u16(1, 'II'),
  u16(0),
  'a',
  'data',
);
const NONE = 0xffff_ffff;

interface Bmp {
  readonly size?: number;
  readonly pixels?: number;
  readonly header?: number;
  readonly width?: number;
  readonly height?: number;
  readonly bits?: number;
  readonly compression?: number;
  readonly image?: number;
}

function bmp({
  size = 58,
  pixels = 54,
  header = 40,
  width = 1,
  height = 1,
  bits = 24,
  compression = 0,
  image = 0,
}: Bmp): Buffer {
  const first = bytes('BM', u32(size, 'II'), u32(0), u32(pixels, 'II'));
  const second = bytes(u32(header, 'II'), u32(width, 'II'), u32(height, 'II'), u16(1, 'II'), u16(bits, 'II'));
  return bytes(first, second, u32(compression, 'II'), u32(image, 'II'), repeat([0], 16), 'abcd');
}

function pdf(...pieces: readonly Piece[]): Buffer {
  return bytes('%PDF-1.7\n', ...pieces);
}

/** BMP, PDF, files of two types at once, and files of none. */
export function hostileOthers(): Record<string, Buffer> {
  const whole = buildPdf('hostile');
  return {
    'BMP, whole': bmp({}),
    'BMP, two letters': bytes('BM'),
    'BMP, header cut': bmp({}).subarray(0, 20),
    'BMP, size of 0 everywhere': bmp({ size: 0, pixels: 0, width: 0, height: 0 }),
    'BMP, size of 2^32-1': bmp({ size: NONE }),
    'BMP, pixels at 2^32-1': bmp({ pixels: NONE }),
    'BMP, dimensions of 2^31-1': bmp({ width: 0x7fff_ffff, height: 0x7fff_ffff, bits: 65_535 }),
    'BMP, dimensions of -2^31': bmp({ width: 0x8000_0000, height: 0x8000_0000 }),
    'BMP, top-down': bmp({ height: NONE }),
    'BMP, bits of 0': bmp({ bits: 0 }),
    'BMP, compressed without a size': bmp({ compression: 1, size: 0 }),
    'BMP, compression unknown': bmp({ compression: NONE, image: NONE }),
    ...Object.fromEntries(
      [0, 12, 16, 52, 56, 64, 108, 124].map((header) => [`BMP, header of ${header}`, bmp({ header })]),
    ),
    'BMP, header of 124 in 18 bytes': bmp({ header: 124 }).subarray(0, 18),
    'BMP, header of 12 in 25 bytes': bmp({ header: 12 }).subarray(0, 25),
    'BMP, header of 16 in 29 bytes': bmp({ header: 16 }).subarray(0, 29),

    'PDF, magic alone': bytes('%PDF-'),
    'PDF, whole': whole,
    'PDF, a hundred thousand ends': bytes(whole, repeat('%%EOF\n', 100_000)),
    'PDF, startxref of many digits': pdf('startxref\n', repeat('9', 100_000), '\n%%EOF'),
    'PDF, startxref beyond the file': pdf('startxref\n999999999999999\n%%EOF'),
    'PDF, startxref of itself': pdf('startxref\n9\n%%EOF'),
    'PDF, tables in a circle': pdf('xref\n0 0\ntrailer <</Prev 9>>\nstartxref\n9\n%%EOF'),
    'PDF, white space without end': bytes(whole, repeat(' \n', 300_000)),
    'PDF, startxref and white space': pdf(repeat('startxref', 100), repeat(' ', 900), '%%EOF'),
    'PDF, startxref repeated': pdf(repeat('startxref 1', 150), '%%EOF'),
    'PDF, linearized beyond the file': pdf('<</Linearized 1 /L 999999999999999>>', whole),
    'PDF, linearized of many digits': pdf('<</Linearized 1 /L ', repeat('9', 900), '>>', whole),
    'PDF, nested arrays': pdf('1 0 obj', repeat('[', 200_000), 'startxref\n9\n%%EOF'),
    'PDF, a stream of 2^63 bytes': pdf('1 0 obj<</Length 9223372036854775807>>stream\nstartxref\n9\n%%EOF'),

    'PDF and JPEG': bytes(JPEG, whole),
    'JPEG in a PDF': bytes(whole, JPEG),
    'HTML and GIF': bytes('<html><!--', GIF, '--><script>alert(1)</script>'),
    'GIF and HTML': bytes('GIF89a/*', repeat('*/=1;', 20), GIF),
    'ZIP and PNG': bytes(PNG, ZIP),
    'PNG in a ZIP': bytes(ZIP, PNG),
    'ZIP of many entries': repeat(ZIP, 3000),
    'ZIP of broken data': bytes(
      'PK\x03\x04\x14\0\0\0\x08\0',
      repeat([0], 8),
      u32(20, 'II'),
      u32(90, 'II'),
      u16(19, 'II'),
      u16(0),
      '[Content_Types].xml',
      repeat('\xff', 20),
    ),
    'gzip of zeros': gzipSync(Buffer.alloc(30_000_000)),
    'gzip, broken': bytes('\x1f\x8b\x08\0\0\0\0\0\0\x03', repeat([0xff], 3000)),
    'gzip of gzip': gzipSync(gzipSync(JPEG)),
    ...Object.fromEntries(
      [
        ['JPEG', JPEG],
        ['GIF', GIF],
        ['PNG', PNG],
        ['BMP', bmp({})],
        ['PDF', whole],
      ].flatMap(([name, file]) => [
        [`${String(name)} after a byte order mark`, bytes('\xef\xbb\xbf', file as Buffer)],
        [`${String(name)} after an ID3 tag`, bytes('ID3\x04\0\0\0\0\0\x05hello', file as Buffer)],
      ]),
    ),
    'ID3 tags without end': repeat('ID3\x04\0\0\0\0\0\0', 50_000),
    'byte order marks without end': repeat('\xef\xbb\xbf', 100_000),
    'EBML without end': bytes('\x1aE\xdf\xa3', repeat([0xff], 5000)),
    'ASF without end': bytes('0&\xb2u\x8ef\xcf\x11\xa6\xd9\0\xaa\0b\xcel', repeat([0], 5000)),

    nothing: bytes(),
    ...Object.fromEntries(
      [0, 0x0a, 0x42, 0x47, 0x49, 0x4d, 0x89, 0xff].map((byte) => [`the byte ${byte}`, bytes([byte])]),
    ),
    zeros: repeat([0], 100_000),
    ones: repeat([0xff], 100_000),
    text: repeat('receipt ', 10_000),
    'text with control characters': repeat('\x1b[2J\x07', 1000),
    AVIF: bytes(u32(24), 'ftypavif', u32(0), 'avifmif1', repeat([0], 20)),
    SVG: bytes('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
  };
}

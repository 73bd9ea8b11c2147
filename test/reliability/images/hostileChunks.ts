import { bytes, chunk, repeat, u16, u32, type Piece } from './bytes.ts';

const PNG = '\x89PNG\r\n\x1a\n';
const IHDR = chunk('IHDR', [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
const IDAT = chunk('IDAT', 'data');
const IEND = chunk('IEND', '', 0xae42_6082);
const GIF = 'GIF89a\x01\0\x01\0\0\0\0';
const PICTURE = ',\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0';

function png(...pieces: readonly Piece[]): Buffer {
  return bytes(PNG, IHDR, ...pieces);
}

/** A RIFF container, with its true length unless given. */
function webp(content: Buffer, length = content.length + 4): Buffer {
  return bytes('RIFF', u32(length, 'II'), 'WEBP', content);
}

function riff(type: string, content: Piece = '', length = bytes(content).length): Buffer {
  return bytes(type, u32(length, 'II'), content);
}

/** PNG, WebP and GIF: sequences of chunks. */
export function hostileChunks(): Record<string, Buffer> {
  return {
    'PNG, signature alone': bytes(PNG),
    'PNG, header alone': png(),
    'PNG, chunk length of 2^32-1': png(u32(0xffff_ffff), 'IDAT', 'x'),
    'PNG, chunk length of 2^31-1': png(u32(0x7fff_ffff), 'IDAT', 'x'),
    'PNG, chunk that ends at the end': png(IDAT, u32(4), 'IEND', 'full', u32(0)),
    'PNG, fifty thousand empty chunks': png(repeat(chunk('teXt'), 50_000), IDAT, IEND),
    'PNG, fifty thousand empty data chunks': png(repeat(chunk('IDAT'), 50_000), IEND),
    'PNG, fifty thousand texts': png(repeat(chunk('tEXt', 'a\0b'), 50_000), IDAT, IEND),
    'PNG, compressed text that swells': png(chunk('zTXt', bytes('a\0\0', repeat('x\xda', 1000))), IDAT, IEND),
    'PNG, text without a separator': png(chunk('iTXt', repeat('XML:com.adobe.xmp', 1000)), IDAT, IEND),
    'PNG, end chunk with a wrong CRC': png(IDAT, chunk('IEND')),
    'PNG, end chunk that is not empty': png(IDAT, chunk('IEND', 'x', 0xae42_6082)),
    'PNG, end chunk before the data': png(IEND, IDAT),
    'PNG, chunk without a name': png(chunk('\0\0\0\0', 'x'), IDAT, IEND),
    'PNG, dimensions of 2^31-1': bytes(
      PNG,
      chunk('IHDR', bytes(u32(0x7fff_ffff), u32(0x7fff_ffff), [8, 6, 0, 0, 0])),
      IDAT,
      IEND,
    ),
    'PNG, animated without frames': png(chunk('acTL', bytes(u32(0xffff_ffff), u32(0))), IDAT, IEND),
    'PNG, EXIF that points to itself': png(chunk('eXIf', 'II*\0\0\0\0\0'), IDAT, IEND),
    'PNG, ten thousand EXIF chunks': png(repeat(chunk('eXIf', 'II*\0\x08\0\0\0\0\0'), 10_000), IDAT, IEND),
    'PNG, EXIF longer than the file': png(IDAT, u32(0x1000), 'eXIf', 'MM\0*'),
    'PNG, another inside a text': png(chunk('tEXt', png(IDAT, IEND)), IDAT),

    'WebP, header alone': webp(Buffer.alloc(0)),
    'WebP, length of 2^32-1': webp(riff('VP8 ', 'data'), 0xffff_ffff),
    'WebP, length of 0': webp(riff('VP8 ', 'data'), 0),
    'WebP, length of 4': webp(riff('VP8 ', 'data'), 4),
    'WebP, length that ends in a chunk': webp(riff('VP8 ', 'data'), 10),
    'WebP, chunk length of 2^32-1': webp(riff('VP8 ', 'data', 0xffff_ffff)),
    'WebP, odd chunk at the end without padding': webp(riff('VP8 ', 'odd')),
    'WebP, eighty thousand empty chunks': webp(bytes(repeat(riff('XXXX'), 80_000), riff('VP8 ', 'data'))),
    'WebP, eighty thousand empty images': webp(repeat(riff('VP8 '), 80_000)),
    'WebP, EXIF without an end': webp(bytes(riff('VP8 ', 'data'), riff('EXIF', 'Exif\0\0II*\0\x08\0\0\0'))),
    'WebP, ten thousand EXIF chunks': webp(
      bytes(
        riff('VP8X', repeat([0xff], 10)),
        repeat(riff('EXIF', 'II*\0\x08\0\0\0'), 10_000),
        riff('VP8 ', 'data'),
      ),
    ),
    'WebP, dimensions of 2^24': webp(
      bytes(riff('VP8X', repeat([0xff], 10)), riff('VP8L', repeat([0xff], 10))),
    ),
    'WebP, RIFF in RIFF': webp(bytes(riff('VP8 ', webp(riff('VP8 ', 'data'))), riff('RIFF', 'WEBP'))),

    'GIF, three letters': bytes('GIF'),
    'GIF, header alone': bytes(GIF),
    'GIF, header cut before its colours': bytes('GIF89a\x01\0\x01\0'),
    'GIF, colours beyond the file': bytes('GIF89a\x01\0\x01\0\xf7\0\0', repeat([1], 100)),
    'GIF, no image': bytes(GIF, ';'),
    'GIF, whole': bytes(GIF, PICTURE, ';'),
    'GIF, sub-blocks without end': bytes(GIF, PICTURE.slice(0, -5), '\x02', repeat('\x01x', 300_000)),
    'GIF, large sub-blocks without end': bytes(GIF, '!\xfe', repeat(bytes([255], repeat('x', 255)), 2000)),
    'GIF, extensions without end': bytes(GIF, repeat('!\xfe\0', 200_000)),
    'GIF, images without end': bytes(GIF, repeat(PICTURE, 40_000)),
    'GIF, zeros between blocks': bytes(GIF, PICTURE, repeat([0], 500_000), ';'),
    'GIF, image descriptor cut': bytes(GIF, ',\0\0\0'),
    'GIF, dimensions of 65,535': bytes(
      'GIF87a',
      u16(0xffff),
      u16(0xffff),
      [0, 0, 0],
      ',',
      repeat([0xff], 8),
      [0, 2, 0],
      ';',
    ),
    'GIF, end in the data only': bytes(GIF, PICTURE.slice(0, -4), '\x03;;;'),
  };
}

import { buildExif } from '../../support/handmadeImages.ts';
import { bytes, directory, entry, repeat, segment, u16, u32, type Piece } from './bytes.ts';

const SOI = '\xff\xd8';
const EOI = '\xff\xd9';
const SCAN = bytes(segment(0xda, [1, 1, 0, 0, 63, 0]), 'data');
const EXIF = 'Exif\0\0';
const TIFF = 'II*\0\x08\0\0\0';

/** Encloses the given body, which need not be a valid image. */
function jpeg(...pieces: readonly Piece[]): Buffer {
  return bytes(SOI, ...pieces, SCAN, EOI);
}

function withExif(...block: readonly Piece[]): Buffer {
  return jpeg(segment(0xe1, EXIF, ...block));
}

/** Hostile EXIF dates, with anything that text can contain. */
export const DATES = [
  '2024:02:29 23:04:59\0../../etc/passwd',
  '2024:02:29 23:04:59/../..',
  '9999:12:31 23:59:59',
  '1900:01:01 00:00:00',
  '0000:00:00 00:00:00',
  '0099:01:01 00:00:00',
  '2024:00:00 00:00:00',
  '2024:02:30 00:00:00',
  '2024:01:01 24:60:60',
  '-001:01:01 00:00:00',
  '1e21:01:01 00:00:00',
  '\x1b[2J\x1b]0;x\x07 23:04:59',
  '2024:02:29\n23:04:59\n',
  '\xe2\x80\xae2024:02:29 23:04',
  '\xff\xfe2\x000\x002\x004\x00:\x00',
  '{captured}${HOME}`id`',
  '\xd9\xa2\xd9\xa0\xd9\xa2\xd9\xa4:\xd9\xa0',
  '__proto__\0constructor',
];

export function hostileJpegs(): Record<string, Buffer> {
  const dates = DATES.map((text, i) => [`JPEG, EXIF date ${i + 1}`, withExif(dated(text))] as const);
  const thumbnail = bytes(SOI, SCAN, EOI);
  return {
    'JPEG, start marker alone': bytes(SOI),
    'JPEG, start marker and a prefix': bytes(SOI, '\xff'),
    'JPEG, nothing between start and end': bytes(SOI, EOI),
    'JPEG, end marker at once after a scan header': bytes(SOI, segment(0xda), EOI),
    'JPEG, a million fill bytes': bytes(SOI, repeat([0xff], 1_000_000)),
    'JPEG, a million fill bytes, then the end': bytes(SOI, SCAN, repeat([0xff], 1_000_000), EOI),
    'JPEG, fill bytes between all segments': jpeg(
      repeat(bytes(repeat([0xff], 500), segment(0xe5, 'x')), 1000),
    ),
    'JPEG, markers without end': bytes(SOI, repeat([0xff, 0xd8], 300_000)),
    'JPEG, restart markers without end': bytes(SOI, SCAN, repeat([0xff, 0xd3], 300_000)),
    'JPEG, stuffed zeros without end': bytes(SOI, SCAN, repeat([0xff, 0], 300_000)),
    'JPEG, reserved markers without end': bytes(SOI, repeat([0xff, 2], 300_000)),
    'JPEG, a hundred thousand empty segments': jpeg(repeat(segment(0xe0), 100_000)),
    'JPEG, a hundred thousand scans': jpeg(repeat(SCAN, 50_000)),
    'JPEG, segment of length 0': bytes(SOI, [0xff, 0xe0, 0, 0], SCAN, EOI),
    'JPEG, segment of length 1': bytes(SOI, [0xff, 0xe0, 0, 1], SCAN, EOI),
    'JPEG, segment that reaches beyond the file': bytes(SOI, [0xff, 0xe1, 0xff, 0xff], EXIF, TIFF),
    'JPEG, segment that ends where the file ends': bytes(SOI, segment(0xe1, EXIF)),
    'JPEG, length cut in two': bytes(SOI, [0xff, 0xe1, 0xff]),
    'JPEG, dimensions of 65,535': jpeg(segment(0xc0, [8], u16(65_535), u16(65_535), [1, 1, 0x11, 0])),
    'JPEG, dimensions of 0': jpeg(segment(0xc2, [8], u16(0), u16(0), [0])),
    'JPEG, end marker in the thumbnail only': bytes(SOI, segment(0xe1, EXIF, buildExif({ thumbnail })), SCAN),
    'JPEG, thumbnail within a thumbnail': jpeg(
      segment(0xe1, EXIF, buildExif({ thumbnail: jpeg(segment(0xe1, EXIF, buildExif({ thumbnail }))) })),
    ),
    'JPEG, EXIF within EXIF': withExif(TIFF, directory([entry(0x8769, 4, 1, 26)]), EXIF, TIFF, directory([])),
    'JPEG, EXIF pointer to itself': withExif(TIFF, directory([entry(0x8769, 4, 1, 8)], 8)),
    'JPEG, EXIF pointer to the pointer': withExif(TIFF, directory([entry(0x8769, 4, 1, 10)], 10)),
    'JPEG, EXIF pointer beyond the file': withExif(
      TIFF,
      directory([entry(0x8769, 4, 1, 0xffff_ffff)], 0xffff_fff0),
    ),
    'JPEG, EXIF pointer of a hundred pointers': withExif(TIFF, directory([entry(0x8769, 4, 100, 8)])),
    'JPEG, EXIF date of 2^32-1 letters': withExif(
      TIFF,
      directory([entry(0x8769, 4, 1, 26)]),
      directory([entry(0x9003, 2, 0xffff_ffff, 0)]),
    ),
    'JPEG, EXIF date at the end of the file': withExif(
      TIFF,
      directory([entry(0x8769, 4, 1, 26)]),
      directory([entry(0x9003, 2, 20, 44 + 15)]),
      'x',
    ),
    'JPEG, EXIF date of numbers': withExif(
      TIFF,
      directory([entry(0x8769, 4, 1, 26)]),
      directory([entry(0x9003, 5, 2, 0)]),
    ),
    'JPEG, EXIF directory of 65,535 entries': withExif(
      TIFF,
      u16(0xffff, 'II'),
      repeat(entry(0x9003, 2, 20, 8), 5000),
    ),
    'JPEG, two thousand EXIF segments': jpeg(repeat(segment(0xe1, EXIF, dated('2024:02:29 23:04:59')), 2000)),
    'JPEG, EXIF split in many segments': jpeg(...split(bytes(EXIF, TIFF, repeat('x', 400_000)), 0xe1, EXIF)),
    'JPEG, XMP split in many segments': jpeg(
      ...split(repeat('<x>', 200_000), 0xe1, 'http://ns.adobe.com/xmp/extension/\0'),
    ),
    'JPEG, XMP nested deep': jpeg(segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', repeat('<a>', 20_000))),
    'JPEG, XMP of entities': jpeg(
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<!DOCTYPE x [<!ENTITY a "', repeat('&a;', 9000), '">]>'),
    ),
    'JPEG, a thousand colour profile parts': jpeg(
      repeat(segment(0xe2, 'ICC_PROFILE\0', [1, 255], 'x'), 1000),
    ),
    'JPEG, MPF pointing to itself': jpeg(
      segment(0xe2, 'MPF\0', TIFF, directory([entry(0xb002, 7, 0xffff_fff0, 8)], 8)),
    ),
    'JPEG, IPTC of odd lengths': jpeg(
      segment(0xed, 'Photoshop 3.0\x008BIM', u16(0x0404), u16(0), u32(0xffff_ffff)),
    ),
    'JPEG, a second image after its end': bytes(
      jpeg(),
      jpeg(segment(0xe1, EXIF, dated('2024:02:29 23:04:59'))),
    ),
    'JPEG, text between segments': bytes(SOI, 'nothing that is a marker', SCAN, EOI),
    'JPEG, a comment full of end markers': bytes(SOI, segment(0xfe, repeat(EOI, 30_000)), SCAN),
    ...Object.fromEntries(dates),
  };
}

/** An EXIF block with the given capture time. */
function dated(text: string): Buffer {
  const content = bytes(text, '\0');
  return bytes(
    TIFF,
    directory([entry(0x8769, 4, 1, 26)]),
    directory([entry(0x9003, 2, content.length, 44)]),
    content,
  );
}

function split(content: Buffer, marker: number, before: Piece): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; at += 60_000)
    parts.push(segment(marker, before, content.subarray(at, at + 60_000)));
  return parts;
}

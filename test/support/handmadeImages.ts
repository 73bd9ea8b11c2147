/** Image files built byte by byte, where the encoder lacks the format or a test needs a certain layout. */
import { deflateSync } from 'node:zlib';

/** Red, green, blue; rows from the top, without padding. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

/** A 24-bit Windows bitmap. */
export function buildBmp({ width, height, data }: Pixels): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  bytes.writeUInt32LE(row * height, 34);
  for (let y = 0; y < height; y += 1) {
    data.copy(bytes, 54 + row * (height - 1 - y), y * width * 3, (y + 1) * width * 3);
  }
  return bytes;
}

export interface TiffLayout {
  readonly pages: readonly Pixels[];
  readonly order?: 'II' | 'MM';
  readonly big?: boolean;
  readonly compression?: 'none' | 'deflate';
  /** Whether a page's directory lies before or after its image data. */
  readonly directory?: 'before' | 'after';
  readonly rowsPerStrip?: number;
  /** In the EXIF of the first page. */
  readonly capturedAt?: Date;
}

/** A TIFF or BigTIFF of several pages and strips. */
export function buildTiff(layout: TiffLayout): Buffer {
  const { pages, order = 'II', big = false, compression = 'none', directory = 'after' } = layout;
  const word = big ? 8 : 4;
  const u16 = (value: number) => number(value, 2, order);
  const long = (value: number) => number(value, word, order);
  const chunks: Buffer[] = [];
  let length = 0;
  const append = (bytes: Buffer): number => {
    const at = length;
    chunks.push(bytes);
    length += bytes.length;
    return at;
  };

  append(Buffer.concat([Buffer.from(order), u16(big ? 43 : 42), ...(big ? [u16(8), u16(0)] : [])]));
  // Pointers to directories are filled in once their offsets are known.
  let pointer = long(0);
  append(pointer);
  const exifAt = length;
  if (layout.capturedAt) {
    // A directory with one string, stored right after it.
    append(Buffer.concat([number(1, big ? 8 : 2, order), u16(0x9003), u16(2), long(20)]));
    append(long(exifAt + (big ? 36 : 18)));
    append(long(0));
    append(Buffer.from(`${exifTime(layout.capturedAt)}\0`));
  }

  for (const [page, { width, height, data }] of pages.entries()) {
    const exif = page === 0 && layout.capturedAt !== undefined;
    const rowsPerStrip = layout.rowsPerStrip ?? height;
    const strips: Buffer[] = [];
    for (let y = 0; y < height; y += rowsPerStrip) {
      const raw = data.subarray(y * width * 3, Math.min(y + rowsPerStrip, height) * width * 3);
      strips.push(compression === 'none' ? raw : deflateSync(raw));
    }
    const stripBytes = strips.reduce((sum, strip) => sum + strip.length, 0);
    const entry = (tag: number, type: number, count: number, value: Buffer) =>
      Buffer.concat([u16(tag), u16(type), long(count), value, Buffer.alloc(word - value.length)]);
    const entries = exif ? 10 : 9;
    const directorySize = (big ? 8 : 2) + entries * (big ? 20 : 12) + word;
    const arraySize = strips.length > 1 ? strips.length * word : 0;

    const start = length;
    const dataAt = directory === 'before' ? start + directorySize + 2 * arraySize : start;
    const directoryAt = directory === 'before' ? start : start + stripBytes;
    const offsetsAt = directoryAt + directorySize;
    const offsets: Buffer[] = [];
    let at = dataAt;
    for (const strip of strips) {
      offsets.push(long(at));
      at += strip.length;
    }
    const sizes = strips.map((strip) => long(strip.length));
    const many = strips.length > 1;
    const wordType = big ? 16 : 4;
    const next = long(0);
    const head = Buffer.concat([
      number(entries, big ? 8 : 2, order),
      entry(256, 3, 1, u16(width)),
      entry(257, 3, 1, u16(height)),
      entry(258, 3, 1, u16(8)),
      entry(259, 3, 1, u16(compression === 'none' ? 1 : 8)),
      entry(262, 3, 1, u16(2)),
      entry(273, wordType, strips.length, many ? long(offsetsAt) : Buffer.concat(offsets)),
      entry(277, 3, 1, u16(3)),
      entry(278, 3, 1, u16(rowsPerStrip)),
      entry(279, wordType, strips.length, many ? long(offsetsAt + arraySize) : Buffer.concat(sizes)),
      ...(exif ? [entry(34665, wordType, 1, long(exifAt))] : []),
    ]);
    if (directory === 'after') append(Buffer.concat(strips));
    long(directoryAt).copy(pointer);
    append(head);
    append(next);
    if (many) append(Buffer.concat([...offsets, ...sizes]));
    if (directory === 'before') append(Buffer.concat(strips));
    pointer = next;
  }
  return Buffer.concat(chunks);
}

/** A one-page PDF with a filled rectangle; `note` is embedded as hex in a comment. */
export function buildPdf(note: string): Buffer {
  const content = `% ${Buffer.from(note).toString('hex')}\n0.5 g 20 20 60 60 re f`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] /Contents 4 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ];
  return appendToPdf(Buffer.from('%PDF-1.4\n'), objects);
}

/** Appends a revision: the objects, numbered from 1, their cross-reference table, and the trailer. */
export function appendToPdf(before: Buffer, objects: readonly string[]): Buffer {
  let text = '';
  const offsets = objects.map((object, i) => {
    const at = before.length + text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = before.length + text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.concat([before, Buffer.from(text, 'latin1')]);
}

export interface HeicLayout {
  readonly picture: Buffer;
  readonly exif?: Buffer | null;
  readonly brands?: readonly string[];
  /** `toEnd`: size 0, to the end of the file; `large`: a 64-bit size. */
  readonly mediaSize?: 'plain' | 'toEnd' | 'large';
  readonly media?: 'before' | 'after';
}

/** A HEIC container whose picture data is not decodable. */
export function buildHeic(layout: HeicLayout): Buffer {
  const {
    picture,
    exif = null,
    brands = ['heic', 'mif1', 'heic'],
    mediaSize = 'plain',
    media = 'after',
  } = layout;
  const [major = 'heic', ...compatible] = brands;
  const ftyp = box('ftyp', Buffer.from(major), number(0, 4, 'MM'), Buffer.from(compatible.join('')));
  const exifItem = exif === null ? null : Buffer.concat([number(0, 4, 'MM'), exif]);
  const items = exifItem === null ? [picture] : [picture, exifItem];
  const body = Buffer.concat(items);
  const mdat =
    mediaSize === 'plain'
      ? box('mdat', body)
      : mediaSize === 'toEnd'
        ? Buffer.concat([number(0, 4, 'MM'), Buffer.from('mdat'), body])
        : Buffer.concat([number(1, 4, 'MM'), Buffer.from('mdat'), number(16 + body.length, 8, 'MM'), body]);
  const header = mdat.length - body.length;

  const meta = (bodyAt: number): Buffer => {
    let at = bodyAt;
    const extents = items.map((item, i) => {
      const extent = [u16(i + 1), u16(0), u16(1), number(at, 4, 'MM'), number(item.length, 4, 'MM')];
      at += item.length;
      return Buffer.concat(extent);
    });
    const infe = (id: number, type: string) =>
      fullBox('infe', 2, u16(id), u16(0), Buffer.from(type), Buffer.from('\0'));
    return fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, number(0, 4, 'MM'), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', 0, u16(1)),
      fullBox('iinf', 0, u16(items.length), infe(1, 'hvc1'), ...(exifItem === null ? [] : [infe(2, 'Exif')])),
      fullBox('iloc', 0, Buffer.from([0x44, 0x00]), u16(items.length), ...extents),
    );
  };
  const metaSize = meta(0).length;
  return media === 'before'
    ? Buffer.concat([ftyp, mdat, meta(ftyp.length + header)])
    : Buffer.concat([ftyp, meta(ftyp.length + metaSize + header), mdat]);
}

/** A block of EXIF (a TIFF of its own), with a capture time, a JPEG thumbnail, or both. */
export function buildExif({ capturedAt, thumbnail }: { capturedAt?: Date; thumbnail?: Buffer }): Buffer {
  const u16le = (value: number) => number(value, 2, 'II');
  const u32le = (value: number) => number(value, 4, 'II');
  const entry = (tag: number, type: number, count: number, value: number) =>
    Buffer.concat([u16le(tag), u16le(type), u32le(count), u32le(value)]);
  // Header 8, first directory 18, EXIF directory 18 and its text 20, second directory 42, thumbnail.
  const exifAt = 26;
  const textAt = 44;
  const secondAt = 64;
  const thumbnailAt = 106;
  const text = Buffer.alloc(20);
  if (capturedAt) text.write(exifTime(capturedAt), 'latin1');
  return Buffer.concat([
    Buffer.from('II*\0'),
    u32le(8),
    u16le(1),
    entry(0x8769, 4, 1, exifAt),
    u32le(thumbnail ? secondAt : 0),
    u16le(1),
    entry(0x9003, 2, 20, textAt),
    u32le(0),
    text,
    ...(thumbnail
      ? [
          u16le(3),
          entry(0x0103, 3, 1, 6),
          entry(0x0201, 4, 1, thumbnailAt),
          entry(0x0202, 4, 1, thumbnail.length),
          u32le(0),
          thumbnail,
        ]
      : []),
  ]);
}

/** `2026:11:21 04:53:00`, local time. */
export function exifTime(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join(':');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

/** Inserts a segment right after the start marker of a JPEG. */
export function insertJpegSegment(jpeg: Buffer, marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const size = content.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([number(size, 4, 'MM'), Buffer.from(type), ...content]);
}

function fullBox(type: string, version: number, ...content: readonly Buffer[]): Buffer {
  return box(type, Buffer.from([version, 0, 0, 0]), ...content);
}

function u16(value: number): Buffer {
  return number(value, 2, 'MM');
}

function number(value: number, width: 2 | 4 | 8, order: 'II' | 'MM'): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  const big = bytes.subarray(8 - width);
  return order === 'MM' ? big : big.reverse();
}

/** Builds hostile files from texts, numbers and bytes. */

export type Piece = string | Uint8Array | readonly number[];

/** Texts are Latin-1. */
export function bytes(...pieces: readonly Piece[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => {
      if (typeof piece === 'string') return Buffer.from(piece, 'latin1');
      return piece instanceof Uint8Array ? piece : Buffer.from(piece);
    }),
  );
}

export function u16(value: number, order: 'II' | 'MM' = 'MM'): Buffer {
  return word(value, 2, order);
}

export function u32(value: number, order: 'II' | 'MM' = 'MM'): Buffer {
  return word(value, 4, order);
}

export function u64(value: number | bigint, order: 'II' | 'MM' = 'MM'): Buffer {
  return word(value, 8, order);
}

/** The low bytes of a number; -1 is all ones. */
export function word(value: number | bigint, width: 1 | 2 | 4 | 8, order: 'II' | 'MM'): Buffer {
  if (width < 8 && typeof value === 'number' && value >= 0) {
    const word = Buffer.alloc(width);
    if (order === 'MM') word.writeUIntBE(value % 2 ** (8 * width), 0, width);
    else word.writeUIntLE(value % 2 ** (8 * width), 0, width);
    return word;
  }
  const all = Buffer.alloc(8);
  all.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)));
  const low = all.subarray(8 - width);
  return order === 'MM' ? low : low.reverse();
}

export function repeat(piece: Piece, times: number): Buffer {
  const once = bytes(piece);
  return Buffer.alloc(once.length * times, once);
}

/** A box of an ISO base media file. */
export function box(type: string, ...content: readonly Piece[]): Buffer {
  const body = bytes(...content);
  return bytes(u32(body.length + 8), type, body);
}

/** A segment of a JPEG with its true length. */
export function segment(marker: number, ...content: readonly Piece[]): Buffer {
  const body = bytes(...content);
  return bytes([0xff, marker], u16(body.length + 2), body);
}

/** A chunk of a PNG. Its CRC is wrong unless given. */
export function chunk(type: string, content: Piece = '', crc = 0): Buffer {
  const body = bytes(content);
  return bytes(u32(body.length), type, body, u32(crc));
}

/** An entry of a TIFF directory. */
export function entry(tag: number, type: number, count: number, value: number): Buffer {
  return bytes(u16(tag, 'II'), u16(type, 'II'), u32(count, 'II'), u32(value, 'II'));
}

/** A TIFF directory, little-endian. */
export function directory(entries: readonly Buffer[], next = 0): Buffer {
  return bytes(u16(entries.length, 'II'), ...entries, u32(next, 'II'));
}

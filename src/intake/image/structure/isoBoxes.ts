/** A box of an ISO base media file (ISO/IEC 14496-12, 4.2). Offsets are bytes from the start of the file. */
export interface IsoBox {
  readonly type: string;
  readonly start: number;
  /** Start of its content. */
  readonly body: number;
  /** May be beyond the end of the file. */
  readonly end: number;
}

/** The boxes between two offsets; ends at bytes that are no box, and after a box that extends beyond `to`. */
export function* boxesIn(bytes: Buffer, from: number, to: number): Generator<IsoBox> {
  let at = from;
  while (at + 8 <= to) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) return;
    let size = bytes.readUInt32BE(at);
    let body = at + 8;
    if (size === 1) {
      if (at + 16 > to) return;
      size = bytes.readUInt32BE(at + 8) * 2 ** 32 + bytes.readUInt32BE(at + 12);
      body = at + 16;
    } else if (size === 0) {
      size = to - at;
    }
    if (at + size < body) return;
    yield { type, start: at, body, end: at + size };
    at += size;
  }
}

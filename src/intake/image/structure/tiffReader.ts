/** Size of a value in bytes, by field type (TIFF 6.0, section 2; BigTIFF adds 16 to 18). */
const TYPE_SIZES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

export interface TiffDirectory {
  /** Number of entries. */
  readonly count: number;
  /** Offset of the first entry. */
  readonly entries: number;
  /** Offset of the next directory; 0 after the last. */
  readonly next: number;
}

export interface TiffField {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** Offsets at which the values begin and end; may be beyond the file. */
  readonly start: number;
  readonly end: number;
}

/** Reads TIFF and BigTIFF, of either byte order. Offsets are bytes from the start of the file. */
export interface Tiff {
  readonly length: number;
  readonly first: number;
  /** Null if it does not fit in the file. */
  directory(at: number): TiffDirectory | null;
  field(directory: TiffDirectory, index: number): TiffField;
  /** An unsigned integer or rational value of a field; 0 for other types and missing values. The field must be within the file. */
  value(field: TiffField, index: number): number;
  byte(at: number): number;
  /** Whether the last four bytes of this range are zero. The range must be within the file. */
  endsInZeros(start: number, length: number): boolean;
}

/** Null if the header is neither TIFF nor BigTIFF. */
export function openTiff(bytes: Buffer): Tiff | null {
  if (bytes.length < 8) return null;
  const little = bytes[0] === 0x49;
  const u16 = (at: number): number => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const u32 = (at: number): number => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  // Values above 2^53 are rounded, but they are out of bounds anyway.
  const u64 = (at: number): number =>
    little ? u32(at) + u32(at + 4) * 2 ** 32 : u32(at) * 2 ** 32 + u32(at + 4);

  const version = u16(2);
  const big = version === 43;
  if (!big && version !== 42) return null;
  if (big && bytes.length < 16) return null;
  const word = big ? 8 : 4;
  const wordAt = big ? u64 : u32;
  const entrySize = big ? 20 : 12;
  const countSize = big ? 8 : 2;

  return {
    length: bytes.length,
    first: wordAt(big ? 8 : 4),
    directory(at) {
      if (at + countSize > bytes.length) return null;
      const count = big ? u64(at) : u16(at);
      const entries = at + countSize;
      const end = entries + count * entrySize;
      if (end + word > bytes.length) return null;
      return { count, entries, next: wordAt(end) };
    },
    field(directory, index) {
      const at = directory.entries + index * entrySize;
      const type = u16(at + 2);
      const count = wordAt(at + 4);
      const size = count * (TYPE_SIZES[type] ?? 0);
      const inline = at + 4 + word;
      const start = size > word ? wordAt(inline) : inline;
      return { tag: u16(at), type, count, start, end: start + size };
    },
    value(field, index) {
      const size = TYPE_SIZES[field.type] ?? 0;
      const at = field.start + index * size;
      if (index >= field.count) return 0;
      switch (field.type) {
        case 1:
          return bytes.readUInt8(at);
        case 3:
          return u16(at);
        case 4:
        case 13:
          return u32(at);
        case 5:
          // A fraction.
          return u32(at) / u32(at + 4) || 0;
        case 16:
        case 18:
          return u64(at);
        default:
          return 0;
      }
    },
    byte: (at) => bytes[at] ?? 0,
    endsInZeros(start, length) {
      const end = start + length;
      for (let at = Math.max(start, end - 4); at < end; at += 1) if (bytes[at] !== 0) return false;
      return true;
    },
  };
}

import type { GapFact } from '../../../core/domain/why.ts';

const FILE_HEADER = 14;
const CORE_HEADER = 12;
/** BI_RGB, BI_BITFIELDS and BI_ALPHABITFIELDS, whose rows have a known length. */
const UNCOMPRESSED: ReadonlySet<number> = new Set([0, 3, 6]);
const HEADER_SIZES: ReadonlySet<number> = new Set([12, 16, 40, 52, 56, 64, 108, 124]);

/** Checks the size of the second header, since a text may begin with "BM", too. A size of 0 is not written yet. */
export function isBmpHeader(bytes: Buffer): boolean {
  if (bytes.length < FILE_HEADER + 4) return false;
  const size = bytes.readUInt32LE(FILE_HEADER);
  return size === 0 || HEADER_SIZES.has(size);
}

/**
 * Describes what a BMP lacks; null if it is as long as its header and its dimensions say.
 *
 * Does not detect zeros in place of pixels that are not written yet, since zero is a colour.
 */
export function bmpGap(bytes: Buffer): GapFact | null {
  const headerSize = bytes.readUInt32LE(FILE_HEADER);
  if (headerSize === 0) return { is: 'header', type: 'bmp' };
  const needed = Math.max(bytes.readUInt32LE(2), pixelsEnd(bytes, headerSize));
  if (needed === 0) return { is: 'header', type: 'bmp' };
  return needed > bytes.length ? { is: 'short', type: 'bmp', has: bytes.length, needs: needed } : null;
}

/** Offset at which the pixels end; 0 if the header does not tell. */
function pixelsEnd(bytes: Buffer, headerSize: number): number {
  if (bytes.length < FILE_HEADER + Math.min(headerSize, 40)) return Number.POSITIVE_INFINITY;
  const pixels = bytes.readUInt32LE(10);
  if (headerSize === CORE_HEADER) {
    return pixels + rows(bytes.readUInt16LE(18), bytes.readUInt16LE(20), bytes.readUInt16LE(24));
  }
  const compression = headerSize < 20 ? 0 : bytes.readUInt32LE(30);
  if (!UNCOMPRESSED.has(compression)) {
    const size = headerSize < 24 ? 0 : bytes.readUInt32LE(34);
    return size === 0 ? 0 : pixels + size;
  }
  return pixels + rows(bytes.readInt32LE(18), bytes.readInt32LE(22), bytes.readUInt16LE(28));
}

/** Size of the pixels in bytes. Rows are padded to four bytes; a negative height means top-down. */
function rows(width: number, height: number, bitsPerPixel: number): number {
  return Math.ceil((Math.abs(width) * bitsPerPixel) / 32) * 4 * Math.abs(height);
}

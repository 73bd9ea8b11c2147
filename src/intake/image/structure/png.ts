import type { GapFact } from '../../../core/domain/why.ts';

const SIGNATURE_LENGTH = 8;
const MAX_CHUNK = 0x7fff_ffff;
/** The CRC of IEND, always the same since the chunk is empty; a file of preallocated zeros has zeros there. */
const IEND_CRC = 0xae42_6082;

/**
 * Describes what a PNG lacks; null if it is complete, with image data and an IEND chunk with its CRC (PNG specification,
 * section 5). Other CRCs are not checked, so that images from sloppy writers are not held back.
 */
export function pngGap(bytes: Buffer): GapFact | null {
  let imageData = 0;
  let at = SIGNATURE_LENGTH;
  // A chunk is length, type, data, CRC.
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (length > MAX_CHUNK || !/^[A-Za-z]{4}$/.test(type)) {
      return { is: 'noBlock', type: 'png', at };
    }
    if (type === 'IDAT') imageData += length;
    if (type === 'IEND') {
      if (length !== 0 || bytes.readUInt32BE(at + 8) !== IEND_CRC) {
        return { is: 'endCut', at };
      }
      return imageData > 0 ? null : { is: 'imageMissing', type: 'png', at };
    }
    at += 12 + length;
  }
  return { is: 'endMissing', type: 'png', has: bytes.length };
}

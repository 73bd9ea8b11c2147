import { counted } from '../../../core/domain/words.ts';

const SIGNATURE_LENGTH = 8;
const MAX_CHUNK = 0x7fff_ffff;
/** The CRC of IEND, always the same since the chunk is empty; a file of preallocated zeros has zeros there. */
const IEND_CRC = 0xae42_6082;

/**
 * Describes what a PNG lacks; null if it is complete, with image data and an IEND chunk with its CRC (PNG specification,
 * section 5). Other CRCs are not checked, so that images from sloppy writers are not held back.
 */
export function pngGap(bytes: Buffer): string | null {
  let imageData = 0;
  let at = SIGNATURE_LENGTH;
  // A chunk is length, type, data, CRC.
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (length > MAX_CHUNK || !/^[A-Za-z]{4}$/.test(type)) {
      return `the PNG is damaged or not fully written: no chunk at byte ${at}`;
    }
    if (type === 'IDAT') imageData += length;
    if (type === 'IEND') {
      if (length !== 0 || bytes.readUInt32BE(at + 8) !== IEND_CRC) {
        return `the PNG end chunk at byte ${at} is not fully written`;
      }
      return imageData > 0 ? null : `the PNG has no image data before its end chunk at byte ${at}`;
    }
    at += 12 + length;
  }
  return `the PNG end chunk is missing after ${counted(bytes.length, 'byte')}`;
}

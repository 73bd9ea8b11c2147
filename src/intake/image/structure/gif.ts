import type { GapFact } from '../../../core/domain/why.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Describes what a GIF lacks; null if it is complete, with an image and the trailer (GIF89a, sections 17 to 27). */
export function gifGap(bytes: Buffer): GapFact | null {
  let images = 0;
  let at = 13 + colourTable(bytes[10]);
  while (at < bytes.length) {
    switch (bytes.readUInt8(at)) {
      // Some encoders leave stray zeros between blocks.
      case 0x00:
        at += 1;
        break;
      case EXTENSION:
        at = afterSubBlocks(bytes, at + 2);
        break;
      case IMAGE:
        // Descriptor, local colour table, code size, then the data.
        at = afterSubBlocks(bytes, at + 10 + colourTable(bytes[at + 9]) + 1);
        images += 1;
        break;
      case TRAILER:
        return images > 0 ? null : { is: 'imageMissing', type: 'gif', at };
      default:
        return { is: 'noBlock', type: 'gif', at };
    }
  }
  return { is: 'endMissing', type: 'gif', has: bytes.length };
}

/** Size in bytes of the colour table that a packed field announces. */
function colourTable(packed: number | undefined): number {
  if (packed === undefined || (packed & 0x80) === 0) return 0;
  return 3 * 2 ** ((packed & 0x07) + 1);
}

/** Offset after the sub-blocks that begin at `at`; at or beyond the end of the file if they are cut off. */
function afterSubBlocks(bytes: Buffer, at: number): number {
  for (;;) {
    const size = bytes[at];
    if (size === undefined) return bytes.length;
    at += 1 + size;
    if (size === 0) return at;
  }
}

import { factsOf, type ImageType } from '../../core/domain/imageType.ts';
import type { ImageInspector } from '../../core/ports/image.ts';
import { capturedAt } from './capturedAt.ts';
import { hashHere, type Hash } from './hashing.ts';
import { identify } from './identify.ts';
import { bmpGap } from './structure/bmp.ts';
import type { Doubt } from './structure/doubt.ts';
import { gifGap } from './structure/gif.ts';
import { heicGap } from './structure/heic.ts';
import { jpegGap } from './structure/jpeg.ts';
import { pdfGap } from './structure/pdf.ts';
import { isTurned } from './orientation.ts';
import { pngGap } from './structure/png.ts';
import { tiffGap } from './structure/tiff.ts';
import { tiffPages } from './structure/tiffPages.ts';
import { webpGap } from './structure/webp.ts';
import type { GapFact } from '../../core/domain/why.ts';

/** Describes what a file of this type lacks; null if it is complete. Never throws on hostile bytes. */
type FindGap = (bytes: Buffer) => GapFact | Doubt | null;

const GAPS: Readonly<Record<ImageType, FindGap>> = {
  jpeg: jpegGap,
  png: pngGap,
  tiff: tiffGap,
  webp: webpGap,
  gif: gifGap,
  bmp: bmpGap,
  heic: heicGap,
  pdf: pdfGap,
};

/** `hash` computes SHA-256; by default in this thread. */
export function createImageInspector(hash: Hash = hashHere): ImageInspector {
  return {
    sha256: hash,
    async inspect(bytes) {
      const buffer = asBuffer(bytes);
      const identified = await identify(buffer);
      if (identified.type === null) return identified;
      const { type } = identified;
      const gap = GAPS[type](buffer);
      if (gap !== null) {
        if ('is' in gap) return { type, structure: 'incomplete', detail: gap };
        return { type, structure: 'incomplete', detail: gap.doubt, isDoubtful: true };
      }
      const pages = type === 'tiff' ? tiffPages(buffer).length : 1;
      return {
        type,
        structure: 'complete',
        ...(hasHole(buffer, type) && { hasHole: true }),
        ...(pages > 1 && { pages }),
      };
    },
    isTurned: (jpeg) => isTurned(asBuffer(jpeg)),
    capturedAt: (bytes, type) => Promise.resolve(capturedAt(asBuffer(bytes), type)),
  };
}

/** Zeros in a row that are more likely bytes that are not written yet than image data, such as black pixels. */
const HOLE = Buffer.alloc(1024);
/** So many of them have a whole word at each such distance: other words need not be looked at. */
const STRIDE = 512;

function hasHole(bytes: Buffer, type: ImageType): boolean {
  let end = bytes.length;
  if (factsOf(type).hasEnd) while (end > 0 && bytes[end - 1] === 0) end -= 1;
  for (let at = 0; at + STRIDE <= end; at += STRIDE) {
    if (bytes.readUInt32LE(at) !== 0) continue;
    // Whatever holds this word begins and ends less than a hole away.
    if (bytes.subarray(Math.max(0, at - HOLE.length), Math.min(end, at + HOLE.length)).includes(HOLE))
      return true;
  }
  return false;
}

/** Views the same memory; a copy would double the memory of a large scan. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

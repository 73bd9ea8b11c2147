import { endsInZeros } from './zeros.ts';
import { counted } from '../../../core/domain/words.ts';

const IMAGE_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ANMF']);

/**
 * Describes what a WebP lacks; null if the RIFF container is complete and holds an image that does not end in zeros.
 */
export function webpGap(bytes: Buffer): string | null {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return `the WebP has ${counted(bytes.length, 'byte')} of ${counted(end, 'byte')}`;
  let images = 0;
  let at = 12;
  while (at + 8 <= end) {
    const type = bytes.toString('latin1', at, at + 4);
    // Some writers end a type that is too short with zeros.
    if (!/^[\x20-\x7e][\0\x20-\x7e]{3}$/.test(type))
      return `the WebP is damaged or not fully written: no chunk at byte ${at}`;
    const size = bytes.readUInt32LE(at + 4);
    if (at + 8 + size > end) return `the WebP is damaged: a chunk at byte ${at} reaches beyond its end`;
    if (IMAGE_CHUNKS.has(type) && size > 0) {
      if (endsInZeros(bytes, at + 8 + size))
        return `the WebP image data at byte ${at + 8} is not fully written`;
      images += 1;
    }
    at += 8 + size + (size % 2);
  }
  return images > 0 ? null : 'the WebP has no image data yet';
}

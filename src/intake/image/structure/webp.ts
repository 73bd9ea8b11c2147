import { endsInZeros } from './zeros.ts';
import type { GapFact } from '../../../core/domain/why.ts';

const IMAGE_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ANMF']);

/**
 * Describes what a WebP lacks; null if the RIFF container is complete and holds an image that does not end in zeros.
 */
export function webpGap(bytes: Buffer): GapFact | null {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return { is: 'short', type: 'webp', has: bytes.length, needs: end };
  let images = 0;
  let at = 12;
  while (at + 8 <= end) {
    const type = bytes.toString('latin1', at, at + 4);
    // Some writers end a type that is too short with zeros.
    if (!/^[\x20-\x7e][\0\x20-\x7e]{3}$/.test(type)) return { is: 'noBlock', type: 'webp', at };
    const size = bytes.readUInt32LE(at + 4);
    if (at + 8 + size > end) return { is: 'boxBeyond', type: 'webp', at };
    if (IMAGE_CHUNKS.has(type) && size > 0) {
      if (endsInZeros(bytes, at + 8 + size)) return { is: 'dataCut', type: 'webp', at: at + 8 };
      images += 1;
    }
    at += 8 + size + (size % 2);
  }
  return images > 0 ? null : { is: 'noData', type: 'webp', has: bytes.length };
}

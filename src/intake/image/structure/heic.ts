import { ilocGap } from './heicItems.ts';
import { boxesIn, type IsoBox } from './isoBoxes.ts';
import type { GapFact } from '../../../core/domain/why.ts';

/** The boxes to remember; a file may have millions of other types. */
const LOOKED_AT: ReadonlySet<string> = new Set(['meta', 'moov', 'mdat']);

/**
 * Describes what a HEIC or HEIF lacks; null if its boxes lie within the file and hold every extent that the item
 * locations name (ISO/IEC 14496-12, 8.11), or, for a sequence, a movie and its data.
 *
 * Detects zeros in place of the end of an item, not those within it.
 */
export function heicGap(bytes: Buffer): GapFact | null {
  const boxes = new Map<string, IsoBox>();
  let end = 0;
  for (const box of boxesIn(bytes, 0, bytes.length)) {
    if (box.end > bytes.length) return { is: 'short', type: 'heic', has: bytes.length, needs: box.end };
    if (LOOKED_AT.has(box.type) && !boxes.has(box.type)) boxes.set(box.type, box);
    end = box.end;
  }
  // Bytes after the last box are padding, or a box that is not written yet; in that case an extent points there.
  const meta = boxes.get('meta');
  if (meta !== undefined) return metaGap(bytes, meta, end);
  if (boxes.has('moov') && boxes.has('mdat')) return null;
  return { is: 'noData', type: 'heic', has: bytes.length };
}

function metaGap(bytes: Buffer, meta: IsoBox, end: number): GapFact | null {
  // A full box: version and flags come before the boxes in it.
  for (const box of boxesIn(bytes, meta.body + 4, meta.end)) {
    if (box.end > meta.end) return { is: 'boxBeyond', type: 'heic', at: box.body };
    if (box.type === 'iloc') return ilocGap(bytes, box, end);
  }
  return { is: 'notPlaced', type: 'heic' };
}

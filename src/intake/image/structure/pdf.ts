import type { Doubt } from './doubt.ts';
import type { GapFact } from '../../../core/domain/why.ts';

/** PDF readers look for the header in the first 1,024 bytes and for the end in the last. */
const WINDOW = 1024;
const END = '%%EOF';
const SPACE = 0x20;

/**
 * Describes what a PDF lacks; null if its last revision ends as ISO 32000-1, 7.5.5 requires: `startxref`, an offset
 * within the file, `%%EOF`. Ignores padding after that, and the garbage that PDF readers ignore.
 *
 * Does not detect a revision that is yet to be appended, which is why a PDF always gets the long quiet time.
 */
export function pdfGap(bytes: Buffer): GapFact | Doubt | null {
  const announced = linearizedLength(bytes);
  if (announced !== null && announced > bytes.length) {
    return { is: 'short', type: 'pdf', has: bytes.length, needs: announced };
  }
  let end = bytes.length;
  while (end > 0 && bytes.readUInt8(end - 1) <= SPACE) end -= 1;

  const tail = bytes.toString('latin1', Math.max(0, end - 2 * WINDOW), end);
  const mark = tail.lastIndexOf(END);
  const after = tail.slice(mark + END.length);
  if (mark === -1 && /startxref[\s\d]*$/.test(tail)) return { doubt: { is: 'pdfEndMissing' } };
  if (mark === -1 || after.length > WINDOW) return { is: 'endMissing', type: 'pdf', has: bytes.length };
  if (/^\s*(\d|xref)/.test(after)) return { is: 'pdfGoesOn' };

  const offset = /startxref\s+(\d{1,15})\s+$/.exec(tail.slice(0, mark))?.[1];
  // The offset is 0 in the first part of a linearized file, which is not its end.
  const detail = { is: 'pdfTableMissing' } as const;
  if (offset !== undefined && Number(offset) === 0) return detail;
  return offset === undefined || Number(offset) >= end ? { doubt: detail } : null;
}

/** The length that a linearized file states in its first object (ISO 32000-1, annex F); null for other files. */
function linearizedLength(bytes: Buffer): number | null {
  const head = bytes.toString('latin1', 0, WINDOW);
  const length = head.includes('/Linearized') ? /\/L\s+(\d{1,15})/.exec(head)?.[1] : undefined;
  return length === undefined ? null : Number(length);
}

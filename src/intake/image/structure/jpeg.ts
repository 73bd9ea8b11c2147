import type { GapFact } from '../../../core/domain/why.ts';

const SOF0 = 0xc0;
const SOF1 = 0xc1;
const RST0 = 0xd0;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const FIRST_WITH_LENGTH = 0xc0;
const END = Buffer.from([0xff, EOI]);

/**
 * Describes what a JPEG lacks; null if it is complete, with an end marker after at least one scan (ITU-T T.81,
 * annex B). Segments are skipped by their length, since a thumbnail inside EXIF has its own end marker.
 *
 * Does not detect a gap of zeros inside a scan if the end marker was written before it was filled.
 */
export function jpegGap(bytes: Buffer): GapFact | null {
  let scans = 0;
  /** Number of components of a sequential frame, which may have all of them in one scan; -1 if unknown. */
  let components = -1;
  let at = 2;
  for (;;) {
    // Finds the next marker, with or without entropy-coded data before it.
    const prefix = bytes.indexOf(0xff, at);
    if (prefix === -1) break;
    let code = prefix + 1;
    while (bytes[code] === 0xff) code += 1;
    const marker = bytes[code];
    if (marker === undefined) break;
    at = code + 1;

    if (marker === EOI) {
      return scans > 0 ? null : { is: 'imageMissing', type: 'jpeg', at: code - 1 };
    }
    if (standsAlone(marker)) continue;

    const length = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : null;
    if (length === null) break;
    if (length < 2) return { is: 'emptySegment', at: code - 1 };
    const segment = at;
    at += length;
    if (at > bytes.length) break;
    if (marker === SOF0 || marker === SOF1) components = bytes[segment + 7] ?? -1;
    if (marker !== SOS) continue;
    scans += 1;
    // The scan has all components of a sequential frame, so only its data and the end marker follow. Searching for the end
    // marker backwards avoids visiting thousands of stuffed zeros.
    if (bytes[segment + 2] === components) {
      if (bytes.lastIndexOf(END) < at) break;
      return null;
    }
  }
  return { is: 'endMissing', type: 'jpeg', has: bytes.length };
}

/** Whether no length follows: stuffed zeros, restart markers, and reserved codes, which decoders skip as noise. */
function standsAlone(marker: number): boolean {
  return marker < FIRST_WITH_LENGTH || (marker >= RST0 && marker <= SOI);
}

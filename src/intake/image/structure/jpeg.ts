import { bytesText } from './bytesText.ts';

const SOF0 = 0xc0;
const SOF1 = 0xc1;
const RST0 = 0xd0;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const FIRST_WITH_LENGTH = 0xc0;
const END = Buffer.from([0xff, EOI]);

/**
 * What a JPEG lacks; null when it is complete: an end marker that follows at least one scan (ITU-T T.81,
 * annex B). Segments are skipped by their length, since a thumbnail inside EXIF has an end marker of its own.
 *
 * Not to be told: a hole of zeros inside a scan, when the end marker was written before it.
 */
export function jpegGap(bytes: Buffer): string | null {
  let scans = 0;
  /** Of a frame that may be one scan. */
  let components = -1;
  let at = 2;
  for (;;) {
    // Finds the next marker, whether what lies before it is entropy-coded data or nothing at all.
    const prefix = bytes.indexOf(0xff, at);
    if (prefix === -1) break;
    let code = prefix + 1;
    while (bytes[code] === 0xff) code += 1;
    const marker = bytes[code];
    if (marker === undefined) break;
    at = code + 1;

    if (marker === EOI) {
      return scans > 0 ? null : `the JPEG has no image data before its end marker at byte ${code - 1}`;
    }
    if (standsAlone(marker)) continue;

    const length = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : null;
    if (length === null) break;
    if (length < 2) return `the JPEG is damaged or not fully written: an empty segment at byte ${code - 1}`;
    const segment = at;
    at += length;
    if (at > bytes.length) break;
    if (marker === SOF0 || marker === SOF1) components = bytes[segment + 7] ?? -1;
    if (marker !== SOS) continue;
    scans += 1;
    // All of a sequential frame in one scan: only its data follow, in which no marker but restarts can stand, and the end.
    // That is looked for where it lies, from behind; from marker to marker, there would be thousands of stuffed zeros.
    if (bytes[segment + 2] === components) {
      if (bytes.lastIndexOf(END) < at) break;
      return null;
    }
  }
  return `the JPEG end marker is missing after ${bytesText(bytes.length)}`;
}

/** Stuffed zeros, restart markers, and codes that are reserved, hence noise that decoders pass over. */
function standsAlone(marker: number): boolean {
  return marker < FIRST_WITH_LENGTH || (marker >= RST0 && marker <= SOI);
}

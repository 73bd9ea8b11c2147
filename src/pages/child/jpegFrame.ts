import { isTurned } from '../../intake/image/orientation.ts';
import { jpegGap } from '../../intake/image/structure/jpeg.ts';

/** Markers of ITU-T T.81, table B.1. Frames with Huffman coding: baseline, extended, progressive. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
const HUFFMAN_TABLES = 0xc4;
const SCAN = 0xda;
const QUANTIZATION_TABLES = 0xdb;
const RESTART_INTERVAL = 0xdd;
const APPLICATION = { first: 0xe0, profile: 0xe2, adobe: 0xee, last: 0xef };
const COMMENT = 0xfe;
const PROFILE = 'ICC_PROFILE\0';
const ADOBE = 'Adobe';
/** In the Adobe segment, after version and flags: the colours are YCbCr. Greyscale says 0. */
const YCBCR = 1;

export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  readonly components: 1 | 3;
  /** Whether its colours are greyscale, or YCbCr as every JPEG without remarks, so that all programs show the same. */
  readonly isPlain: boolean;
}

/**
 * The frame of a complete JPEG of eight bits with one or three components. Null for others: not all programs show CMYK, and PDF viewers
 * ignore the orientation, while others apply it. Reads the header only: opening a decoder takes as long as all the rest of a page.
 */
export function jpegFrame(jpeg: Buffer): JpegFrame | null {
  if (jpegGap(jpeg) !== null || isTurned(jpeg)) return null;
  let frame: Omit<JpegFrame, 'isPlain'> | null = null;
  let isPlain = true;
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff;) {
    const marker = jpeg[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === SCAN) return frame && { ...frame, isPlain };
    const [start, end] = [at + 4, at + 2 + jpeg.readUInt16BE(at + 2)];
    const isNamed = (name: string): boolean => jpeg.toString('latin1', start, start + name.length) === name;
    if (FRAMES.has(marker)) {
      if (frame !== null || end < start + 6 || jpeg[start] !== 8) return null;
      const [height, width] = [jpeg.readUInt16BE(start + 1), jpeg.readUInt16BE(start + 3)];
      const components = jpeg[start + 5];
      if (width === 0 || height === 0 || (components !== 1 && components !== 3)) return null;
      // Named R, G and B, they may be just that.
      isPlain &&= components === 1 || jpeg[start + 6] !== 0x52;
      frame = { width, height, components };
    } else if (marker === APPLICATION.profile && isNamed(PROFILE)) isPlain = false;
    else if (marker === APPLICATION.adobe && isNamed(ADOBE)) isPlain &&= jpeg[start + 11] === YCBCR;
    else if (
      ![HUFFMAN_TABLES, QUANTIZATION_TABLES, RESTART_INTERVAL, COMMENT].includes(marker) &&
      (marker < APPLICATION.first || marker > APPLICATION.last)
    )
      return null;
    at = end;
  }
  return null;
}

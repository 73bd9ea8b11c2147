import type { ImageType } from '../../../core/domain/imageType.ts';
import { heicExif } from './heic.ts';

/** Some writers put this name before the EXIF data, of which it is no part. */
const NAME = 'Exif\0\0';
const APP1 = 0xe1;
const SOS = 0xda;

/**
 * The EXIF blocks of a file, each a complete TIFF, in file order. They share the file's memory and do not overlap, so reading
 * all of them takes at most time proportional to the file's size.
 */
export function* exifBlocks(bytes: Buffer, type: ImageType): Generator<Buffer> {
  switch (type) {
    case 'tiff':
      yield bytes;
      break;
    case 'jpeg':
      yield* inSegments(bytes);
      break;
    case 'png':
      yield* inChunks(bytes);
      break;
    case 'webp':
      yield* inRiff(bytes);
      break;
    case 'heic': {
      const block = heicExif(bytes);
      if (block !== null) yield block;
      break;
    }
    case 'gif':
    case 'bmp':
    case 'pdf':
      break;
    default:
      throw new Error(`no EXIF of ${String(type satisfies never)}`);
  }
}

/** EXIF 2.32, 4.7.2: in APP1 segments before the image data. */
function* inSegments(bytes: Buffer): Generator<Buffer> {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === SOS) return;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (marker === APP1 && isNamed(bytes, at + 4)) yield bytes.subarray(at + 4 + NAME.length, end);
    if (end < at + 4) return;
    at = end;
  }
}

/** PNG specification, third edition, 11.3.4.4. */
function* inChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'eXIf') {
      yield bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    }
  }
}

function* inRiff(bytes: Buffer): Generator<Buffer> {
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32LE(at + 4);
    const body = at + 8;
    if (bytes.toString('latin1', at, at + 4) === 'EXIF') {
      yield bytes.subarray(isNamed(bytes, body) ? body + NAME.length : body, body + size);
    }
    at = body + size + (size % 2);
  }
}

/** The last byte of the name is not always zero. */
function isNamed(bytes: Buffer, at: number): boolean {
  return bytes.toString('latin1', at, at + 5) === NAME.slice(0, 5);
}

import { factsOf, IMAGE_TYPES, type ImageType } from '../../core/domain/imageType.ts';
import type { Inspection } from '../../core/ports/image.ts';
import { find } from './exif/find.ts';
import { openTiff } from './structure/tiffReader.ts';
import { isBmpHeader } from './structure/bmp.ts';
import type { ContentFact } from '../../core/domain/why.ts';

type Unidentified = Extract<Inspection, { readonly type: null }>;
export type Identified = { readonly type: ImageType } | Unidentified;

const typeDetectedAs = (name: string): ImageType | undefined =>
  IMAGE_TYPES.find((type) => factsOf(type).detectedAs.includes(name));

/** First bytes of types that file-type can't identify while the file is incomplete. */
const SIGNATURES: readonly (readonly [start: string, type: ImageType])[] = [
  ['\xff\xd8\xff', 'jpeg'],
  ['\x89PNG\r\n\x1a\n', 'png'],
  ['II*\0', 'tiff'],
  ['MM\0*', 'tiff'],
  ['II+\0', 'tiff'],
  ['MM\0+', 'tiff'],
];

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** The marker that follows the start of a JPEG-LS. */
const JPEG_LS = 0xf7;

/** First bytes of the other types. */
const OTHER_STARTS: readonly (readonly [start: string, type: ImageType])[] = [
  ['GIF', 'gif'],
  ['RIFF', 'webp'],
  ['BM', 'bmp'],
];
/** Unsupported types of images and scanned pages, as file-type calls them. */
const OTHER_IMAGES: ReadonlySet<string> = new Set(
  'avif jls jp2 jpx jpm jxl jxr psd eps ps flif bpg dng cr2 cr3 nef arw orf raf rw2 j2c'.split(' '),
);
/** Raw files of cameras that file-type takes any TIFF of a certain form for, and the maker that these name. */
const GUESSED_RAW: Readonly<Record<string, RegExp>> = { nef: /^nikon/i, arw: /^sony/i };
const MAKE = 271;
/** PDF readers look for the header within this many bytes. */
const PDF_WINDOW = 1024;

const HEIC_BRANDS: ReadonlySet<string> = new Set([
  'heic',
  'heix',
  'heim',
  'heis',
  'hevc',
  'hevx',
  'hevm',
  'hevs',
]);
/** Brands that do not tell how the image is encoded. */
const HEIF_BRANDS: ReadonlySet<string> = new Set(['mif1', 'mif2', 'msf1']);
const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis']);
/** Number of first bytes that are compared: those needed to recognize a BMP. */
const LONGEST_SIGNATURE = 18;
/** Shorter content is not called text, since the first bytes of an image being written may look like it. */
const SHORTEST_TEXT = 12;
const SAMPLE = 4096;

/** Identifies the content as one of our image types; else resolves what it is in `detail`. */
export async function identify(bytes: Buffer): Promise<Identified> {
  if (bytes.length === 0) return { type: null, detail: { is: 'empty' }, content: 'unknown' };
  if (isHeic(bytes)) return { type: 'heic' };
  const plain = plainTypeOf(bytes);
  if (plain !== null) return { type: plain };
  const guess = await nameOf(bytes);
  const known =
    guess !== undefined && GUESSED_RAW[guess] !== undefined && !isOfCamera(bytes, GUESSED_RAW[guess])
      ? 'tif'
      : guess;
  const type = known === undefined ? signatureOf(bytes) : typeDetectedAs(known);
  if (type === 'heic') return { type: null, detail: { is: 'other', type: 'AVIF' }, content: 'image' };
  if (type !== undefined) {
    const believed = beginsAs(bytes, type) && (type !== 'bmp' || isBmpHeader(bytes));
    return believed ? { type } : unknown(bytes);
  }
  if (hasPdfHeader(bytes)) return { type: 'pdf' };
  if (known === undefined) return unknown(bytes);
  const content = OTHER_IMAGES.has(known) ? 'image' : 'file';
  return { type: null, detail: { is: 'other', type: known.toUpperCase() }, content };
}

/**
 * Recognizes JPEG and PNG without file-type, which takes as long as everything else together. The result is the same:
 * file-type calls any file with the start of a JPEG `jpg`, except for one marker. A file with a PNG's signature it calls `png`
 * or `apng`, or it fails on damaged chunks, and then the signature decides (`detectConfident` in its core.js).
 */
function plainTypeOf(bytes: Buffer): ImageType | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff)
    return bytes[3] === JPEG_LS ? null : 'jpeg';
  return bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) ? 'png' : null;
}

async function nameOf(bytes: Buffer): Promise<string | undefined> {
  // Loaded on demand: most commands never inspect an image.
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    return (await fileTypeFromBuffer(bytes))?.ext;
  } catch {
    // Hostile or truncated content; the signature decides.
    return undefined;
  }
}

function signatureOf(bytes: Buffer): ImageType | undefined {
  const start = bytes.toString('latin1', 0, LONGEST_SIGNATURE);
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1];
}

/** Whether a TIFF says that it was made by a camera of this make. */
function isOfCamera(bytes: Buffer, make: RegExp): boolean {
  const tiff = openTiff(bytes);
  const field = tiff && find(tiff, tiff.first, MAKE);
  return field ? make.test(bytes.toString('latin1', field.start, field.end)) : false;
}

/** Whether a PDF begins within the first bytes, at the beginning of a line. */
function hasPdfHeader(bytes: Buffer): boolean {
  return /(?:^|[\r\n])%PDF-\d/.test(bytes.toString('latin1', 0, PDF_WINDOW));
}

/** Whether the file itself begins like that type. file-type skips a byte order mark and ID3 tags first; no decoder does. */
function beginsAs(bytes: Buffer, type: ImageType): boolean {
  if (type === 'pdf') return bytes.toString('latin1', 0, PDF_WINDOW).includes('%PDF');
  const start = bytes.toString('latin1', 0, LONGEST_SIGNATURE);
  return [...SIGNATURES, ...OTHER_STARTS].some(([each, its]) => its === type && start.startsWith(each));
}

/** Checks the brands (ISO/IEC 23008-12, annex B): file-type knows only some, and takes an AVIF with brand `mif1` for HEIC. */
function isHeic(bytes: Buffer): boolean {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return false;
  const size = Math.min(bytes.readUInt32BE(0), bytes.length, SAMPLE);
  const major = bytes.toString('latin1', 8, 12);
  if (HEIC_BRANDS.has(major)) return true;
  if (!HEIF_BRANDS.has(major)) return false;
  let avif = false;
  for (let at = 16; at + 4 <= size; at += 4) {
    const brand = bytes.toString('latin1', at, at + 4);
    if (HEIC_BRANDS.has(brand)) return true;
    if (AVIF_BRANDS.has(brand)) avif = true;
  }
  return !avif;
}

function unknown(bytes: Buffer): Unidentified {
  const tell = (detail: ContentFact, content: Unidentified['content'] = 'unknown'): Unidentified => ({
    type: null,
    detail,
    content,
  });
  if (bytes.subarray(0, LONGEST_SIGNATURE).every((byte) => byte === 0)) return tell({ is: 'zeros' });
  if (bytes.length >= SHORTEST_TEXT && looksLikeText(bytes)) return tell({ is: 'text' }, 'text');
  if (bytes.length < LONGEST_SIGNATURE)
    return tell({ is: 'tooShort', bytes: bytes.length }, shortContent(bytes));
  return tell({ is: 'unknown' });
}

/** Content too short for a scan; `text`, if readable as such, is not reported to people. */
function shortContent(bytes: Buffer): Unidentified['content'] {
  return /^[\t\n\r\x20-\x7e]*$/.test(bytes.toString('latin1')) ? 'text' : 'unknown';
}

/** Whether it has no control characters other than white space and escape. */
function looksLikeText(bytes: Buffer): boolean {
  return /^[^\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]*$/.test(bytes.toString('latin1', 0, SAMPLE));
}

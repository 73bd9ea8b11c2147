import { openTiff, type TiffDirectory, type Tiff } from './tiffReader.ts';

const NEW_SUBFILE_TYPE = 254;
const SUBFILE_TYPE = 255;
const BITS_PER_SAMPLE = 258;
const COMPRESSION = 259;
const PHOTOMETRIC = 262;
const X_RESOLUTION = 282;
const Y_RESOLUTION = 283;
const PLANES = 284;
const TILES = 324;
const EXTRA_SAMPLES = 338;
const SAMPLE_FORMAT = 339;
const SUBSAMPLING = 530;
/** Bits of a reduced-resolution version and of a transparency mask (TIFF 6.0, section 8). */
const NO_PAGE = 0b101;
/** Value of the older tag for a reduced-resolution version. */
const REDUCED = 2;
const MOST_DIRECTORIES = 65_536;

export interface TiffPage {
  /** Index of its directory, from 0. */
  readonly place: number;
  /** Values of its tags (TIFF 6.0), the first of each; 0 if there is none. */
  readonly bits: number;
  readonly compression: number;
  readonly photometric: number;
  readonly planes: number;
  readonly extraSamples: number;
  readonly sampleFormat: number;
  readonly subsampling: number;
  readonly isTiled: boolean;
  /** Pixels in a unit of length, across and down; 0 if unknown. */
  readonly across: number;
  readonly down: number;
}

/** The directories of a TIFF that are pages, not thumbnails or masks. In a damaged file, only those before the damage. */
export function tiffPages(bytes: Buffer): readonly TiffPage[] {
  const tiff = openTiff(bytes);
  if (tiff === null) return [];
  const pages: TiffPage[] = [];
  const seen = new Set<number>();
  let at = tiff.first;
  for (let place = 0; at !== 0 && !seen.has(at) && place < MOST_DIRECTORIES; place += 1) {
    seen.add(at);
    const directory = tiff.directory(at);
    if (directory === null) break;
    const value = valuesOf(tiff, directory);
    const isPage = (value(NEW_SUBFILE_TYPE) & NO_PAGE) === 0 && value(SUBFILE_TYPE) !== REDUCED;
    if (isPage)
      pages.push({
        place,
        bits: value(BITS_PER_SAMPLE),
        compression: value(COMPRESSION),
        photometric: value(PHOTOMETRIC),
        planes: value(PLANES),
        extraSamples: value(EXTRA_SAMPLES),
        sampleFormat: value(SAMPLE_FORMAT),
        subsampling: value(SUBSAMPLING),
        isTiled: value(TILES) > 0,
        across: value(X_RESOLUTION),
        down: value(Y_RESOLUTION),
      });
    at = directory.next;
  }
  return pages;
}

/** The first value of each field; 0 if there is none. */
function valuesOf(tiff: Tiff, directory: TiffDirectory): (tag: number) => number {
  const values = new Map<number, number>();
  for (let index = 0; index < directory.count; index += 1) {
    const field = tiff.field(directory, index);
    if (READ.has(field.tag) && field.end <= tiff.length) values.set(field.tag, tiff.value(field, 0));
  }
  return (tag) => values.get(tag) ?? 0;
}

const READ = new Set([
  NEW_SUBFILE_TYPE,
  SUBFILE_TYPE,
  BITS_PER_SAMPLE,
  COMPRESSION,
  PHOTOMETRIC,
  X_RESOLUTION,
  Y_RESOLUTION,
  PLANES,
  TILES,
  EXTRA_SAMPLES,
  SAMPLE_FORMAT,
  SUBSAMPLING,
]);

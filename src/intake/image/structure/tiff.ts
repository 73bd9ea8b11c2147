import type { Doubt } from './doubt.ts';
import { openTiff, type TiffField, type Tiff } from './tiffReader.ts';
import type { GapFact } from '../../../core/domain/why.ts';

const COMPRESSION = 259;
const SUB_DIRECTORIES = 330;
/** Tags with the offsets and the lengths of image data: for strips, for tiles, and for old-style JPEG data. */
const PIECES: readonly (readonly [offsets: number, lengths: number])[] = [
  [273, 279],
  [324, 325],
  [513, 514],
];
/** CCITT, LZW, JPEG and Deflate: their data never ends in four zeros, so zeros are a gap. */
const NEVER_ENDS_IN_ZEROS: ReadonlySet<number> = new Set([2, 3, 4, 5, 7, 8, 32_946]);

/**
 * Describes what a TIFF or BigTIFF lacks; null if every directory of its chain, every value, and every strip and
 * tile lies within the file (TIFF 6.0, section 2).
 *
 * Does not detect zeros in place of uncompressed pixels whose directory was written first; zeros in place of
 * descriptive values (resolution, texts); or a page that is yet to be appended, which is why a TIFF always
 * gets the long quiet time.
 */
export function tiffGap(bytes: Buffer): GapFact | Doubt | null {
  const tiff = openTiff(bytes);
  if (tiff === null) return { is: 'header', type: 'tiff' };
  if (tiff.first === 0) return { is: 'directoryMissing', has: bytes.length };

  const walk: TiffWalk = { tiff, pending: [tiff.first], pieces: 0, doubt: null, budget: 2 * bytes.length };
  // Detects circles by remembering one directory, moved at doubling distances (Brent): a set of all could exceed the file's size.
  let landmark = -1;
  for (let visited = 1, move = 1; ; visited += 1) {
    const at = walk.pending.pop();
    if (at === undefined) break;
    if (at === landmark) return { is: 'circle' };
    if (visited === move) {
      landmark = at;
      move *= 2;
    }
    const gap = directoryGap(walk, at);
    if (gap !== null && 'is' in gap) return gap;
    // Another directory may lack something for certain.
    walk.doubt ??= gap;
  }
  return walk.pieces > 0 ? walk.doubt : { is: 'noData', type: 'tiff', has: bytes.length };
}

interface TiffWalk {
  readonly tiff: Tiff;
  readonly pending: number[];
  pieces: number;
  doubt: Doubt | null;
  /**
   * Bytes of entries and values that may still be read. In an honest file they do not overlap, apart from values stored inside
   * their entries; without a budget, a hostile file could make the walk quadratic.
   */
  budget: number;
}

/** Minimum size of an entry and of a value, in bytes. */
const ENTRY = 12;
const VALUE = 4;
/** Cap on directories waiting to be visited; an honest page has only a few subdirectories. */
const MOST_PENDING = 65_536;

const OVERLAP: GapFact = { is: 'overlap' };

function directoryGap(walk: TiffWalk, at: number): GapFact | Doubt | null {
  const { tiff } = walk;
  const directory = tiff.directory(at);
  if (directory === null) {
    return { is: 'directoryBeyond', at, has: tiff.length };
  }
  if (directory.count === 0) return { is: 'directoryEmpty', at };
  if (!spend(walk, directory.count * ENTRY)) return OVERLAP;

  const fields = new Map<number, TiffField>();
  for (let i = 0; i < directory.count; i += 1) {
    const field = tiff.field(directory, i);
    if (field.type === 0) return { is: 'directoryCut', at };
    if (field.end > tiff.length) {
      return { is: 'valueBeyond', end: field.end, has: tiff.length };
    }
    fields.set(field.tag, field);
  }
  if (directory.next !== 0) walk.pending.push(directory.next);

  const below = fields.get(SUB_DIRECTORIES);
  if (below !== undefined) {
    if (!spend(walk, below.count * VALUE) || walk.pending.length + below.count > MOST_PENDING) return OVERLAP;
    for (let i = 0; i < below.count; i += 1) walk.pending.push(tiff.value(below, i));
  }
  return piecesGap(walk, fields);
}

function piecesGap(walk: TiffWalk, fields: ReadonlyMap<number, TiffField>): GapFact | Doubt | null {
  const { tiff } = walk;
  const compression = fields.get(COMPRESSION);
  const scheme = compression === undefined ? 0 : tiff.value(compression, 0);
  for (const [offsetsTag, lengthsTag] of PIECES) {
    const offsets = fields.get(offsetsTag);
    if (offsets === undefined) continue;
    const lengths = fields.get(lengthsTag);
    if (!spend(walk, offsets.count * VALUE)) return OVERLAP;
    for (let i = 0; i < offsets.count; i += 1) {
      const start = tiff.value(offsets, i);
      const length = lengths === undefined ? 0 : tiff.value(lengths, i);
      if (start === 0 || start >= tiff.length) return { is: 'dataCut', type: 'tiff', at: start };
      if (length === 0) {
        // Decoders then read on from the offset.
        walk.doubt ??= { doubt: { is: 'lengthMissing', type: 'tiff' } };
        walk.pieces += 1;
        continue;
      }
      if (start + length > tiff.length) {
        return { is: 'dataBeyond', type: 'tiff', end: start + length, has: tiff.length };
      }
      if (
        NEVER_ENDS_IN_ZEROS.has(scheme) &&
        tiff.endsInZeros(start, length) &&
        !(scheme === GROUP_4 && endsInMark(tiff, start, length))
      ) {
        return { is: 'dataCut', type: 'tiff', at: start };
      }
      walk.pieces += 1;
    }
  }
  return null;
}

/**
 * Whether fax data of Group 4, padded with zeros by some scanners, has the mark at its end: twice 000000000001 (ITU-T T.6, 2.4.1),
 * at any bit.
 */
function endsInMark(tiff: Tiff, start: number, length: number): boolean {
  let end = start + length;
  while (end > start && tiff.byte(end - 1) === 0) end -= 1;
  if (end - start < MARK_BYTES) return false;
  let bits = 0;
  for (let at = end - MARK_BYTES; at < end; at += 1) bits = bits * 256 + tiff.byte(at);
  while (bits % 2 === 0) bits /= 2;
  return bits % 2 ** 24 === MARK;
}

const GROUP_4 = 4;
const MARK = 0x00_10_01;
/** The mark may begin within a byte. */
const MARK_BYTES = 4;

function spend(walk: TiffWalk, amount: number): boolean {
  walk.budget -= amount;
  return walk.budget >= 0;
}

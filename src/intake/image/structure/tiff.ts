import { bytesText } from './bytesText.ts';
import { openTiff, type Field, type Tiff } from './tiffReader.ts';

const COMPRESSION = 259;
const SUB_DIRECTORIES = 330;
/** Where image data begins, and how long each piece is: strips, tiles, and JPEG data of the old kind. */
const PIECES: readonly (readonly [offsets: number, lengths: number])[] = [
  [273, 279],
  [324, 325],
  [513, 514],
];
/** CCITT, LZW, JPEG, Deflate: data of these never ends in four zeros, so that zeros are a gap. */
const NEVER_ENDS_IN_ZEROS: ReadonlySet<number> = new Set([2, 3, 4, 5, 7, 8, 32_946]);

/**
 * What a TIFF or BigTIFF lacks; null when every directory of its chain, every value, and every strip and
 * tile lies within the file (TIFF 6.0, section 2).
 *
 * Not to be told: zeros in place of uncompressed pixels whose directory was written first; zeros in place of
 * descriptive values (resolution, texts); and a page that is yet to be appended, which is why a TIFF always
 * gets the long quiet time.
 */
export function tiffGap(bytes: Buffer): string | null {
  const tiff = openTiff(bytes);
  if (tiff === null) return 'the TIFF header is not fully written';
  if (tiff.first === 0) return `the TIFF directory is not written yet after ${bytesText(bytes.length)}`;

  const walk: Walk = { tiff, pending: [tiff.first], pieces: 0, budget: 2 * bytes.length };
  // To remember every directory would take more memory than the file does; one, ever later, is met again in any circle.
  let landmark = -1;
  for (let visited = 1, move = 1; ; visited += 1) {
    const at = walk.pending.pop();
    if (at === undefined) break;
    if (at === landmark) return 'the TIFF is damaged: its directories run in a circle';
    if (visited === move) {
      landmark = at;
      move *= 2;
    }
    const gap = directoryGap(walk, at);
    if (gap !== null) return gap;
  }
  return walk.pieces > 0 ? null : 'the TIFF has no image data yet';
}

interface Walk {
  readonly tiff: Tiff;
  readonly pending: number[];
  pieces: number;
  /**
   * Bytes of entries and values that may still be read. Those of an honest file do not overlap, apart from values that
   * stand in their entries; a hostile one could make the walk quadratic.
   */
  budget: number;
}

/** The least that an entry takes, and a value. */
const ENTRY = 12;
const VALUE = 4;
/** Directories that wait for their turn; an honest page has a handful below it. */
const MOST_PENDING = 65_536;

const OVERLAP = 'the TIFF is damaged: its directories overlap';

function directoryGap(walk: Walk, at: number): string | null {
  const { tiff } = walk;
  const directory = tiff.directory(at);
  if (directory === null) {
    return `the TIFF is incomplete: a page's directory at byte ${at} does not fit in ${bytesText(tiff.length)}`;
  }
  if (directory.count === 0) return `the TIFF directory at byte ${at} is not written yet`;
  if (!spend(walk, directory.count * ENTRY)) return OVERLAP;

  const fields = new Map<number, Field>();
  for (let i = 0; i < directory.count; i += 1) {
    const field = tiff.field(directory, i);
    if (field.type === 0) return `the TIFF directory at byte ${at} is not fully written`;
    if (field.end > tiff.length) {
      return `the TIFF is incomplete: a value should end at byte ${field.end}, the file has ${bytesText(tiff.length)}`;
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

function piecesGap(walk: Walk, fields: ReadonlyMap<number, Field>): string | null {
  const { tiff } = walk;
  const compression = fields.get(COMPRESSION);
  const zerosAreGap = compression !== undefined && NEVER_ENDS_IN_ZEROS.has(tiff.value(compression, 0));
  for (const [offsetsTag, lengthsTag] of PIECES) {
    const offsets = fields.get(offsetsTag);
    if (offsets === undefined) continue;
    const lengths = fields.get(lengthsTag);
    if (lengths === undefined || lengths.count < offsets.count) {
      return 'the TIFF is damaged: it does not say how long its image data is';
    }
    if (!spend(walk, offsets.count * VALUE)) return OVERLAP;
    for (let i = 0; i < offsets.count; i += 1) {
      const start = tiff.value(offsets, i);
      const length = tiff.value(lengths, i);
      if (start === 0 || length === 0) return 'the TIFF image data is not fully written';
      if (start + length > tiff.length) {
        return `the TIFF is incomplete: image data should end at byte ${start + length}, the file has ${bytesText(tiff.length)}`;
      }
      if (zerosAreGap && tiff.endsInZeros(start, length)) {
        return `the TIFF image data at byte ${start} is not fully written`;
      }
      walk.pieces += 1;
    }
  }
  return null;
}

function spend(walk: Walk, amount: number): boolean {
  walk.budget -= amount;
  return walk.budget >= 0;
}

import type { TiffField, Tiff } from '../structure/tiffReader.ts';

/** Cap on blocks per file: an honest file has one, or two by mistake; a hostile one may have thousands. */
export const MOST_BLOCKS = 100;

/** The first field with this tag whose values lie within the block. */
export function find(tiff: Tiff, at: number, tag: number): TiffField | null {
  const directory = tiff.directory(at);
  if (directory === null) return null;
  for (let i = 0; i < directory.count; i += 1) {
    const field = tiff.field(directory, i);
    if (field.tag === tag && field.end <= tiff.length) return field;
  }
  return null;
}

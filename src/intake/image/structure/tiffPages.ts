import { openTiff } from './tiffReader.ts';

const NEW_SUBFILE_TYPE = 254;
/** Bits of a reduced-resolution version and of a transparency mask (TIFF 6.0, section 8). */
const NO_PAGE = 0b101;
const MOST_DIRECTORIES = 65_536;

/** Indexes, from 0, of the directories of a TIFF that are pages. In a damaged file, only those before the damage. */
export function tiffPages(bytes: Buffer): readonly number[] {
  const tiff = openTiff(bytes);
  if (tiff === null) return [];
  const pages: number[] = [];
  const seen = new Set<number>();
  let at = tiff.first;
  for (let place = 0; at !== 0 && !seen.has(at) && place < MOST_DIRECTORIES; place += 1) {
    seen.add(at);
    const directory = tiff.directory(at);
    if (directory === null) break;
    let kind = 0;
    for (let index = 0; index < directory.count; index += 1) {
      const field = tiff.field(directory, index);
      if (field.tag !== NEW_SUBFILE_TYPE) continue;
      if (field.end <= tiff.length) kind = tiff.value(field, 0);
      break;
    }
    if ((kind & NO_PAGE) === 0) pages.push(place);
    at = directory.next;
  }
  return pages;
}

import { openTiff } from './structure/tiffReader.ts';
import { exifBlocks } from './exif/blocks.ts';
import { find, MOST_BLOCKS } from './exif/find.ts';

/** EXIF 2.32, 4.6.4: 1 is upright, 2 to 8 are mirrored or turned; other values are undefined. */
const ORIENTATION = 0x0112;
const UPRIGHT = 1;
const LAST = 8;

/** Whether the first orientation in this JPEG says that it is not upright. */
export function isTurned(jpeg: Buffer): boolean {
  let blocks = 0;
  for (const block of exifBlocks(jpeg, 'jpeg')) {
    blocks += 1;
    if (blocks > MOST_BLOCKS) break;
    const tiff = openTiff(block);
    const field = tiff && find(tiff, tiff.first, ORIENTATION);
    if (!tiff || !field) continue;
    const value = tiff.value(field, 0);
    return value > UPRIGHT && value <= LAST;
  }
  return false;
}

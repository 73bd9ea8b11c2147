import type { ImageType } from '../../core/domain/imageType.ts';
import { exifBlocks } from './exif/blocks.ts';
import { openTiff } from './structure/tiffReader.ts';
import { find, MOST_BLOCKS } from './exif/find.ts';

const EXIF_DIRECTORY = 0x8769;
/** DateTimeOriginal, when the photograph was taken; DateTimeDigitized, when it was scanned. */
const TAGS = [0x9003, 0x9004] as const;
const ASCII = 2;
const LENGTH = '2026:11:21 04:53:00'.length;

/**
 * The capture time from the image's EXIF data, as local time; null if missing or implausible. Not by exifreader, which reads
 * every tag without a limit: a hostile TIFF of 50 MB took 31 s and 2.3 GB.
 */
export function capturedAt(bytes: Buffer, type: ImageType): Date | null {
  let blocks = 0;
  for (const block of exifBlocks(bytes, type)) {
    blocks += 1;
    if (blocks > MOST_BLOCKS) break;
    const tiff = openTiff(block);
    const pointer = tiff && find(tiff, tiff.first, EXIF_DIRECTORY);
    if (!pointer) continue;
    const directory = tiff.value(pointer, 0);
    for (const tag of TAGS) {
      const field = find(tiff, directory, tag);
      const date =
        field?.type === ASCII ? parse(block.toString('latin1', field.start, field.start + LENGTH)) : null;
      if (date !== null) return date;
    }
  }
  return null;
}

/** `2026:11:21 04:53:00` (EXIF 2.32, 4.6.5); null if it is no valid date, such as the zeros of a camera without a clock. */
function parse(text: string): Date | null {
  const match = /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
  if (year < 1900 || hours > 23 || minutes > 59 || seconds > 59) return null;
  const date = new Date(year, month - 1, day, hours, minutes, seconds);
  return date.getMonth() === month - 1 && date.getDate() === day ? date : null;
}

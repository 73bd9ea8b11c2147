import type { ImageType } from '../domain/imageType.ts';

/** Types that carry EXIF and that the reader knows. */
const CARRIERS: ReadonlySet<ImageType> = new Set<ImageType>(['jpeg', 'tiff', 'png', 'webp', 'heic']);
/** The moment of the photograph; for a scan, the moment it was scanned. */
const TAGS = ['DateTimeOriginal', 'DateTimeDigitized'] as const;

/** The capture time that the image carries, as local date and time; null without a plausible one. */
export async function capturedAt(bytes: Buffer, type: ImageType): Promise<Date | null> {
  if (!CARRIERS.has(type)) return null;
  // Only templates with {captured} need it.
  const { default: ExifReader } = await import('exifreader');
  try {
    const { exif } = ExifReader.load(bytes, { expanded: true, includeTags: { exif: [...TAGS] } });
    for (const tag of TAGS) {
      const date = parse(exif?.[tag]?.description);
      if (date !== null) return date;
    }
  } catch {
    // No EXIF, or one that can't be read.
  }
  return null;
}

/** `2026:11:21 04:53:00` (EXIF 2.32, 4.6.5); null for a date that is none, such as the zeros of a camera without a clock. */
function parse(text: unknown): Date | null {
  const match = typeof text === 'string' ? /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text) : null;
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
  if (year < 1900 || hours > 23 || minutes > 59 || seconds > 59) return null;
  const date = new Date(year, month - 1, day, hours, minutes, seconds);
  return date.getMonth() === month - 1 && date.getDate() === day ? date : null;
}

/** What the bytes of a file say of it, where they are of no type that the agent knows. `unread`: nobody looked. */
export type Content = 'image' | 'text' | 'file' | 'unknown' | 'unread';

/** How images and PDFs are called, also those of types that the agent can't send. */
const IMAGE_ENDINGS: ReadonlySet<string> = new Set(
  (
    'jpg jpeg jpe jfif jif png apng tif tiff webp gif bmp dib heic heif hif avif pdf ' +
    'jp2 jpx j2k jpf jxl jxr wdp psd eps djvu djv svg xps oxps ' +
    'dng cr2 cr3 nef arw orf raf rw2 pbm pgm ppm pnm pcx tga'
  ).split(' '),
);

/** How files are called that hold no receipt, whatever is in them. */
const OTHER_ENDINGS: ReadonlySet<string> = new Set(
  (
    'txt log md rtf ini cfg conf inf json xml yaml yml csv tsv htm html url lnk desktop ' +
    'db sqlite bak old lock pid dat tmp exe dll msi sys bat cmd ps1 sh jar iso img ' +
    'zip 7z rar gz tgz bz2 xz tar mp3 wav m4a ogg flac mp4 mov avi mkv wmv mpg mpeg webm ' +
    'doc docx xls xlsx ppt pptx odt ods odp ics vcf ttf otf'
  ).split(' '),
);

/** Without the dot, in lower case; empty where the name has none. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** What macOS leaves beside each file on a share bears the file's ending. */
const BESIDE = /(?:^|\/)\._[^/]*$/;

function isNamedLikeAnImage(path: string): boolean {
  return IMAGE_ENDINGS.has(endingOf(path)) && !BESIDE.test(path);
}

/**
 * Whether a file that can't be sent may be somebody's receipt. With the benefit of the doubt: by its content, by its
 * name, or because neither says what it is.
 */
export function mayBeReceipt(path: string, content: Content): boolean {
  if (isNamedLikeAnImage(path) || content === 'image') return true;
  if (content === 'text' || content === 'file') return false;
  return !OTHER_ENDINGS.has(endingOf(path)) && !BESIDE.test(path);
}

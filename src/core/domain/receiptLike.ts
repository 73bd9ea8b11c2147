import { factsOf, IMAGE_TYPES } from './imageType.ts';

/** Rough kind of a file of unknown type, by its bytes. `unread`: not examined. */
export type Content = 'image' | 'text' | 'file' | 'unknown' | 'unread';

/** File extensions of images and PDFs, including types that the agent can't send. */
const IMAGE_ENDINGS: ReadonlySet<string> = new Set([
  ...IMAGE_TYPES.flatMap((type) => factsOf(type).endings),
  ...(
    'avif jp2 jpx j2k jpf jxl jxr wdp psd eps djvu djv svg xps oxps ' +
    'dng cr2 cr3 nef arw orf raf rw2 pbm pgm ppm pnm pcx tga'
  ).split(' '),
]);

/** File extensions that never contain receipts, whatever the content. */
const OTHER_ENDINGS: ReadonlySet<string> = new Set(
  (
    'txt log md rtf ini cfg conf inf json xml yaml yml csv tsv htm html url lnk desktop ' +
    'db sqlite bak old lock pid dat tmp exe dll msi sys bat cmd ps1 sh jar iso img ' +
    'zip 7z rar gz tgz bz2 xz tar mp3 wav m4a ogg flac mp4 mov avi mkv wmv mpg mpeg webm ' +
    'doc docx xls xlsx ppt pptx odt ods odp ics vcf ttf otf'
  ).split(' '),
);

/** Extension without the dot, in lower case; empty if there is none. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The `._` files that macOS writes next to files on shares, with the same extension. */
const BESIDE = /(?:^|\/)\._[^/]*$/;

export function isNamedLikeAnImage(path: string): boolean {
  return IMAGE_ENDINGS.has(endingOf(path)) && !BESIDE.test(path);
}

/**
 * Whether a file that can't be sent may be a receipt: by its content, by its name, or, if in doubt, because
 * neither tells what it is.
 */
export function mayBeReceipt(path: string, content: Content): boolean {
  if (isNamedLikeAnImage(path) || content === 'image') return true;
  if (content === 'text' || content === 'file') return false;
  return !OTHER_ENDINGS.has(endingOf(path)) && !BESIDE.test(path);
}

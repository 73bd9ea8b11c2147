import { escapeUnsafe, replaceUnsafe, withoutUnseen } from './escape.ts';
import { pageOf } from './pages.ts';
import { local, size } from './words.ts';

/** Why a file can't be sent and needs a person at the scanner. */
export interface Amiss {
  readonly state: 'rejected' | 'incomplete' | 'unreadable' | 'failed';
  /** A code listed in docs/documents.md. */
  readonly reason: string;
  readonly message: string;
}

/** Limit on quoted service messages: they can be long, and are meant for administrators. */
const WORDS = 300;

/**
 * Plain text that old Windows editors can read: with a byte order mark and CRLF. File names are untrusted: escaped so
 * that a name can't start a new line or reverse the reading direction.
 */
export function attentionText(path: string, bytes: number, amiss: Amiss, at: number): string {
  const [what, advice] = sayings(amiss, bytes);
  const lines = [
    `${escapeUnsafe(withoutUnseen(inWords(path)))} was not sent. ${what}`,
    advice,
    'This note disappears automatically once that file is removed or replaced with a good one. You may delete it.',
    `${local(at)} [${amiss.reason}]`,
  ];
  return `\u{feff}${lines.join('\r\n')}\r\n`;
}

/** Describes a page by the name of its file. */
function inWords(path: string): string {
  const page = pageOf(path);
  return page === null ? path : `${page.file}, page ${page.page}`;
}

const ASK = 'ask the person who looks after receiptd';

function sayings({ state, reason, message }: Amiss, bytes: number): readonly [what: string, advice: string] {
  switch (state) {
    case 'failed':
      return [
        message.startsWith('The service refused')
          ? short(message)
          : `The service refused it: ${short(message)}`,
        `Scan the receipt again. If it is refused again, ${ASK}.`,
      ];
    case 'incomplete':
      return reason === 'EMPTY'
        ? ['The file is empty.', 'Scan the receipt again and delete the empty file.']
        : ['The file is incomplete.', 'Scan the receipt again, and delete this file.'];
    case 'unreadable':
      return reason === 'NAME_NOT_UTF8'
        ? [
            'The file name has characters that cannot be read.',
            'Rename the file: letters, digits and hyphens always work.',
          ]
        : [
            'The file cannot be opened.',
            `Close the program that has it open. If that does not help, ${ASK}.`,
          ];
    case 'rejected':
      return rejected(reason, bytes);
  }
}

function rejected(reason: string, bytes: number): readonly [what: string, advice: string] {
  switch (reason) {
    case 'TOO_LARGE':
      return [
        `The file is too large (${size(bytes)}).`,
        'Scan the receipt again at a lower resolution, such as 300 dpi.',
      ];
    case 'PDF_NOT_ACCEPTED':
      return [
        'PDFs are not sent from this folder.',
        `Scan the receipt again as a JPEG. If PDFs should be sent, ${ASK}.`,
      ];
    case 'ENCRYPTED':
      return ['The file is password-protected.', 'Save it without a password and put it back in the folder.'];
    case 'FONT_MISSING':
      return [
        'The file lacks a font, so some of its text would be missing.',
        'Open it, print it to a new PDF in this folder, and delete this file.',
      ];
    case 'PORTFOLIO':
      return [
        'The file is a PDF portfolio: it contains other files, which are not sent.',
        'Open it, save the files that it contains into this folder, and delete this file.',
      ];
    case 'XFA_FORM':
      return [
        'The file is a form that only Adobe programs can show.',
        'Open it in Adobe Reader, print it to a new PDF in this folder, and delete this file.',
      ];
    case 'UNSUPPORTED':
      return [
        'The file is a TIFF of an unusual kind that cannot be read.',
        'Open it, save it as a JPEG in this folder, and delete this file.',
      ];
    case 'PAGES_NOT_SENT':
      return [
        'Some or all pages of this file cannot be sent.',
        'Open the file, scan the pages that were not sent again, and delete this file.',
      ];
    case 'BLANK':
      return ['The page looks blank.', 'If it is a receipt, scan it again; otherwise delete it.'];
    case 'TOO_DARK':
      return [
        'The image is too dark to read.',
        `Scan the receipt again. If it does not get any better, ${ASK}.`,
      ];
    case 'TOO_SMALL':
      return [
        'The resolution is too low to read the image.',
        `Scan the receipt again at a higher resolution. If it does not get any better, ${ASK}.`,
      ];
    case 'BLURRED':
      return ['The image is blurred.', `Scan the receipt again. If it does not get any better, ${ASK}.`];
    case 'SCANNED_BEFORE':
      return [
        'It looks like a receipt that has already been scanned.',
        `If it is the same receipt, delete the file. If it is a different one, ${ASK}.`,
      ];
    case 'TOO_MANY_PAGES':
    case 'TOO_DEAR':
      return [
        'The file is too large or too complicated to be read.',
        'Scan the receipts again, a few in each file.',
      ];
    case 'BYTES_GONE':
      return ['The file disappeared before all of its pages were read.', 'Scan the receipts again.'];
    case 'TYPE_UNKNOWN':
    case 'TYPE_NOT_ACCEPTED':
      return [
        'Files of this kind are not sent from this folder.',
        `Scan the receipt again as a JPEG. If this kind of file should be sent, ${ASK}.`,
      ];
    default:
      return [
        'It is not an image, or it is damaged.',
        'Scan the receipt again. If it is not a receipt, move it to another folder.',
      ];
  }
}

function short(message: string): string {
  const line = escapeUnsafe(withoutUnseen(message.replace(/[\s\p{Cc}]+/gu, ' ').trim()));
  return line.length <= WORDS ? line : `${line.slice(0, WORDS)}...`;
}

const NAME_BYTES = 255;
export const NOTE_ENDING = ' - why.txt';
/** Leaves space for the suffix that makes a name unique. */
const ROOM = NAME_BYTES - NOTE_ENDING.length - ' (0a1b2c3d)'.length;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** The file's base name, made valid on every operating system. */
export function safeName(path: string): string {
  const words = inWords(path);
  const name = replaceUnsafe(withoutUnseen(words.slice(words.lastIndexOf('/') + 1)))
    .replace(/[<>:"\\|?*]/g, '_')
    .replace(/[. ]+$/, '');
  const whole = name === '' || name.startsWith('.') || DEVICE.test(name) ? `_${name}` : name;
  const dot = whole.lastIndexOf('.');
  const ending = dot > 0 && whole.length - dot <= 10 ? whole.slice(dot) : '';
  const stem = Array.from(ending === '' ? whole : whole.slice(0, -ending.length));
  const encoder = new TextEncoder();
  let used = encoder.encode(whole).length;
  while (used > ROOM) used -= encoder.encode(stem.pop() ?? '').length;
  return stem.join('') + ending;
}

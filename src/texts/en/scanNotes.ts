import type { Format } from '../format.ts';

const ASK = 'ask the person who looks after receiptd';
const AGAIN = `Scan the receipt again. If it does not get any better, ${ASK}.`;

/** The notes beside scans that were not sent: for people at the scanner, who see no settings. */
export function scanNotesTexts(format: Format) {
  const tooComplex = {
    what: 'The file is too large or too complicated to be read.',
    cure: 'Scan the receipts again, a few in each file.',
  };
  const notThisKind = {
    what: 'Files of this kind are not sent from this folder.',
    cure: `Scan the receipt again as a JPEG. If this kind of file should be sent, ${ASK}.`,
  };
  return {
    scanNotes: {
      notSent: (file: string) => `${file} was not sent.`,
      page: (file: string, page: number) => `${file}, page ${page}`,
      disappears:
        'This note disappears automatically once that file is removed or replaced with a good one. You may delete it.',
      /** `words`: the agent's account of the service's answer. */
      refused: (words: string) => ({
        what: `The service refused it: ${words}`,
        cure: `Scan the receipt again. If it is refused again, ${ASK}.`,
      }),
      /** By reason, or by state for other reasons. */
      reasons: (bytes: number) => ({
        EMPTY: { what: 'The file is empty.', cure: 'Scan the receipt again and delete the empty file.' },
        incomplete: {
          what: 'The file is incomplete.',
          cure: 'Scan the receipt again, and delete this file.',
        },
        NAME_NOT_UTF8: {
          what: 'The file name has characters that cannot be read.',
          cure: 'Rename the file: letters, digits and hyphens always work.',
        },
        unreadable: {
          what: 'The file cannot be opened.',
          cure: `Close the program that has it open. If that does not help, ${ASK}.`,
        },
        TOO_LARGE: {
          what: `The file is too large (${format.bytes(bytes)}).`,
          cure: 'Scan the receipt again at a lower resolution, such as 300 dpi.',
        },
        PDF_NOT_ACCEPTED: {
          what: 'PDFs are not sent from this folder.',
          cure: `Scan the receipt again as a JPEG. If PDFs should be sent, ${ASK}.`,
        },
        ENCRYPTED: {
          what: 'The file is password-protected.',
          cure: 'Save it without a password and put it back in the folder.',
        },
        FONT_MISSING: {
          what: 'The file lacks a font, so some of its text would be missing.',
          cure: 'Open it, print it to a new PDF in this folder, and delete this file.',
        },
        PORTFOLIO: {
          what: 'The file is a PDF portfolio: it contains other files, which are not sent.',
          cure: 'Open it, save the files that it contains into this folder, and delete this file.',
        },
        XFA_FORM: {
          what: 'The file is a form that only Adobe programs can show.',
          cure: 'Open it in Adobe Reader, print it to a new PDF in this folder, and delete this file.',
        },
        UNSUPPORTED: {
          what: 'The file is a TIFF of an unusual kind that cannot be read.',
          cure: 'Open it, save it as a JPEG in this folder, and delete this file.',
        },
        PAGES_NOT_SENT: {
          what: 'Some or all pages of this file cannot be sent.',
          cure: 'Open the file, scan the pages that were not sent again, and delete this file.',
        },
        BLANK: {
          what: 'The page looks blank.',
          cure: 'If it is a receipt, scan it again; otherwise delete it.',
        },
        TOO_DARK: { what: 'The image is too dark to read.', cure: AGAIN },
        TOO_SMALL: {
          what: 'The resolution is too low to read the image.',
          cure: `Scan the receipt again at a higher resolution. If it does not get any better, ${ASK}.`,
        },
        BLURRED: { what: 'The image is blurred.', cure: AGAIN },
        SCANNED_BEFORE: {
          what: 'It looks like a receipt that has already been scanned.',
          cure: `If it is the same receipt, delete the file. If it is a different one, ${ASK}.`,
        },
        TOO_MANY_PAGES: tooComplex,
        TOO_DEAR: tooComplex,
        BYTES_GONE: {
          what: 'The file disappeared before all of its pages were read.',
          cure: 'Scan the receipts again.',
        },
        TYPE_UNKNOWN: notThisKind,
        TYPE_NOT_ACCEPTED: notThisKind,
        rejected: {
          what: 'It is not an image, or it is damaged.',
          cure: 'Scan the receipt again. If it is not a receipt, move it to another folder.',
        },
      }),
    },
  };
}

import { counted } from './words.ts';

/** Number of documents or files that need a person for the same reason. */
export interface Need {
  readonly state: string;
  readonly reason?: string | undefined;
  readonly count: number;
}

interface Words {
  /** After a number: `3 too large`. */
  readonly short: string;
  readonly one: string;
  readonly many: string;
  readonly advice: string;
}

/** By state, or by the reason of a file, most urgent first. */
const WORDS: Readonly<Record<string, Words>> = {
  failed: {
    short: 'failed',
    one: 'document was refused by the service',
    many: 'documents were refused by the service',
    advice: 'Read the message, then run `receiptd retry NAME`.',
  },
  unconfirmed: {
    short: 'unconfirmed',
    one: 'document may or may not have reached the service',
    many: 'documents may or may not have reached the service',
    advice: 'Look them up there, then run `receiptd retry NAME`.',
  },
  lost: {
    short: 'lost',
    one: 'document was lost before it could be sent',
    many: 'documents were lost before they could be sent',
    advice: 'Scan the receipt again. It gets the same name.',
  },
  TOO_LARGE: {
    short: 'too large',
    one: 'file is too large to be sent',
    many: 'files are too large to be sent',
    advice: 'Scan at a lower resolution, or raise `maxFileSize`.',
  },
  PDF_NOT_ACCEPTED: {
    short: 'PDF',
    one: 'PDF was not sent, because its folder does not accept PDFs',
    many: 'PDFs were not sent, because their folder does not accept PDFs',
    advice: 'Set `pages: split` for the folder, and run `receiptd check` to see whether pages can be split.',
  },
  ENCRYPTED: {
    short: 'password-protected',
    one: 'file is password-protected',
    many: 'files are password-protected',
    advice: 'Save the file without a password.',
  },
  FONT_MISSING: {
    short: 'font missing',
    one: 'file lacks a font, so it would be sent without some of its text',
    many: 'files lack fonts, so they would be sent without some of their text',
    advice: 'Open the file and print it to a new PDF.',
  },
  PORTFOLIO: {
    short: 'PDF portfolio',
    one: 'file is a PDF portfolio, whose files are not sent',
    many: 'files are PDF portfolios, whose files are not sent',
    advice: 'Save the files that the portfolio contains into the folder.',
  },
  XFA_FORM: {
    short: 'form for Adobe programs',
    one: 'file is a form that only Adobe programs can show',
    many: 'files are forms that only Adobe programs can show',
    advice: 'Open the file in Adobe Reader and print it to a new PDF.',
  },
  UNSUPPORTED: {
    short: 'unusual TIFF',
    one: 'file is a TIFF of an unusual kind that can’t be read',
    many: 'files are TIFFs of an unusual kind that can’t be read',
    advice: 'Open the file and save it as a JPEG.',
  },
  PAGES_NOT_SENT: {
    short: "with pages that can't be sent",
    one: "file has pages that can't be sent",
    many: "files have pages that can't be sent",
    advice: 'Scan those pages again.',
  },
  BLANK: {
    short: 'blank',
    one: 'file looks blank and was not sent',
    many: 'files look blank and were not sent',
    advice: 'Delete it, or scan it again.',
  },
  TOO_DARK: {
    short: 'too dark',
    one: 'image is too dark to read and was not sent',
    many: 'images are too dark to read and were not sent',
    advice: 'Scan it again, or send it as it is with `receiptd send FILE`.',
  },
  TOO_SMALL: {
    short: 'too low in resolution',
    one: 'image is too low in resolution to read and was not sent',
    many: 'images are too low in resolution to read and were not sent',
    advice: 'Scan it again, or send it as it is with `receiptd send FILE`.',
  },
  BLURRED: {
    short: 'blurred',
    one: 'image is blurred and was not sent',
    many: 'images are blurred and were not sent',
    advice: 'Scan it again, or send it as it is with `receiptd send FILE`.',
  },
  SCANNED_BEFORE: {
    short: 'like a receipt scanned before',
    one: 'image looks like a receipt that was already scanned, and was not sent',
    many: 'images look like receipts that were already scanned, and were not sent',
    advice: 'Delete it. If it is a different receipt, send it with `receiptd send FILE`.',
  },
  TOO_MANY_PAGES: {
    short: 'with too many pages',
    one: 'file has too many pages',
    many: 'files have too many pages',
    advice: 'Split the file into smaller ones.',
  },
  TOO_DEAR: {
    short: 'too complex to split',
    one: 'file takes too much time or memory to split into pages',
    many: 'files take too much time or memory to split into pages',
    advice: 'Print the file to a new PDF, or scan it again.',
  },
  BYTES_GONE: {
    short: 'gone before all pages were read',
    one: 'file disappeared before all of its pages were read',
    many: 'files disappeared before all of their pages were read',
    advice: 'Scan the receipts again.',
  },
  TYPE_NOT_ACCEPTED: {
    short: 'of a type that the folder does not accept',
    one: 'image is of a type that its folder does not accept',
    many: 'images are of a type that their folder does not accept',
    advice: 'Scan to JPEG, or add the type to `accept`.',
  },
  TYPE_UNKNOWN: {
    short: "of a type that can't be sent",
    one: "image is of a type that can't be sent",
    many: "images are of a type that can't be sent",
    advice: 'Scan as JPEG.',
  },
  NAME_NOT_UTF8: {
    short: "with a name that can't be read",
    one: "file has a name that can't be read, because it is not valid UTF-8",
    many: "files have names that can't be read, because they are not valid UTF-8",
    advice: 'Rename the file: letters, digits and hyphens always work.',
  },
  rejected: {
    short: 'damaged',
    one: 'damaged file may be a receipt',
    many: 'damaged files may be receipts',
    advice: 'Scan the receipt again.',
  },
  unreadable: {
    short: "can't be opened",
    one: "file can't be opened",
    many: "files can't be opened",
    advice: 'Allow the user that runs receiptd to read it.',
  },
  EMPTY: { short: 'empty', one: 'file is empty', many: 'files are empty', advice: 'Scan the receipt again.' },
  incomplete: {
    short: 'incomplete',
    one: 'file is incomplete',
    many: 'files are incomplete',
    advice: 'Scan the receipt again if the file stays incomplete.',
  },
};

/** Merges needs with the same wording, in display order. */
function grouped(
  needs: readonly Need[],
): { readonly key: string; readonly state: string; readonly words: Words; readonly count: number }[] {
  return Object.entries(WORDS).flatMap(([key, words]) => {
    const own = needs.filter(
      ({ state, reason }) => (reason !== undefined && reason in WORDS ? reason : state) === key,
    );
    const [first] = own;
    const count = own.reduce((sum, each) => sum + each.count, 0);
    return first === undefined || count === 0 ? [] : [{ key, state: first.state, words, count }];
  });
}

/** `3 too large, 1 PDF` */
export function needsInShort(needs: readonly Need[]): string {
  return grouped(needs)
    .map(({ words, count }) => `${count} ${words.short}`)
    .join(', ');
}

/** A sentence and advice for each kind. */
export function needSentences(needs: readonly Need[]): {
  readonly state: string;
  readonly reason: string | null;
  readonly count: number;
  readonly text: string;
  readonly advice: string;
}[] {
  return grouped(needs).map(({ key, state, words: { one, many, advice }, count }) => ({
    state,
    reason: key === state ? null : key,
    count,
    text: `${counted(count, one, many)}.`,
    advice,
  }));
}

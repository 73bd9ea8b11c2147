import { counted } from './words.ts';

/** How many of what need a person, and why. */
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
    advice: 'Read its message, then `receiptd retry NAME`.',
  },
  unconfirmed: {
    short: 'unconfirmed',
    one: 'document may or may not be at the service',
    many: 'documents may or may not be at the service',
    advice: 'Look them up there, then `receiptd retry NAME`.',
  },
  lost: {
    short: 'lost',
    one: 'document was gone before it could be sent',
    many: 'documents were gone before they could be sent',
    advice: 'Scan the receipt again; it gets the same name.',
  },
  TOO_LARGE: {
    short: 'too large',
    one: 'file is too large to be sent',
    many: 'files are too large to be sent',
    advice: 'Scan at a lower resolution, or raise `maxFileSize`.',
  },
  PDF_NOT_ACCEPTED: {
    short: 'PDF',
    one: 'PDF is not sent: its folder takes no PDFs',
    many: 'PDFs are not sent: their folder takes no PDFs',
    advice: 'Set `pages: split` for the folder, and see what `receiptd check` says of pages.',
  },
  ENCRYPTED: {
    short: 'protected by a password',
    one: 'file is protected by a password',
    many: 'files are protected by a password',
    advice: 'Save the file without a password.',
  },
  PAGES_NOT_SENT: {
    short: "with pages that can't be sent",
    one: "file has pages that can't be sent; the others are",
    many: "files have pages that can't be sent; the others are",
    advice: 'Scan those pages again.',
  },
  BLANK: {
    short: 'blank',
    one: 'file looks blank, and was not sent',
    many: 'files look blank, and were not sent',
    advice: 'Delete it, or scan it again.',
  },
  TOO_DARK: {
    short: 'too dark',
    one: 'image is too dark to be read, and was not sent',
    many: 'images are too dark to be read, and were not sent',
    advice: 'Scan it again, or send it as it is with `receiptd send FILE`.',
  },
  TOO_SMALL: {
    short: 'with too few pixels',
    one: 'image has too few pixels to be read, and was not sent',
    many: 'images have too few pixels to be read, and were not sent',
    advice: 'Scan it again, or send it as it is with `receiptd send FILE`.',
  },
  BLURRED: {
    short: 'blurred',
    one: 'image is blurred, and was not sent',
    many: 'images are blurred, and were not sent',
    advice: 'Scan it again, or send it as it is with `receiptd send FILE`.',
  },
  SCANNED_BEFORE: {
    short: 'like a receipt scanned before',
    one: 'image looks like a receipt that was scanned before, and was not sent',
    many: 'images look like receipts that were scanned before, and were not sent',
    advice: 'Delete it, or, if it is another receipt, send it with `receiptd send FILE`.',
  },
  TOO_MANY_PAGES: {
    short: 'with too many pages',
    one: 'file has too many pages',
    many: 'files have too many pages',
    advice: 'Split the file into smaller ones.',
  },
  TOO_DEAR: {
    short: 'too large to be taken apart',
    one: 'file takes too long, or too much memory, to be taken apart',
    many: 'files take too long, or too much memory, to be taken apart',
    advice: 'Print the file to a new PDF, or scan it again.',
  },
  BYTES_GONE: {
    short: 'gone before all pages were taken',
    one: 'file was gone before all of its pages were taken',
    many: 'files were gone before all of their pages were taken',
    advice: 'Scan the receipts again.',
  },
  TYPE_NOT_ACCEPTED: {
    short: 'of a type that the folder does not take',
    one: 'image is of a type that its folder does not take',
    many: 'images are of a type that their folder does not take',
    advice: 'Scan as JPEG, or add the type to `accept`.',
  },
  TYPE_UNKNOWN: {
    short: "of a type that can't be sent",
    one: "image is of a type that can't be sent",
    many: "images are of a type that can't be sent",
    advice: 'Scan as JPEG.',
  },
  rejected: {
    short: 'damaged',
    one: 'file may be a receipt, but is damaged',
    many: 'files may be receipts, but are damaged',
    advice: 'Scan the receipt again.',
  },
  unreadable: {
    short: "can't be opened",
    one: "file can't be opened",
    many: "files can't be opened",
    advice: 'Let the user that runs receiptd read it.',
  },
  EMPTY: { short: 'empty', one: 'file is empty', many: 'files are empty', advice: 'Scan the receipt again.' },
  incomplete: {
    short: 'cut short',
    one: 'file is cut short',
    many: 'files are cut short',
    advice: 'Scan the receipt again if it does not become complete.',
  },
};

/** Needs by what they are called, in the order in which people are told. */
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

/** A sentence and what to do, for each kind. */
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

import type { Format } from '../format.ts';

/** Why documents and files were not sent, by reason, or by state for other reasons; most urgent first. */
export function unsentTexts({ needsIn }: Format) {
  const unsent = {
    failed: {
      what: 'Refused by the service',
      cure: 'Read the reason, then send them again, in the console or with `receiptd retry NAME`.',
    },
    unconfirmed: {
      what: 'May already be at the service',
      cure: 'Look them up at the service. If any are missing there, send them again, in the console or with `receiptd retry NAME`.',
    },
    lost: {
      what: 'Image gone before it was accepted',
      cure: 'Scan the receipts again; they get the same names. If an answer was lost, look at the service first: it may have the receipt.',
    },
    TOO_LARGE: {
      what: 'Too large',
      cure: 'Scan at a lower resolution, or raise `maxFileSize` of the folder.',
    },
    TYPE_NOT_ACCEPTED: { what: 'Type not accepted', cure: 'Scan to JPEG, or add the type to `accept`.' },
    PDF_NOT_ACCEPTED: {
      what: 'PDFs not accepted',
      cure: 'Set `pages: split` for the folder, so that each page is sent as an image.',
    },
    TYPE_UNKNOWN: { what: 'Unknown type of image', cure: 'Scan as JPEG.' },
    DAMAGED: { what: 'Damaged, or not an image', cure: 'Scan the receipt again.' },
    ENCRYPTED: { what: 'Password-protected', cure: 'Save the file without a password.' },
    FONT_MISSING: { what: 'Font missing', cure: 'Print the file to a new PDF.' },
    PORTFOLIO: { what: 'PDF portfolio', cure: 'Save the files that it contains into the folder.' },
    XFA_FORM: {
      what: 'Form for Adobe programs',
      cure: 'Open the file in Adobe Reader and print it to a new PDF.',
    },
    UNSUPPORTED: { what: 'Unusual TIFF', cure: 'Open the file and save it as a JPEG.' },
    TOO_MANY_PAGES: { what: 'Too many pages', cure: 'Split the file into smaller ones.' },
    TOO_DEAR: { what: 'Too complex to split', cure: 'Print the file to a new PDF, or scan it again.' },
    PAGES_NOT_SENT: { what: 'Pages not sent', cure: 'Scan the pages that were not sent again.' },
    BYTES_GONE: { what: 'File gone', cure: 'Scan the receipts again.' },
    BLANK: { what: 'Blank', cure: 'Delete the file, or scan it again.' },
    TOO_DARK: {
      what: 'Too dark',
      cure: 'Scan the receipt again. If it can’t be read any better, send it as it is: drop it on the console, or run `receiptd send FILE`.',
    },
    TOO_SMALL: { what: 'Too small', cure: 'Scan the receipt again at a higher resolution.' },
    BLURRED: {
      what: 'Blurred',
      cure: 'Scan the receipt again. If it can’t be read any better, send it as it is: drop it on the console, or run `receiptd send FILE`.',
    },
    SCANNED_BEFORE: {
      what: 'Scanned before',
      cure: 'If it is the same receipt, delete the file. If it is a different one, drop it on the console, or run `receiptd send FILE`.',
    },
    NAME_NOT_UTF8: {
      what: 'Unreadable name',
      cure: 'Rename the file: letters, digits and hyphens always work.',
    },
    rejected: { what: 'Damaged, or not an image', cure: 'Scan the receipt again.' },
    unreadable: {
      what: 'Not readable',
      cure: 'Allow the user that runs receiptd to read the file, or close the program that has it open.',
    },
    EMPTY: { what: 'Empty file', cure: 'Scan the receipt again.' },
    INCOMPLETE: { what: 'Incomplete', cure: 'Scan the receipt again if the file does not become complete.' },
    incomplete: { what: 'Incomplete', cure: 'Scan the receipt again if the file does not become complete.' },
  };
  return { unsent, needs: needsIn(unsent) };
}

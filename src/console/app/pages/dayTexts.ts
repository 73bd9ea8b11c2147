import { counted, number } from '../format.ts';

const files = (n: number): string => counted(n, 'file', 'files');

/** Of the page that says whether everything arrived. Another language is another object of this shape. */
const english = {
  title: 'Everything there?',
  span: 'Period',
  spans: { day: 'Day', week: 'Week', month: 'Month' },
  date: 'Date',
  earlier: 'Earlier',
  later: 'Later',
  print: 'Print',
  table: 'Files by folder',
  folder: 'Folder',
  total: 'All folders',
  columns: {
    seen: 'Seen',
    accepted: 'Accepted',
    duplicate: 'Duplicates',
    split: 'Split into pages',
    rejected: 'Not sent',
    failed: 'Refused',
    waiting: 'Waiting',
    lost: 'Lost',
    skipped: 'Skipped',
  },
  none: 'No file was seen in this period.',
  all: (n: number) => `All ${files(n)} are accounted for, and nothing is open.`,
  open: (n: number, of: number) => `${number(n)} of ${files(of)} are open:`,
  openParts: {
    rejected: (n: number) => `${number(n)} not sent`,
    failed: (n: number) => `${number(n)} refused by the service`,
    waiting: (n: number) => `${number(n)} waiting`,
    lost: (n: number) => `${number(n)} lost`,
  },
  means:
    'Each file counts once, on the day it was first seen. Pages of a PDF count as files of their own. Files that are not receipts are among those not sent.',
  now: 'The folders right now',
  nowMeans: 'Compares the files that lie in each folder now, of whatever day, with the ledger.',
  compare: 'Compare',
  comparing: 'Comparing …',
  agrees: (n: number) => `${files(n)} in the folder, and the ledger knows each of them.`,
  differs: (n: number, of: number) => `${number(n)} of ${files(of)} do not agree with the ledger:`,
  problems: {
    unknown: 'not taken in yet',
    changed: 'changed since it was taken in',
    missing: 'no longer in the folder, although the ledger has it there',
  },
  more: (n: number) => `and ${number(n)} more.`,
  excluded: (n: number) => `${files(n)} in the ledger are no longer covered by the folder’s patterns.`,
};

export const t = english;

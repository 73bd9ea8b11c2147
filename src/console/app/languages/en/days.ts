import type { Format } from '../../textFormat.ts';

/** The page that shows whether all files of a day arrived. */
export function daysTexts({ counted, number }: Format) {
  const files = (n: number): string => counted(n, 'file', 'files');
  return {
    days: {
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
      all: (n: number) => `All ${files(n)} are accounted for, and nothing is pending.`,
      open: (n: number, of: number) => `${number(n)} of ${files(of)} are pending:`,
      openParts: {
        rejected: (n: number) => `${number(n)} not sent`,
        failed: (n: number) => `${number(n)} refused by the service, or moved to another endpoint`,
        waiting: (n: number) => `${number(n)} waiting`,
        lost: (n: number) => `${number(n)} lost`,
      },
      means:
        'Each file counts once, on the day it was first seen. Each page of a PDF counts as a separate file. Files that are not receipts count as not sent.',
      now: 'The folders right now',
      nowMeans: 'Compares all files now in each folder, from any day, with the ledger.',
      compare: 'Compare',
      notCompared: 'not compared',
      comparing: 'Comparing …',
      agrees: (n: number) => `${files(n)} in the folder, all of them in the ledger.`,
      differs: (n: number, of: number) => `${number(n)} of ${files(of)} do not match the ledger:`,
      problems: {
        unknown: 'not picked up yet',
        changed: 'changed since it was picked up',
        missing: 'in the ledger, but no longer in the folder',
      },
      more: (n: number) => `and ${number(n)} more.`,
      excluded: (n: number) => `${files(n)} in the ledger are no longer covered by the folder’s patterns.`,
    },
  };
}

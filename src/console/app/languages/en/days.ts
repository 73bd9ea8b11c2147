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
      arrived: 'Arrived',
      none: 'No file arrived in this period.',
      all: (n: number) => `All ${files(n)} are accounted for, and nothing is pending.`,
      open: (n: number, of: number) => `${number(n)} of ${files(of)} are pending:`,
      parts: {
        accepted: (n: number) => `${number(n)} sent`,
        waiting: (n: number) => `${number(n)} waiting`,
        person: (n: number) => `${number(n)} ${n === 1 ? 'needs' : 'need'} attention`,
        other: (n: number) => `${number(n)} left out`,
      },
      means:
        'Each file counts once, on the day it arrived. Left out are duplicates, files that are not receipts, dismissed ones, and files whose pages are sent instead, each as a file of its own.',
      now: 'The folders right now',
      nowMeans: 'Compares all files now in each folder, from any day, with the ledger.',
      compare: 'Compare with the folders',
      notCompared: 'not compared',
      comparing: 'Comparing …',
      agrees: (n: number) => `${files(n)} in the folder, all of them in the ledger.`,
      allKnown: (n: number) => (n === 0 ? 'empty' : `${files(n)}, all accounted for`),
      unmatched: (n: number, of: number) => `${number(n)} of ${files(of)} not accounted for`,
      unmatchedNow: (n: number) =>
        `In the folders, ${n === 1 ? 'one file is' : `${number(n)} files are`} not accounted for.`,
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

import type { Format } from '../../textFormat.ts';

/** The log. */
export function logTexts({ counted, number }: Format) {
  return {
    log: {
      title: 'Log',
      filters: 'Filters of the log',
      level: 'Level',
      allLevels: 'All levels',
      atLeast: (level: string) => (level === 'error' ? 'error only' : `${level} and above`),
      match: 'Contains',
      pause: 'Pause',
      goOn: (missed: number) => (missed === 0 ? 'Continue' : `Continue (${number(missed)} new)`),
      shown: (n: number) => counted(n, 'line', 'lines'),
      shownOf: (n: number, all: number) => `${number(n)} of ${counted(all, 'line', 'lines')}`,
      toEnd: 'To the newest',
    },
  };
}

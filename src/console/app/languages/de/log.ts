import type { Format } from '../../textFormat.ts';
import type { logTexts as english } from '../en/log.ts';

export function logTexts({ counted, number }: Format): ReturnType<typeof english> {
  return {
    log: {
      title: 'Protokoll',
      filters: 'Filter des Protokolls',
      level: 'Stufe',
      allLevels: 'Alle Stufen',
      atLeast: (level) => (level === 'error' ? 'nur error' : `${level} und höher`),
      match: 'Enthält',
      pause: 'Pausieren',
      goOn: (missed) => (missed === 0 ? 'Fortsetzen' : `Fortsetzen (${number(missed)} neue)`),
      shown: (n) => counted(n, 'Zeile', 'Zeilen'),
      shownOf: (n, all) => `${number(n)} von ${counted(all, 'Zeile', 'Zeilen')}`,
      toEnd: 'Zum Neuesten',
    },
  };
}

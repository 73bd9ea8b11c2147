import type { Format } from '../../textFormat.ts';
import type { daysTexts as english } from '../en/days.ts';

export function daysTexts({ counted, number }: Format): ReturnType<typeof english> {
  const files = (n: number): string => counted(n, 'Datei', 'Dateien');
  return {
    days: {
      title: 'Alles da?',
      span: 'Zeitraum',
      spans: { day: 'Tag', week: 'Woche', month: 'Monat' },
      date: 'Datum',
      earlier: 'Früher',
      later: 'Später',
      print: 'Drucken',
      table: 'Dateien nach Ordner',
      folder: 'Ordner',
      total: 'Alle Ordner',
      arrived: 'Eingegangen',
      none: 'In diesem Zeitraum ging keine Datei ein.',
      all: (n) =>
        n === 1
          ? 'Die eine Datei ist verbucht; nichts ist offen.'
          : `Alle ${files(n)} sind verbucht; nichts ist offen.`,
      open: (n, of) => `${number(n)} von ${files(of)} offen:`,
      parts: {
        accepted: (n) => `${number(n)} gesendet`,
        waiting: (n) => `${number(n)} ${n === 1 ? 'wartet' : 'warten'}`,
        person: (n) => `${number(n)} zu klären`,
        other: (n) => `${number(n)} ausgelassen`,
      },
      means:
        'Jede Datei zählt einmal, an dem Tag, an dem sie einging. Ausgelassen werden Duplikate, Dateien, die keine Belege sind, als erledigt markierte und solche, deren Seiten einzeln gesendet werden; jede Seite zählt dann als Datei.',
      now: 'Die Ordner in diesem Moment',
      nowMeans:
        'Vergleicht die Dateien, die jetzt in jedem Ordner liegen, gleich von welchem Tag, mit dem Eingangsbuch.',
      compare: 'Mit den Ordnern vergleichen',
      notCompared: 'nicht verglichen',
      comparing: 'Vergleich läuft …',
      agrees: (n) => `${files(n)} im Ordner; das Eingangsbuch kennt alle.`,
      allKnown: (n) => (n === 0 ? 'leer' : `${files(n)}, alle verbucht`),
      unmatched: (n, of) => `${number(n)} von ${files(of)} nicht verbucht`,
      unmatchedNow: (n) =>
        n === 1
          ? 'In den Ordnern ist eine Datei nicht verbucht.'
          : `In den Ordnern sind ${number(n)} Dateien nicht verbucht.`,
      differs: (n, of) => `${number(n)} von ${files(of)} stimmen nicht mit dem Eingangsbuch überein:`,
      problems: {
        unknown: 'noch nicht erfasst',
        changed: 'seit der Erfassung geändert',
        missing: 'nicht mehr im Ordner, obwohl das Eingangsbuch sie dort führt',
      },
      more: (n) => `und ${number(n)} weitere.`,
      excluded: (n) =>
        `${counted(n, 'Datei', 'Dateien')} des Eingangsbuchs fallen nicht mehr unter die Muster des Ordners.`,
    },
  };
}

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
      columns: {
        seen: 'Gesehen',
        accepted: 'Angenommen',
        duplicate: 'Duplikate',
        split: 'In Seiten zerlegt',
        rejected: 'Nicht gesendet',
        failed: 'Abgelehnt',
        waiting: 'Wartet',
        lost: 'Verloren',
        skipped: 'Übersprungen',
      },
      none: 'In diesem Zeitraum wurde keine Datei gesehen.',
      all: (n) =>
        n === 1
          ? 'Die eine Datei ist verbucht; nichts ist offen.'
          : `Alle ${files(n)} sind verbucht; nichts ist offen.`,
      open: (n, of) => `${number(n)} von ${files(of)} offen:`,
      openParts: {
        rejected: (n) => `${number(n)} nicht gesendet`,
        failed: (n) => `${number(n)} vom Dienst abgelehnt oder zu einem anderen Endpunkt verschoben`,
        waiting: (n) => `${number(n)} wartend`,
        lost: (n) => `${number(n)} verloren`,
      },
      means:
        'Jede Datei zählt einmal, an dem Tag, an dem sie zuerst gesehen wurde. Seiten einer PDF-Datei zählen als eigene Dateien. Dateien, die keine Belege sind, stehen unter den nicht gesendeten.',
      now: 'Die Ordner in diesem Moment',
      nowMeans:
        'Vergleicht die Dateien, die jetzt in jedem Ordner liegen, gleich von welchem Tag, mit dem Eingangsbuch.',
      compare: 'Vergleichen',
      notCompared: 'nicht verglichen',
      comparing: 'Vergleich läuft …',
      agrees: (n) => `${files(n)} im Ordner; das Eingangsbuch kennt alle.`,
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

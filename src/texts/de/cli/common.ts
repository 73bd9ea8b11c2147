import type { commonTexts as english } from '../../en/cli/common.ts';
import type { Format } from '../../format.ts';
import { VALUES } from '../values.ts';

export function commonTexts({ counted, number }: Format): ReturnType<typeof english> {
  return {
    program: {
      about:
        'Überwacht Ordner mit gescannten Belegen, benennt jedes neue Bild, sendet es und führt ein Eingangsbuch. Beginnen Sie mit `receiptd setup`.',
      setup: 'alles einrichten, bis zum ersten Beleg',
      init: 'oder: eine Konfigurationsdatei anlegen und anpassen',
      login: 'die Zugangsdaten im Schlüsselbund speichern',
      check: 'prüfen, ob alles bereit ist',
      run: 'überwachen und senden, bis Sie es beenden',
      needsPerson: 'zeigen, was zu klären ist',
      statuses:
        'Exit-Status: 0 erledigt; 1 fehlgeschlagen; 2 falscher Aufruf oder falsche Konfiguration; 5 Dienst nicht erreichbar; 6 läuft schon; 130 durch ein Signal beendet. Für einen einzelnen Lauf siehe run --help.',
      configFile:
        'Die Konfigurationsdatei ist die erste, die gefunden wird: --config, $RECEIPTD_CONFIG, ./receiptd.yaml, die des Benutzers, die des Rechners.',
    },
    headings: {
      usage: 'Aufruf:',
      arguments: 'Argumente:',
      options: 'Optionen:',
      commands: 'Befehle:',
      example: 'Beispiel:',
      examples: 'Beispiele:',
      everyday: 'Alltag:',
      repair: 'Reparatur und Prüfung:',
      admin: 'Verwaltung:',
    },
    inHelp: {
      values: VALUES,
      help: 'diese Hilfe zeigen',
      helpOfOne: 'die Hilfe zu einem Befehl zeigen',
      version: 'die Version zeigen',
      choices: (words) => `möglich: ${words}`,
      otherwise: (value) => `Vorgabe: ${value}`,
      statuses: (more) =>
        `Exit-Status: 0 erledigt; 1 fehlgeschlagen; 2 falscher Aufruf oder falsche Konfiguration${more === '' ? '' : `; ${more}`}.`,
    },
    option: {
      config: 'Konfigurationsdatei',
      yes: 'nicht nachfragen',
      account: 'Konto aus der Konfiguration; sonst das Standardkonto',
      offline: 'den Dienst nicht ansprechen',
      document: 'Name des Belegs, Anfang des Namens oder eine Datei',
    },
    status5: '5 der Dienst war nicht erreichbar',
    status130: '130 durch ein Signal beendet',
    answer: { hint: '[j/N]', yes: 'j', inFull: 'ja' },
    input: {
      clientId: 'Client-ID: ',
      clientSecret: 'Client-Secret: ',
      password: (shortest) => `Passwort (mindestens ${number(shortest)} Zeichen): `,
      again: 'Noch einmal: ',
    },
    awaited: {
      clientId: 'Die Client-ID wird auf der Standardeingabe erwartet, in einer Zeile.',
      clientSecret: 'Das Client-Secret wird auf der Standardeingabe erwartet, in einer Zeile.',
      password: 'Das Passwort wird auf der Standardeingabe erwartet, in einer Zeile.',
    },
    moreLines: (n) =>
      `… ${counted(n, 'weitere Zeile', 'weitere Zeilen')}: Vergrößern Sie das Fenster in der Höhe.`,
    wrote: (file) => `Geschrieben: ${file}.`,
  };
}

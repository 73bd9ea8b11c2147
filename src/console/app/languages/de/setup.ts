import type { setupTexts as english } from '../en/setup.ts';

export function setupTexts(): ReturnType<typeof english> {
  return {
    setup: {
      title: 'receiptd einrichten',
      notSignedIn: 'Diese Seite öffnet sich nur über einen Link',
      how: 'Führen Sie diesen Befehl auf dem Rechner aus, auf dem receiptd laufen soll. Er zeigt einen neuen Link, der einmal gilt.',
      busy: 'Einen Moment …',
      lost: 'receiptd antwortet nicht mehr: Sein Fenster wurde geschlossen, oder die Einrichtung ist beendet. Starten Sie sie dort neu.',
      next: 'Weiter',
      back: 'Zurück',
      yes: 'Ja',
      no: 'Nein',
      restart: 'Von vorn beginnen',
      done: 'Die Einrichtung ist fertig',
      failed: 'Die Einrichtung wurde nicht abgeschlossen',
      openConsole: 'Konsole öffnen',
      folders: 'Ordner',
      inside: (path) => `Ordner in ${path}`,
      begin: 'Suchen in',
      up: 'Eine Ebene höher',
      none: 'Hier sind keine Ordner.',
      cut: 'Es gibt mehr Ordner, als hier stehen: Geben Sie den Pfad ein.',
      share: 'Für eine Freigabe geben Sie deren Pfad ein.',
    },
  };
}

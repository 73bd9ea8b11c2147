import type { Format } from '../../textFormat.ts';
import type { frameTexts as english } from '../en/frame.ts';

export function frameTexts({ counted }: Format): ReturnType<typeof english> {
  return {
    product: 'receiptd',
    language: 'Sprache',
    again: 'Erneut versuchen',
    cancel: 'Abbrechen',
    close: 'Schließen',
    edit: 'Bearbeiten',
    remove: 'Entfernen',
    pause: 'Pausieren',
    resume: 'Fortsetzen',
    pauseAll: {
      open: 'Pause …',
      title: 'Alles pausieren',
      until: 'Bis',
      at: 'Tag und Uhrzeit',
      choices: {
        hour: () => 'für eine Stunde',
        tomorrow: (at) => `morgen (${at})`,
        monday: (at) => `Montag (${at})`,
        other: () => 'zu einer anderen Zeit …',
        open: () => 'bis jemand fortsetzt',
      },
      means: (waiting) =>
        `Bis dahin wird nichts gesendet. Scans werden weiter erfasst und benannt. ${counted(waiting, 'Beleg wartet', 'Belege warten')} zurzeit.`,
      confirm: 'Alles pausieren',
      paused: 'Pausiert',
      pausedUntil: (at) => `Pausiert bis ${at}`,
      by: (who, since) => `Von ${who}, seit ${since}`,
      resumed: 'Es wird wieder gesendet.',
    },
    actions: 'Aktionen',
    details: 'Einzelheiten',
    administrators: 'Für Administratoren',
    loading: 'Wird geladen …',
    notLoaded: 'Diese Seite konnte nicht geladen werden.',
    of: (word, what) => `${word}: ${what}`,
    nav: {
      label: 'Seiten',
      skip: 'Zum Inhalt springen',
      home: 'receiptd, zu Heute',
      overview: 'Heute',
      documents: 'Belege',
      days: 'Tage',
      folders: 'Ordner',
      endpoints: 'Endpunkte',
      fleet: 'Verbund',
      log: 'Protokoll',
      config: 'Einstellungen',
      signOut: 'Abmelden',
    },
    theme: {
      button: (now) => `Farben: ${now}`,
      auto: 'wie im System',
      light: 'hell',
      dark: 'dunkel',
    },
    connection: {
      connecting: 'Verbindet …',
      live: 'Verbunden',
      lost: 'Getrennt',
      signedOut: 'Abgemeldet',
      lostSince: (at) =>
        `Die Verbindung zu receiptd ist seit ${at} unterbrochen; diese Seite zeigt den Stand von da. Die Konsole versucht weiter, sich zu verbinden. Dauert das an, prüfen Sie, ob receiptd läuft. Nach einem Neustart von receiptd öffnen Sie die Konsole neu.`,
      tryNow: 'Jetzt verbinden',
      noAnswer:
        'receiptd antwortet nicht. Es wurde vielleicht beendet, oder das Netz ist gestört. Soweit diese Seite weiß, wurde nichts geändert.',
      refused: (status) => `receiptd hat das ohne Begründung abgelehnt (HTTP ${status}).`,
    },
    signIn: {
      title: 'Sie sind nicht angemeldet',
      how: 'Führen Sie diesen Befehl auf dem Rechner aus, auf dem receiptd läuft. Er öffnet die Konsole mit einem eigenen Link.',
      once: 'Jeder Link gilt einmal und nur kurze Zeit.',
      orPassword: 'Oder melden Sie sich mit dem Passwort an',
      password: 'Passwort',
      usedLink:
        'Dieser Link wurde schon verwendet oder ist älter als fünf Minuten. Holen Sie sich einen neuen.',
      wrongPassword: 'Das ist nicht das Passwort.',
      tooMany: (seconds) =>
        `Es wurden zu viele falsche Passwörter probiert. Versuchen Sie es in ${counted(seconds, 'Sekunde', 'Sekunden')} noch einmal, oder verwenden Sie einen Link.`,
      submit: 'Anmelden',
    },
    unknownPage: {
      title: 'Seite nicht gefunden',
      text: 'Die Adresse ist falsch, oder die Seite gibt es nicht mehr.',
    },
    zone: {
      here: (zone) => `Alle Zeiten gelten für die Zeitzone dieses Browsers (${zone}).`,
      other: (zone) =>
        `receiptd läuft in der Zeitzone ${zone}; Sendezeiten und Tagesgrenzen richten sich nach dessen Uhr.`,
    },
    pages: {
      unmatched: 'Ergebnisse ohne Beleg',
      results: 'Ergebnisse',
      needed: 'Belege, die zu klären sind',
      documents: 'Belege',
      status: 'Heute',
      fleet: 'Verbund',
      create: 'Endpunkt anlegen',
    },
  };
}

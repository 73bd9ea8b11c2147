import type { Format } from '../../textFormat.ts';
import type { settingsTexts as english } from '../en/settings.ts';

export function settingsTexts({ counted, number }: Format): ReturnType<typeof english> {
  const files = (n: number): string => counted(n, 'Datei', 'Dateien');
  return {
    form: {
      required: 'nötig',
      save: 'Speichern',
      saving: 'Wird gespeichert …',
      saved: 'Gespeichert und in Kraft.',
      unchanged: 'Noch nichts geändert.',
      refused: 'Nicht gespeichert; es wurde nichts geändert:',
      goneFromFile: 'Das steht nicht mehr in der Konfigurationsdatei.',
      conflict: (file) =>
        `Nicht gespeichert: Jemand anders hat ${file} geändert, nachdem Sie diese Seite geöffnet haben. Laden Sie die Datei neu, prüfen Sie Ihre Änderungen und speichern Sie noch einmal.`,
      reloadKeep: 'Neu laden, Eingaben behalten',
      reloadDiscard: 'Neu laden, Eingaben verwerfen',
      reloadedKept: 'Die Datei wurde neu geladen. Ihre Eingaben sind noch da.',
      reloaded: 'Die Datei wurde neu geladen.',
      standard: (value) => (value === '' ? '' : `Standard: ${value}`),
      words: { true: 'ja', false: 'nein', unlimited: 'unbegrenzt', always: 'immer' },
      atStart: 'Wirkt ab dem nächsten Start.',
      perLine: 'Je Zeile eine Angabe.',
      per: { s: 'pro Sekunde', min: 'pro Minute', h: 'pro Stunde' },
      more: 'Weitere Einstellungen',
      groups: {
        which: 'Welcher Ordner?',
        where: 'Wohin?',
        lying: 'Was ist mit den Dateien, die schon darin liegen?',
        folder: 'Ordner',
        files: 'Welche Dateien, und ihre Namen',
        images: 'Seiten und Qualität',
        after: 'Nach der Übertragung',
        people: 'Für die Leute am Scanner',
        settle: 'Wann eine Datei als vollständig gilt',
        endpoint: 'Endpunkt',
        pace: 'Tempo',
        hours: 'Sendezeiten',
      },
    },
    settings: {
      title: 'Einstellungen',
      undo: 'Rückgängig',
      undoTitle: 'Letzte Änderung rückgängig machen?',
      undone: 'Die letzte Änderung wurde rückgängig gemacht.',
      lastChange: (keys, at) =>
        `Hier geändert um ${at}: ${keys}. Rückgängig stellt die Einstellungen wieder her; was inzwischen gesendet, archiviert oder entfernt wurde, bleibt es.`,
      inFile: 'Nur in der Datei',
      inFileMeans: (file) =>
        `Das wird in ${file} geändert, mit einem Editor auf dem Rechner, auf dem receiptd läuft: Wer einen angemeldeten Browser übernimmt, darf das nicht können.`,
      notSet: 'nicht gesetzt',
      why: {
        program: 'Ein Programm, das receiptd ausführt.',
        secret: 'Sagt, wo ein Geheimnis liegt.',
        listens: 'Eine Adresse, an der receiptd auf Verbindungen wartet.',
        credentials: 'Entscheidet, wohin die Zugangsdaten gesendet werden.',
        trust: 'Entscheidet, welche Zertifikate gelten.',
        reach: 'Entscheidet, wer was ändern darf.',
        ledger: 'Entscheidet, wo Belege eingetragen werden.',
      },
      elsewhere: {
        folders: {
          title: 'Ordner',
          means: 'Was überwacht wird, wie Belege heißen, Originale, und der Ordner für Unerledigtes.',
        },
        endpoints: { title: 'Endpunkte', means: 'Wohin Belege gehen, und die Grenzen je Endpunkt.' },
        sending: { title: 'Senden', means: 'Grenzen für alle Endpunkte zusammen, und Sendezeiten.' },
      },
      sections: {
        alerts: {
          title: 'Benachrichtigungen',
          means: 'Wer erfährt, wenn etwas ausfällt, und wenn es vorbei ist.',
        },
        results: {
          title: 'Ergebnisse',
          means: 'Wie Ergebnisse ankommen, die der Dienst zu Belegen schickt.',
        },
        monitoring: { title: 'Überwachung', means: 'Messwerte und Zustand für Maschinen, etwa Prometheus.' },
        intake: { title: 'Aufnahme', means: 'Wie oft Ordner durchgesehen werden.' },
        storage: {
          title: 'Speicher und Protokoll',
          means:
            'Kopien von Bildern, Sicherungen des Eingangsbuchs und das Protokoll: wie viel, und wie lange.',
        },
        console: {
          title: 'Konsole',
          means: 'Unter welchen Namen diese Konsole erreichbar ist, und ihre Vorschaubilder.',
        },
        service: {
          title: 'Dienst',
          means: 'Wie übertragen wird, und wie lange auf eine Antwort gewartet wird.',
        },
        machine: {
          title: 'Dieser Rechner',
          means: 'Wo Belege eingetragen werden, und wer den Agenten steuert.',
        },
      },
      file: { title: 'Die Datei', means: 'Alles als Text, mit den Kommentaren.' },
      groups: {
        mail: 'Per Mail',
        otherChannels: 'Auf anderen Wegen',
        when: 'Wann',
        results: 'Was angenommen wird',
        intake: 'Ordner',
        copies: 'Kopien von Bildern',
        backups: 'Sicherungen des Eingangsbuchs',
        log: 'Protokolldatei',
        console: 'Konsole',
        service: 'Übertragungen und Antworten',
        timeouts: 'Längste Wartezeiten',
      },
    },
    alerts: {
      test: 'Probe',
      testMeans: 'Schickt sofort eine Probe, mit den gespeicherten Einstellungen.',
      noChannel:
        'Niemand wird benachrichtigt: Es gibt noch keinen Mailserver, keinen Webhook und keinen anderen Weg.',
      send: 'Probe senden',
      sending: 'Wird gesendet …',
      taken: 'Zugestellt.',
      delivered: (channel) => `Die Probe wurde zugestellt: ${channel}.`,
      notDelivered: 'Nicht zugestellt.',
      correct: 'Berichtigen Sie die Einstellungen oben, speichern Sie, und versuchen Sie es erneut.',
      password: {
        title: 'Passwort des Mailservers',
        label: 'Passwort',
        help: 'Es liegt bei den Zugangsdaten, nie in der Datei, und wird nicht wieder gezeigt. Nach einem anderen Server oder Benutzer ist es neu einzugeben.',
        save: 'Passwort speichern',
        stored: 'Das Passwort wurde gespeichert.',
        where: {
          missing:
            'Für diesen Benutzer an diesem Server ist kein Passwort gespeichert; Mails werden nicht zugestellt.',
          stored: 'Ein Passwort ist gespeichert. Geben Sie ein anderes ein, um es zu ersetzen.',
          inFile: 'Das Passwort steht in einer Datei, die die Konfiguration nennt. Ändern Sie es dort.',
        },
      },
    },
    consequences: {
      title: 'Diese Änderung speichern?',
      confirm: 'Speichern',
      released: (waiting, before, after) =>
        `${counted(waiting, 'Beleg wartet', 'Belege warten')} auf das Senden. Damit können bis zu ${number(after)} innerhalb einer Stunde hinausgehen; bisher waren es ${number(before)}.`,
      spent: {
        day: (endpoint, used, limit, waiting) =>
          `${endpoint}: Heute gab es schon ${number(used)} Übertragungen, und die neue Grenze ist ${number(limit)}. Vor morgen geht nichts hinaus (es warten ${number(waiting)}).`,
        month: (endpoint, used, limit, waiting) =>
          `${endpoint}: In diesem Monat gab es schon ${number(used)} Übertragungen, und die neue Grenze ist ${number(limit)}. Vor dem nächsten Monat geht nichts hinaus (es warten ${number(waiting)}).`,
      },
      closed: (until, waiting) =>
        `Vor ${until}, dem Beginn der Sendezeit, geht nichts hinaus (es warten ${number(waiting)}).`,
      lookedAgain: (folder, n) =>
        `${files(n)} in ${folder}, bisher nicht gesendet, werden noch einmal geprüft und gesendet, wenn sie jetzt passen.`,
      split: (folder) =>
        `Neue PDF und mehrseitige TIFF in ${folder} werden zerlegt: Jede Seite wird ein eigener Beleg.`,
      whole: (folder, n) =>
        `Neue PDF und TIFF in ${folder} werden unverändert gesendet. ${files(n)}, bisher zerlegt, bleiben, wie sie sind.`,
      wholeWithoutPdf: (folder, n) =>
        `Neue TIFF in ${folder} werden unverändert gesendet, und PDF gar nicht mehr, weil PDF nicht unter den Typen steht. ${files(n)}, bisher zerlegt, bleiben, wie sie sind.`,
      firstWatched: (folder, n) =>
        `${folder} wurde noch nie überwacht. ${counted(n, 'Datei liegt', 'Dateien liegen')} darin und werden geprüft; neue Belege darunter werden sofort gesendet.`,
      manyWatched: (folder) =>
        `${folder} wurde noch nie überwacht. Der Ordner enthält mehr Dateien, als sich in ein paar Sekunden zählen lassen; neue Belege darunter werden sofort gesendet.`,
      deletes: (folder, waiting) =>
        `Ab jetzt werden Originale in ${folder} gelöscht, sobald der Dienst sie angenommen hat (es warten ${number(waiting)}). Das lässt sich nicht rückgängig machen.`,
      originals: {
        archive: (folder, n) =>
          `${counted(n, 'Original', 'Originale')} in ${folder}, früher angenommen, würden sofort archiviert.`,
        delete: (folder, n) =>
          `${counted(n, 'Original', 'Originale')} in ${folder}, früher angenommen, würden sofort gelöscht. Das lässt sich nicht rückgängig machen.`,
      },
      rerouted: (folder, from, to, waiting) =>
        `Was ab jetzt in ${folder} ankommt, geht an ${to}. Was von dort noch wartet (${number(waiting)}), geht weiter an ${from}.`,
      stranded: (endpoint, waiting) =>
        `${counted(waiting, 'Beleg wartet', 'Belege warten')} auf ${endpoint}, wie der Endpunkt bisher war, und würden weiter warten: Die Konfiguration hat ihn dann nicht mehr.`,
      copiesRemoved: (images) =>
        `${counted(images, 'Kopie', 'Kopien')} abgelehnter oder unbestätigter Belege würden entfernt. Ohne Original ließen sie sich nicht noch einmal senden.`,
      spoolFull: (used, limit) =>
        `Kopien belegen jetzt ${used}, mehr als ${limit}. Neue Scans würden in ihren Ordnern warten, bis Platz ist.`,
      backupsRemoved: (n, kept) =>
        `${counted(n, 'Sicherung', 'Sicherungen')} des Eingangsbuchs würden nach dem nächsten Start entfernt; ${number(kept)} bleiben.`,
      unprotected: (waiting) =>
        `Es wird kein Bild mehr kopiert: Ein Scan, der überschrieben oder gelöscht wird, während er wartet, ist verloren (es warten ${number(waiting)}).`,
      nobodyAlerted: 'Es bleibt kein Weg: Niemand würde benachrichtigt, wenn etwas ausfällt.',
    },
    unsaved: {
      title: 'Ohne Speichern verlassen?',
      means: 'Ihre Änderungen sind noch nicht gespeichert.',
      leave: 'Verlassen',
      stay: 'Hier bleiben',
    },
    config: {
      title: 'Konfigurationsdatei',
      means: 'Die Datei selbst, mit ihren Kommentaren. Sie enthält keine Geheimnisse.',
      reload: 'Datei neu laden',
      reloaded: 'Die Datei wurde neu geladen.',
      file: 'Datei',
      revision: 'Fassung',
      text: 'Text der Konfigurationsdatei',
      problem: 'Die Datei hat einen Fehler und gilt nicht; die vorige Konfiguration gilt weiter.',
      notWritable: (file, command) =>
        `receiptd darf seine Konfigurationsdatei ${file} nicht schreiben; Änderungen hier werden deshalb abgelehnt. ` +
        (command === null
          ? 'Ändern Sie die Datei in einem Editor, oder geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte für die Datei und ihr Verzeichnis. Läuft es als Dienst, führen Sie auch `sudo receiptd service install` aus.'
          : `Um sie zu erlauben, führen Sie \`${command}\` aus. Oder ändern Sie die Datei in einem Editor.`),
      restartNeeded: (keys) => `Wirkt ab dem nächsten Start: ${keys.join(', ')}.`,
    },
  };
}

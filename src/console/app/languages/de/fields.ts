import type { fieldsTexts as english } from '../en/fields.ts';

export function fieldsTexts(): ReturnType<typeof english> {
  return {
    fields: {
      path: { label: 'Pfad', help: 'Vollständig, oder relativ zur Konfigurationsdatei.' },
      endpoint: { label: 'Endpunkt', help: 'Wohin die Bilder gehen.' },
      recursive: { label: 'Auch Unterordner überwachen', help: '' },
      watch: { label: 'Wie neue Dateien bemerkt werden', help: '' },
      name: {
        label: 'Namensmuster',
        help: 'Aus {folder} {path} {stem} {ext} {date} {time} {captured} {hash} {seq} {host} {endpoint}. Änderungen gelten nur für neue Belege.',
      },
      existing: {
        label: 'Dateien, die schon im Ordner liegen',
        help: 'send (senden), skip (überspringen) oder since JJJJ-MM-TT (ab einem Tag). Gilt, sobald der Ordner zum ersten Mal überwacht wird.',
      },
      accept: {
        label: 'Typen, die gesendet werden',
        help: 'Nach dem Inhalt beurteilt, nicht nach dem Namen.',
      },
      pages: {
        label: 'PDF und TIFF mit mehreren Seiten',
        help: 'Unverändert gesendet, muss PDF auch unter den Typen stehen.',
      },
      maxFileSize: { label: 'Größte Datei', help: 'Etwa 20MB.' },
      include: { label: 'Nur diese Dateien', help: 'Ein Muster je Zeile, etwa *.jpg.' },
      ignore: { label: 'Diese Dateien übergehen', help: 'Ein Muster je Zeile.' },
      afterUpload: { label: 'Das Original', help: 'Sobald seine Annahme eingetragen ist.' },
      archiveTo: { label: 'Archiv', help: 'Relativ zum Ordner, oder vollständig.' },
      settleShort: {
        label: 'Vollständige Dateien',
        help: 'Wie lange sie unverändert bleiben müssen, etwa 200ms.',
      },
      settleLong: {
        label: 'Dateien, die noch wachsen können',
        help: 'Dasselbe für TIFF, PDF und unbekannte Typen.',
      },
      settlePatience: { label: 'Geduld', help: 'Nach dieser Zeit wird eine unvollständige Datei gemeldet.' },
      uid: { label: 'Uid', help: 'Vom Dienst vergeben.' },
      endpointConcurrency: {
        label: 'Gleichzeitige Übertragungen',
        help: 'An diesen Endpunkt; sonst gilt die Grenze für alle.',
      },
      concurrency: { label: 'Gleichzeitige Übertragungen', help: 'Alle Endpunkte zusammen.' },
      rate: { label: 'Tempo', help: 'N/s, N/min oder N/h, etwa 120/min, oder unlimited (unbegrenzt).' },
      perDay: { label: 'Übertragungen am Tag', help: 'Kalendertag, Ortszeit; oder unlimited (unbegrenzt).' },
      perMonth: {
        label: 'Übertragungen im Monat',
        help: 'Kalendermonat, Ortszeit; oder unlimited (unbegrenzt).',
      },
      bandwidth: { label: 'Bandbreite', help: 'Etwa 500kB/s oder 2MB/s, oder unlimited (unbegrenzt).' },
      hours: {
        label: 'Wann Übertragungen beginnen dürfen',
        help: 'Eine Zeitspanne je Zeile, etwa Mon-Fri 07:00-19:00, oder always (immer). Ortszeit des Rechners.',
      },
      share: {
        label: 'Gemeinsamer Name',
        help: 'Name dieses Ordners unter Agenten mit gemeinsamem Eingangsbuch, oder none (keiner).',
      },
      nameMaxBytes: { label: 'Längster Name', help: 'In Bytes.' },
      builtInIgnores: { label: 'Temporäre, verborgene und halb geladene Dateien übergehen', help: '' },
      pageResolution: {
        label: 'Auflösung',
        help: 'Punkte je Zoll bei PDF-Seiten, die gezeichnet werden müssen.',
      },
      qualityCheck: {
        label: 'Bilder vor dem Senden prüfen',
        help: 'Leer, zu dunkel, unscharf oder zu klein zum Lesen.',
      },
      upright: { label: 'Fotos, die auf der Seite liegen, aufrecht senden', help: '' },
      afterUploadOn: {
        label: 'Wann das geschieht',
        help: 'accepted (angenommen), oder je Zeile ein Status des Dienstes, etwa DONE, den erst ein Ergebnis bringen muss.',
      },
      afterUploadExisting: {
        label: 'Früher angenommene Dateien',
        help: 'Was mit Dateien geschieht, die vor dieser Einstellung da waren.',
      },
      needsAttention: {
        label: 'Ordner für Unerledigtes',
        help: 'Etwa _Bitte ansehen, oder none (keiner). Dorthin kommt eine Kopie jeder Datei, die sich nicht senden lässt, mit dem Grund.',
      },
      silentAfter: {
        label: 'Scanner gilt als verstummt nach',
        help: 'auto, never (nie) oder eine Dauer an Arbeitszeit, etwa 4h.',
      },
      account: { label: 'Konto', help: 'Wessen Zugangsdaten verwendet werden.' },
      spread: { label: 'Ein Tempo je Minute oder Stunde gleichmäßig verteilen', help: '' },
      grace: {
        label: 'Warten beim Anhalten',
        help: 'Wie lange begonnene Übertragungen weitergehen dürfen, etwa 20s.',
      },
      parkAfter: {
        label: 'Serverfehler bis zum Zurückstellen',
        help: 'Eines Belegs, während andere durchkommen.',
      },
      mailServer: {
        label: 'Mailserver',
        help: 'smtps://mail.example.com, oder smtp://mail.example.com:587 mit STARTTLS; none für keine Mail.',
      },
      mailTo: { label: 'Wer Mail bekommt', help: 'Eine Adresse je Zeile.' },
      mailUser: {
        label: 'Benutzer am Mailserver',
        help: 'Sein Passwort wird unten eingegeben, sobald das gespeichert ist.',
      },
      mailFrom: { label: 'Absender', help: 'Eine Mailadresse.' },
      webhookUrl: { label: 'Webhook', help: 'Adresse, an die jede Meldung geht, oder none (keine).' },
      desktop: { label: 'Auf dem Desktop des Benutzers, unter dem receiptd läuft', help: '' },
      eventLog: { label: 'Im Ereignisprotokoll von Windows', help: '' },
      language: {
        label: 'Sprache',
        help: 'Die der Meldungen, Zusammenfassungen und Hinweise neben den Scans.',
      },
      alertAfter: {
        label: 'Warten vor einer Meldung',
        help: 'Was bis dahin vorbei ist, steht nur im Protokoll. Etwa 2m.',
      },
      alertSilent: {
        label: 'Ein Scanner gilt als verstummt nach',
        help: 'auto, never (nie) oder eine Dauer an Arbeitszeit, etwa 4h.',
      },
      digest: {
        label: 'Tägliche Zusammenfassung',
        help: 'Eine Uhrzeit wie 07:30, oder off (aus). Ortszeit des Rechners.',
      },
      quietHours: {
        label: 'Ruhezeiten',
        help: 'Eine Zeitspanne je Zeile, etwa Mon-Fri 19:00-07:00, oder none (keine). Ortszeit des Rechners.',
      },
      resultSize: { label: 'Größtes Ergebnis', help: 'Etwa 1MB.' },
      resultRate: {
        label: 'Höchstens so viele Ergebnisse',
        help: 'N/s, N/min oder N/h. Weitere sollen später noch einmal kommen.',
      },
      resultColumns: {
        label: 'Spalten',
        help: 'Je Zeile ein Name, und wo der Wert in dem steht, was der Dienst meldet, etwa Summe: /receipt/total. Listen und Exporte zeigen sie.',
      },
      reconcileEvery: { label: 'Ordner mit dem Eingangsbuch vergleichen alle', help: 'Etwa 60s.' },
      pollEvery: { label: 'Netzlaufwerke auflisten alle', help: 'Etwa 5s.' },
      takeOverAfter: { label: 'Ordner eines anderen Agenten übernehmen nach', help: 'Etwa 10m.' },
      confirmAbove: {
        label: 'Mehr Dateien melden als',
        help: 'In einem Ordner, der zum ersten Mal überwacht wird.',
      },
      spool: {
        label: 'Welche Bilder kopiert werden',
        help: 'In das Zustandsverzeichnis, bis der Dienst sie hat.',
      },
      spoolLimit: {
        label: 'Höchstens Platz für Kopien',
        help: 'Etwa 5GB. Ist er voll, warten neue Scans.',
      },
      keepFailed: {
        label: 'Kopien abgelehnter Belege behalten für',
        help: 'Für einen neuen Versuch, etwa 24d.',
      },
      reserve: { label: 'Reserve für eine volle Platte', help: 'Etwa 8MB. Wirkt ab dem nächsten Start.' },
      backupEvery: { label: 'Sichern alle', help: 'Etwa 1d. Wirkt ab dem nächsten Start.' },
      backups: { label: 'Aufbewahrte Sicherungen', help: '0: keine. Wirkt ab dem nächsten Start.' },
      logLevel: { label: 'Unwichtigste Zeilen', help: 'Wirkt ab dem nächsten Start.' },
      logSize: { label: 'Größe einer Protokolldatei', help: 'Etwa 10MB. Wirkt ab dem nächsten Start.' },
      logFiles: { label: 'Aufbewahrte Protokolldateien', help: 'Wirkt ab dem nächsten Start.' },
      hosts: {
        label: 'Weitere Namen der Konsole',
        help: 'Einer je Zeile: der Name im Zertifikat oder der eines Reverse-Proxys. Andere werden abgelehnt.',
      },
      thumbnails: { label: 'Höchstens Platz für Vorschaubilder', help: 'Etwa 50MB, oder off (aus).' },
      uploadContentType: {
        label: 'Content-Type der Übertragungen',
        help: 'auto, oder ein Medientyp wie application/octet-stream.',
      },
      answerLimit: { label: 'Von jeder Antwort aufheben', help: 'Etwa 64kB.' },
      timeoutConnect: { label: 'Auf eine Verbindung', help: '' },
      timeoutProgress: { label: 'Auf Fortschritt einer Übertragung', help: '' },
      timeoutHeaders: { label: 'Auf den Beginn einer Antwort', help: '' },
      timeoutBody: { label: 'Auf das Ende einer Antwort', help: '' },
    },
  };
}

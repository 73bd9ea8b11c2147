import type { documentsHelp as englishHelp, documentsTexts as english } from '../../en/cli/documents.ts';
import type { Format } from '../../format.ts';

export const documentsHelp: typeof englishHelp = {
  filters: {
    state: 'nur diese Zustände',
    endpoint: 'nur dieser Endpunkt',
    folder: 'nur dieser Ordner',
    search:
      'nur Einträge mit all diesen Wörtern in Name, Pfad, Hash, Zustand oder Nachricht des Dienstes; ohne Rücksicht auf Groß- und Kleinschreibung und Akzente',
    since:
      'nur Dateien, die in diesem Zeitraum oder danach eingingen, in Ortszeit: ein Tag (2026-01-31), ein Monat (2026-01), today, yesterday, last-week, last-month oder die letzten Stunden (2h)',
    until: 'nur Dateien, die bis zum Ende dieses ebenso angegebenen Zeitraums eingingen',
    where:
      'nur Einträge mit passenden Ergebnissen, mit Namen aus results.columns: "total>=100", "total<=300", "merchant=hotel"',
    limit: 'höchstens so viele Einträge',
  },
  list: {
    about: 'die Dateien zeigen, die receiptd gesehen hat, ihre Namen und was aus ihnen wurde',
    needsPerson: 'nur, was zu klären ist',
    dismissed: 'nur, was als erledigt gilt',
    json: 'als ein JSON-Array (die Felder stehen in docs/commands.md)',
  },
  show: {
    about: 'alles über einen Beleg zeigen: Dateien, Versuche, Antwort des Dienstes',
    json: 'als JSON-Array, ein Objekt je Endpunkt, der den Namen hat',
    byContent: 'Eine Datei wird an ihrem Inhalt erkannt, wie auch immer sie jetzt heißt und wo sie liegt.',
  },
  send: {
    about: 'einzelne Dateien senden; sie werden wie Scans benannt und eingetragen und bleiben, wo sie sind',
    file: 'Bilder außerhalb der überwachten Ordner',
    endpoint: 'Endpunkt, der sie bekommt; nötig, wenn mehrere eingerichtet sind',
    wait: 'wie lange auf die Annahme der Dateien gewartet wird',
    noWait:
      'enden, sobald die Dateien benannt und gesichert sind; gesendet werden sie vom Agenten oder beim nächsten Lauf',
    json: 'als JSON-Array von { file, outcome, name, message, fact }',
    statuses:
      '3 etwas ist fehlgeschlagen, abgewiesen oder verloren; 4 etwas wartet noch; 5 der Dienst war nicht erreichbar; 6 ein anderes receiptd startet mit diesem Zustandsverzeichnis; 130 durch ein Signal beendet',
  },
  retry: {
    about:
      'abgelehnte, unbestätigte, verlorene und wartende Belege sofort unter denselben Namen neu einreihen',
    documents: 'Namen von Belegen, Anfänge von Namen oder Dateien',
    all: 'alle solchen Belege; versucht auch alles Zurückgehaltene wieder',
    json: 'als JSON: { queued, names }',
  },
  resend: {
    about: 'einen angenommenen Beleg noch einmal senden; das wird eingetragen und zählt zum Kontingent',
    endpoint: 'an diesen Endpunkt statt an den eigenen senden',
    json: 'als JSON: { name, endpointUid, outcome }',
  },
  move: {
    about: 'alles, was auf einen entfernten Endpunkt wartet, zu einem anderen verschieben',
    from: 'Uid eines Endpunkts, den die Konfiguration nicht mehr hat',
    to: 'Alias des Endpunkts, der die Belege bekommt',
    json: 'als JSON: { moved }',
  },
  pause: {
    about: 'das Senden pausieren; Scans werden weiter benannt und eingetragen',
    until: 'wann die Pause von selbst endet, etwa 2h, 08:00, tomorrow, monday oder 2026-01-31',
  },
  resume: { about: 'pausiertes Senden fortsetzen' },
  pauses: { target: 'ein Ordner oder ein Endpunkt; sonst alles', json: 'als JSON: { targets }' },
  dismiss: {
    about: 'Belege oder Dateien, die zu klären sind, als erledigt kennzeichnen',
    documents: 'Namen von Belegen, Pfade oder Namen von Dateien',
    all: 'alle, auf die die Filter zutreffen',
    undo: 'rückgängig: Sie sind wieder zu klären',
    json: 'als JSON: { dismissed }',
    more: 'Ihr Zustand ändert sich nicht, und `list` zeigt, wer sie erledigt hat. Eine geänderte Datei oder ein erneut abgelehnter Beleg ist wieder zu klären.',
  },
  erase: {
    about: 'personenbezogene Daten von Belegen endgültig löschen (Pfade, Nachrichten, Antworten)',
    documents: 'Namen von Belegen',
    before: 'alle Belege, die vor diesem Tag benannt wurden (JJJJ-MM-TT, Ortszeit)',
    withOriginals:
      'auch ihre Dateien in überwachten Ordnern löschen, wenn sie angenommen und unverändert sind',
    json: 'als JSON: { erased, skipped, there }',
    there:
      'Ein Beleg wird übergangen, solange seine Datei in einem überwachten Ordner liegt: Ihr Pfad würde binnen einer Minute wieder eingetragen. Nehmen Sie die Datei heraus, oder ergänzen Sie --with-originals. Auch Belege, die noch zu senden sind, werden übergangen.',
  },
  results: { about: 'Ergebnisse, die der Dienst zu Belegen geschickt hat, und die Adresse dafür' },
  resultsList: {
    about: (shown) => `die letzten ${shown} Ergebnisse zeigen, neueste zuerst`,
    unmatched: 'nur Ergebnisse zu unbekannten Belegen',
    json: 'alle Ergebnisse, als ein JSON-Array',
  },
  resultsShow: {
    about: 'ein Ergebnis zeigen, wie es geschickt wurde',
    id: 'Nummer des Ergebnisses',
    json: 'als JSON, mit dem geschickten Text',
  },
  resultsUrl: {
    about: 'die Adresse ausgeben, die ein Endpunkt als outgoingUrl bekommt; sie enthält ein Geheimnis',
    endpoint: 'der Endpunkt, wenn seine Ergebnisse ihn nicht nennen',
    base: 'Adresse, unter der der Dienst diesen Rechner erreicht, etwa https://receipts.example.com',
  },
  export: {
    about:
      'das Eingangsbuch in eine Datei ausgeben; FILE.head.json daneben enthält den letzten Eintrag des Journals, für `ledger verify --head`',
    format: 'sonst die Endung der Datei, sonst csv',
    excel:
      'für Excel: UTF-8 mit Byte Order Mark, und Semikolons, wo das Dezimalzeichen ein Komma ist; mit --all-columns auch Überschriften und Erklärungen in Ihrer Sprache',
    allColumns: 'alle Spalten, für Programme: Namen der Felder als Überschriften, Zeiten in UTC',
    separator: 'Trennzeichen für csv: ",", ";" oder tab',
    output: 'Datei, die angelegt wird; sonst die Standardausgabe',
  },
};

export function documentsTexts({ counted, plural, bytes, time }: Format): ReturnType<typeof english> {
  const erased = (n: number) => `Personenbezogene Daten gelöscht: ${counted(n, 'Beleg', 'Belege')}`;
  const queued = (n: number) => `Eingereiht: ${counted(n, 'Beleg', 'Belege')}`;
  return {
    filters: {
      nothing: 'Noch nichts.',
      noMatch: (options) => `Nichts gefunden mit ${options}.`,
      notWatched: (folder) => `Nichts gefunden: ${folder} ist kein überwachter Ordner.`,
      inside: (watched) =>
        `Er liegt in ${watched}: Geben Sie diesen bei --folder an, und suchen Sie den Rest mit --search.`,
      nearest: (watched) => `Meinten Sie ${watched}?`,
      watched: (folders) => `Überwacht: ${folders.join(', ')}.`,
    },
    list: {
      dismissed: (p) => `Erledigt von ${p.by} am ${time(p.at)}.`,
    },
    show: {
      unreadable: (file) => `${file} ist nicht lesbar und wird an seinem Pfad erkannt:`,
      otherContent: (file) =>
        `Kein Beleg hat den Inhalt von ${file}. Zur Datei mit diesem Pfad gehört dieser Beleg:`,
      state: 'Zustand',
      why: 'Grund',
      nextTry: 'wieder',
      note: 'Hinweis',
      endpoint: 'Endpunkt',
      sha256: 'SHA-256',
      image: 'Bild',
      named: 'benannt',
      file: 'Datei',
      duplicate: 'Duplikat',
      quality: 'Qualität',
      attempt: 'Versuch',
      result: 'Ergebnis',
      answer: 'Antwort',
      serviceSays: (status) => `Dienst: ${status}`,
      notBefore: (at) => `nicht vor ${time(at)}`,
      answerLost:
        'Eine Übertragung blieb ohne eindeutige Antwort: Der Dienst hat den Beleg vielleicht schon.',
      endpointAt: (alias, uid, baseUrl) => `${alias === null ? uid : `${alias} (${uid})`} bei ${baseUrl}`,
      imageOf: (type, size) => `${type}, ${counted(size, 'Byte', 'Bytes')}`,
      disposed: { archived: 'archiviert', deleted: 'gelöscht', kept: 'behalten' },
      there: 'vorhanden',
      gone: (at) => `weg seit ${time(at)}`,
      erased: (folder) => `gelöscht; lag in ${folder}`,
      outcomes: {
        accepted: 'angenommen',
        refused: 'abgelehnt',
        limited: 'gebremst',
        trouble: 'gestört',
        unknown: 'unbekannt',
        notSent: 'nicht gesendet',
        open: 'offen',
      },
      underWay: 'läuft',
      noStatus: 'kein Status',
      more: '--json zeigt mehr davon',
      cut: (size, sha256) =>
        `das Eingangsbuch behält den Anfang von ${bytes(size)}; SHA-256 des Ganzen: ${sha256}`,
    },
    send: {
      recorded: (file, name) => `${file}: eingetragen als ${name}.`,
      gone: 'Das gibt es nicht, oder es ist keine Datei.',
      changed:
        'Die Datei hat sich beim Lesen geändert. Senden Sie sie noch einmal, sobald sie vollständig ist.',
      tooLarge: (limit) => `Die Datei hat mehr als ${limit} Bytes (\`maxFileSize\`).`,
      tooLargeToSend: (limit) =>
        `Die Datei hat mehr als ${limit} Bytes (so viel lässt sich auf diesem Weg höchstens senden).`,
      unreadable: (system) => `Die Datei ist nicht lesbar (${system}).`,
      itsTurn: 'Der Beleg wartet, bis er an der Reihe ist.',
      accepted: (file, name) => `${file}: angenommen als ${name}`,
      queued: (file, name) => `${file}: eingereiht als ${name}`,
      duplicate: (file, name) => `${file}: Duplikat von ${name}`,
      duplicateWaits: (file, name) => `${file}: Duplikat von ${name}; wartet`,
      rejected: (file, why) => `${file}: nicht gesendet: ${why}`,
      failed: (file, name) => `${file}: abgelehnt, als ${name}`,
      unconfirmed: (file, name) => `${file}: unbestätigt, als ${name}`,
      lost: (file, name) => `${file}: verloren, als ${name}`,
    },
    retry: {
      soFar: (n) => `${queued(n)} bis jetzt`,
      queued: (n, names) => `${queued(n)}${names.length === 0 ? '' : ` (${names.join(', ')})`}.`,
      held: 'Alles Zurückgehaltene wird jetzt wieder versucht.',
      missing: (agent) =>
        `Nur der Agent ${agent} hat das Bild, und er läuft nicht. Starten Sie ihn, oder entfernen Sie ihn: \`receiptd fleet retire ${agent}\`.`,
    },
    resend: {
      duplicate: (name) => `Dieser Endpunkt hat das Bild schon, als „${name}“.`,
      queued: (name, uid) => `„${name}“ ist für den Endpunkt ${uid} eingereiht.`,
    },
    move: {
      moved: (n, endpoint) => `Verschoben zu ${endpoint}: ${counted(n, 'Beleg', 'Belege')}.`,
    },
    pauses: {
      pause: (targets, until) =>
        `Pausiert${until === null ? '' : ` bis ${time(until)}`}: ${targets.join(', ')}.`,
      resume: (targets) => `Fortgesetzt: ${targets.join(', ')}.`,
      everything: 'alles',
      nothing: 'Nichts war pausiert.',
      newLedger: (stateDir) => `Warnung: ${stateDir} hatte kein Eingangsbuch; ein neues wurde angelegt.`,
    },
    dismiss: {
      done: (n) => `Erledigt: ${counted(n, 'Beleg oder Datei', 'Belege und Dateien')}.`,
      undone: (n) => `Wieder zu klären: ${counted(n, 'Beleg oder Datei', 'Belege und Dateien')}.`,
    },
    erase: {
      goes: 'Endgültig gelöscht werden die Pfade ihrer Dateien, alle Nachrichten und die Antworten des Dienstes: im Eingangsbuch, in seinem Journal und in Kopien im Spool.',
      stays:
        'Name, Hash, Zeiten und Zustände bleiben, damit sich das Journal weiterhin prüfen lässt. Nicht gelöscht werden: das Archiv, der Dienst selbst, Protokolldateien, Exporte und frühere Sicherungen.',
      soFar: (n) => `${erased(n)} bis jetzt`,
      erased: (n) => `${erased(n)}.`,
      there: (name, files) =>
        `Nicht gelöscht: ${name}, denn ${plural(files, 'die Datei liegt', 'die Dateien liegen')} noch in einem überwachten Ordner:`,
      moveAway: (files) => `Nehmen Sie ${plural(files, 'die Datei', 'die Dateien')} zuerst heraus.`,
      moveAwayOr: (files) =>
        `Nehmen Sie ${plural(files, 'die Datei', 'die Dateien')} zuerst heraus, oder ergänzen Sie --with-originals, um angenommene Dateien zu löschen.`,
      waiting: 'Nicht gelöscht, weil noch zu senden:',
      ask: (n, names) =>
        `Personenbezogene Daten von ${counted(n, 'Beleg', 'Belegen')} löschen (${names.join(', ')})?`,
      askBefore: (n, before) =>
        `Personenbezogene Daten von ${counted(n, 'Beleg', 'Belegen')} löschen, benannt vor dem ${before}?`,
    },
    results: {
      allMatch: 'Jedes Ergebnis gehört zu einem Beleg.',
      none: 'Noch keine.',
      columns: {
        id: 'NR',
        received: 'EMPFANGEN',
        status: 'STATUS',
        size: 'GRÖSSE',
        document: 'BELEG',
      },
      more: 'Es gibt weitere. --json zeigt alle.',
      unknown: '(unbekannt)',
      unknownName: (name) => `(unbekannt: ${name})`,
      title: (id) => `Ergebnis ${id}`,
      labels: {
        received: 'empfangen',
        document: 'Beleg',
        name: 'Name',
        endpoint: 'Endpunkt',
        status: 'Status',
        sha256: 'SHA-256',
        payload: 'Inhalt',
      },
      documentAt: (name, uid) => `${name} (Endpunkt ${uid})`,
      unknownHere: 'hier unbekannt',
      noStatus: 'keiner',
      base64: (size) => `${bytes(size)}, gezeigt in Base64`,
      erased: '(gelöscht)',
    },
    export: {
      head: (head) => `Der letzte Eintrag des Journals zu dieser Zeit: ${head}`,
      wrote: (file, headFile) =>
        `Geschrieben: ${file}, und nach ${headFile} der letzte Eintrag des Journals zu dieser Zeit.`,
    },
  };
}

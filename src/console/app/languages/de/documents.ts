import type { Format } from '../../textFormat.ts';
import type { documentsTexts as english } from '../en/documents.ts';

export function documentsTexts({ counted, number }: Format): ReturnType<typeof english> {
  const documents = (n: number): string => counted(n, 'Beleg', 'Belege');
  const files = (n: number): string => counted(n, 'Datei', 'Dateien');
  const hier = (n: number): string => (n === 1 ? 'Die Datei hier wird' : `Die ${files(n)} hier werden`);
  const budgets = (perDay: number | null, perMonth: number | null): string => {
    const all = [
      ...(perDay === null ? [] : [`${number(perDay)} am Tag`]),
      ...(perMonth === null ? [] : [`${number(perMonth)} im Monat`]),
    ];
    return all.length === 0 ? '' : ` von ${all.join(' und ')}`;
  };
  return {
    documents: {
      title: 'Belege',
      csv: 'Als CSV herunterladen',
      json: 'Als JSON herunterladen',
      more: 'Mehr',
      pages: 'Seiten der Liste',
      first: 'Erste Seite',
      previous: 'Vorige Seite',
      next: 'Nächste Seite',
      image: 'Bild',
      answerLost: 'Eine Antwort ging verloren: Der Dienst hat den Beleg vielleicht schon.',
      searching: (n) => (n === 0 ? 'Suche läuft …' : `${number(n)} gefunden, Suche läuft …`),
      lookedUntil: (date) => `Gesucht bis zurück zum ${date}.`,
      stopped: 'Die Suche wurde abgebrochen.',
      none: 'Nichts gefunden. Erweitern Sie die Filter.',
      total: (n, isAll) => (isAll ? `${number(n)} insgesamt.` : `Mehr als ${number(n)} insgesamt.`),
      shown: (n, isAll) => `${number(n)} angezeigt${isAll ? ' (alle).' : '.'}`,
      stop: 'Abbrechen',
      view: 'Ansicht',
      views: { list: 'Liste', grid: 'Kacheln' },
      pending: (n) => `${counted(n, 'neuen Beleg', 'neue Belege')} anzeigen`,
    },
    byHand: {
      open: 'Dateien senden …',
      drop: 'Dateien hier ablegen, um sie zu senden',
      none: 'Ordner lassen sich nicht senden. Wählen Sie die Dateien darin.',
      title: (n) => `${files(n)} senden?`,
      titles: { sending: 'Dateien werden gesendet …', over: 'Ergebnis' },
      files: 'Dateien',
      endpoint: 'An',
      means: (n, alias) => `Sendet ${files(n)} an ${alias}.`,
      uses: (perDay, perMonth) =>
        `Jede, die noch nicht gesendet wurde, verbraucht eine Übertragung${budgets(perDay, perMonth)}.`,
      kept: 'receiptd bewahrt eine Kopie nur auf, bis der Dienst sie angenommen hat. Behalten Sie Ihre Dateien.',
      confirm: (n) => `${files(n)} senden`,
      others: (n) => (n === 1 ? 'Die andere Datei senden' : `Die anderen ${files(n)} senden`),
      stop: 'Anhalten',
      at: (index, n) => `Datei ${number(index)} von ${number(n)} wird gesendet …`,
      progress: (file) => `Gesendet von ${file}`,
      checking: 'Wird geprüft …',
      queued: 'Eingereiht als',
      accepted: 'Schon gesendet als',
      known: 'Schon bekannt als',
      notSent: 'Nicht gesendet.',
      sum: (queued, known, left) =>
        [
          `${number(queued)} eingereiht`,
          ...(known > 0 ? [`${number(known)} schon bekannt`] : []),
          ...(left > 0 ? [`${number(left)} nicht gesendet`] : []),
        ].join(', ') + '.',
      unreadable:
        'Der Browser kann diese Datei nicht mehr lesen. Sie wurde verschoben, geändert oder gelöscht.',
    },
    saved: {
      title: 'Tage und gespeicherte Filter',
      today: 'Heute',
      yesterday: 'Gestern',
      week: 'Diese Woche',
      lastWeek: 'Letzte Woche',
      month: 'Dieser Monat',
      lastMonth: 'Voriger Monat',
      save: 'Diesen Filter speichern …',
      ask: 'Diesen Filter speichern',
      name: 'Name',
      means:
        'Der Filter wird in diesem Browser gespeichert. Um ihn weiterzugeben, schicken Sie die Adresse dieser Seite.',
    },
    rejected: {
      title: 'Nicht gesendete Dateien',
      none: 'Keine Datei wird zurückgehalten. Dateien, die keine Belege sind, stehen hier nicht.',
      first: (n) => `Die neuesten ${number(n)}. Weitere folgen, sobald diese geklärt sind.`,
      group: (why, n) => `${why} (${number(n)})`,
      raise: 'Grenze anheben …',
      raiseTitle: 'Grenze dieses Ordners anheben?',
      raiseMeans: (folder, n) =>
        `${folder} sendet dann Dateien bis zu dieser Größe. ${hier(n)} neu geprüft und gesendet, wenn ${n === 1 ? 'sie passt' : 'sie passen'}.`,
      accept: (types) => `${types.map((each) => each.toUpperCase()).join(', ')} zulassen …`,
      acceptTitle: (types) =>
        `${types.map((each) => each.toUpperCase()).join(', ')} aus diesem Ordner senden?`,
      acceptMeans: (folder, n) => `${folder} sendet dann solche Dateien. ${hier(n)} neu geprüft.`,
      pdfMeans: 'PDF werden unverändert gesendet. Klären Sie zuerst, ob Ihr Dienst sie annimmt.',
      save: 'Speichern und neu prüfen',
      looked: 'Gespeichert. Die Dateien werden neu geprüft.',
    },
    many: {
      title: 'Auswahl',
      select: 'Auswählen',
      selected: (n) => `${number(n)} ausgewählt`,
      page: (n) => (n === 1 ? 'Diesen einen auswählen' : `Diese ${number(n)} auswählen`),
      all: (n) => `Alle ${number(n)} dieser Liste auswählen`,
      none: 'Auswahl aufheben',
      acts: {
        again: (n) => `${number(n)} erneut senden`,
        dismiss: (n) => `${number(n)} als erledigt markieren`,
      },
      zip: (n) => `${counted(n, 'Bild', 'Bilder')} herunterladen (ZIP)`,
      csv: (n) => `${number(n)} exportieren (CSV)`,
      json: (n) => `${number(n)} exportieren (JSON)`,
      ask: {
        again: (n) => `${documents(n)} erneut senden?`,
        dismiss: (n) => `${counted(n, 'Eintrag', 'Einträge')} als erledigt markieren?`,
      },
      means: {
        retry:
          'Noch nicht gesendete gehen unter ihren Namen hinaus. Hat der Dienst einen davon doch schon, bekommt er ihn womöglich doppelt.',
        resend:
          'Schon gesendete gehen ein weiteres Mal hinaus, unter denselben Namen. Der Dienst verarbeitet sie womöglich doppelt oder lehnt sie ab.',
        uploads: (n) => `Das verbraucht ${counted(n, 'Übertragung', 'Übertragungen')}.`,
        dismiss: 'Sie bleiben, wie sie sind, und gelten nicht mehr als zu klären.',
      },
      kinds: {
        retry: (n) => `Nur die ${number(n)} nicht gesendeten`,
        all: (n) => `Alle ${number(n)}`,
      },
      everything: 'Es ist kein Filter gesetzt: Das betrifft alles, was je gesehen wurde.',
      done: {
        again: (n) => `Wieder eingereiht: ${documents(n)}.`,
        dismiss: (n) => `Als erledigt markiert: ${number(n)}.`,
      },
      gone: (n) =>
        `${counted(n, 'Beleg konnte', 'Belege konnten')} nicht erneut gesendet werden: Die Bilder sind nicht mehr da.`,
    },
    filters: {
      title: 'Filter',
      search: 'Suche',
      searchHint: 'Name, Pfad, Hash, Status …',
      allStates: 'Alle Zustände',
      waiting: 'Alles, was wartet',
      attention: 'Klärung',
      allAttention: 'Alle',
      needed: 'Zu klären',
      dismissed: 'Als erledigt markiert',
      none: 'Nichts zu tun',
      settled: 'Alles nicht Gesendete',
      counted: (text, n) => `${text} (${number(n)})`,
      folder: 'Ordner',
      allFolders: 'Alle Ordner',
      allEndpoints: 'Alle Endpunkte',
      since: 'Von',
      until: 'Bis',
      order: 'Reihenfolge',
      newest: 'Neueste zuerst',
      oldest: 'Älteste zuerst',
      column: 'Spalte',
      addColumn: 'Filtern nach …',
      contains: 'Enthält',
      boundHint: 'Betrag oder Tag',
      clear: 'Filter zurücksetzen',
      time: 'Zeit',
    },
  };
}

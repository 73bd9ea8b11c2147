import type { Ended, Format } from '../../textFormat.ts';
import type { overviewTexts as english } from '../en/overview.ts';

export function overviewTexts({ counted, number }: Format): ReturnType<typeof english> {
  const documents = (n: number): string => counted(n, 'Beleg', 'Belege');
  const others = ({ refused, limited, trouble }: Ended): string =>
    `${number(refused)} abgelehnt, ${number(limited)} vom Dienst vertagt, ${number(trouble)} gestört`;
  return {
    overview: {
      needAttention: (n, of) =>
        of === 1
          ? 'Die einzige Datei von heute ist zu klären.'
          : `Von den ${number(of)} Dateien von heute ${n === 1 ? 'ist' : 'sind'} ${number(n)} zu klären.`,
      areWaiting: (n, of) =>
        of === 1
          ? 'Die einzige Datei von heute wartet auf den Versand.'
          : `Von den ${number(of)} Dateien von heute ${n === 1 ? 'wartet' : 'warten'} ${number(n)} auf den Versand.`,
      areSent: (n, of) =>
        n === of
          ? n === 1
            ? 'Die einzige Datei von heute ist gesendet.'
            : `Alle ${number(of)} Dateien von heute sind gesendet.`
          : `Gesendet: ${number(n)} von ${counted(of, 'Datei', 'Dateien')} von heute.`,
      nothingYet: 'Heute ist noch nichts eingegangen.',
      problems: (n) => `${counted(n, 'Problem ist', 'Probleme sind')} zu klären.`,
      paused: 'Das Senden ist pausiert.',
      asOf: (at) => `Keine Verbindung; letzter bekannter Stand von ${at}`,
      ofAllDays: (parts) => `Von allen Tagen: ${parts}`,
      onHold: (n) => `${counted(n, 'Beleg wird', 'Belege werden')} zurückgehalten; die Gründe stehen unten.`,
      lastScan: 'Letzter Scan',
      noScan: (listed) => `keiner (geprüft ${listed})`,
      inFolder: 'Jetzt im Ordner',
      running: (since, version) => `Läuft seit ${since}, Version ${version}.`,
      ofAll: (n) => `von ${counted(n, 'Datei', 'Dateien')} bisher`,
      nobody: 'Es ist nichts zu tun.',
      look: 'Dateien und Belege zum Nachsehen',
      otherMeans: 'Duplikate, Dateien, die keine Belege sind, Übersprungenes und Erledigtes.',
      noneWaits: 'Es gibt keinen Rückstand.',
      oldest: (at, span) => `der älteste seit ${at} (${span})`,
      held: 'Zurückgehalten',
      noneHeld: 'Nichts wird zurückgehalten.',
      ofWaiting: 'von den wartenden',
      pace: 'Gesendet je Minute',
      inFlight: (n) => counted(n, 'Übertragung läuft', 'Übertragungen laufen'),
      forecast: 'Rückstand abgebaut',
      emptyNow: 'jetzt',
      nothingWaits: 'Kein Beleg wartet auf den Versand.',
      unknown: 'unbekannt',
      allHeld: 'Alles, was wartet, ist zurückgehalten.',
      noPace: 'Zu wenige Übertragungen für eine Schätzung.',
      emptyIn: (span) => `bei diesem Tempo in ${span}`,
      spool: 'Zwischenkopien',
      spoolOf: (images, limit) => `${counted(images, 'Bild', 'Bilder')}, höchstens ${limit}`,
    },
    notes: {
      hours: (opens) => `Außerhalb der Sendezeiten. Gesendet wird wieder ab ${opens}.`,
      spent: {
        day: (endpoint, limit, until) =>
          `${endpoint}: Heute sind alle ${number(limit)} Übertragungen verbraucht. Gesendet wird wieder ab ${until}.`,
        month: (endpoint, limit, until) =>
          `${endpoint}: In diesem Monat sind alle ${number(limit)} Übertragungen verbraucht. Gesendet wird wieder ab ${until}.`,
      },
      slowed: (endpoint, less, cause) =>
        `An ${endpoint} wird langsamer gesendet (${less}), ${cause}. Das Tempo steigt von selbst wieder.`,
      atOnce: (now, configured) => `${number(now)} statt ${number(configured)} gleichzeitig`,
      spaced: (seconds) => `Abstand ${seconds} s`,
      causes: {
        refused: 'weil der Dienst darum bat',
        slow: 'weil seine Antworten viel länger dauern als zuvor',
      },
      limited: (endpoint, rate, left) =>
        `${endpoint}: auf ${rate} begrenzt. Was wartet, braucht noch etwa ${left}.`,
      paused: 'Dieser Agent ist pausiert: Er erfasst Scans und sendet nichts.',
      pausedBy: (by, since) =>
        `Dieser Agent wurde von ${by} pausiert (${since}): Er erfasst Scans und sendet nichts.`,
      deferred: (images) =>
        `Das Eingangsbuch war nicht erreichbar, als ${counted(images, 'Bild', 'Bilder')} ankamen. Sobald es wieder da ist, werden sie benannt und gesendet.`,
      unmatched: (results) => `Ergebnisse, die zu keinem bekannten Beleg gehören: ${number(results)}.`,
      fleet: (agents) => `${counted(agents, 'Agent teilt', 'Agenten teilen')} sich dieses Eingangsbuch.`,
      ledgerAway:
        'Das gemeinsame Eingangsbuch ist nicht erreichbar. Bis es wieder da ist, weiß niemand, wie viele Belege warten.',
    },
    troubles: {
      paused: 'Pausiert',
      passing: 'Erledigt sich von selbst',
      resume: (target) => (target === '' ? 'Fortsetzen' : `${target} fortsetzen`),
      retry: 'Jetzt erneut versuchen',
      list: 'Anzeigen',
      open: (page) => `${page} öffnen`,
      editFolder: 'Ordner bearbeiten',
      move: 'Belege zu einem anderen Endpunkt verschieben',
      moveConfirm: 'Verschieben',
      confirmFolder: 'Der Ordner ist so richtig',
    },
    dismissal: {
      dismiss: 'Erledigt',
      undo: 'Rückgängig',
      by: (who, at) => `Als erledigt markiert von ${who}, ${at}.`,
    },
    done: {
      resumed: (target) => `${target} läuft wieder.`,
      paused: (target) => `${target} ist pausiert.`,
      moved: (n, alias) => `Nach ${alias} verschoben: ${documents(n)}.`,
      tried: 'Alles Zurückgehaltene wird erneut versucht.',
      dismissed: (n) => `Als erledigt markiert: ${number(n)}.`,
      undismissed: (n) => `Wieder zu klären: ${number(n)}.`,
      retried: (n) => (n === 0 ? 'Es war nichts einzureihen.' : `Wieder eingereiht: ${documents(n)}.`),
    },
    history: {
      title: 'Übertragungen im Verlauf',
      span: 'Zeitraum',
      spans: { hour: 'Letzte Stunde', day: 'Letzter Tag' },
      throughput: 'Durchsatz',
      latency: 'Antwortzeit',
      accepted: 'Gesendet',
      refused: 'Abgelehnt',
      limited: 'Vertagt',
      trouble: 'Gestört',
      volume: 'Menge',
      median: 'Median',
      slowest: '95. Perzentil',
      from: 'Ab',
      asTable: 'Dasselbe als Tabelle',
      throughputSummary: (span, ended, volume) =>
        `${span}: ${number(ended.accepted)} gesendet (${volume}), ${others(ended)}.`,
      throughputOf: (at, ended) => `${at}: ${number(ended.accepted)} gesendet, ${others(ended)}.`,
      latencySummary: (span, slowest) => `${span}: 95 von 100 Antworten kamen nach höchstens ${slowest}.`,
      noLatency: (span) => `${span}: Es wurde nichts gesendet.`,
      latencyOf: (at, median, slowest) => `${at}: Median ${median}, 95. Perzentil ${slowest}.`,
    },
  };
}

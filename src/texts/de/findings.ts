import type { findingTexts as english, strengthTexts as strengthInEnglish } from '../en/findings.ts';
import type { Format } from '../format.ts';
import { databaseAt } from './errors/ledger.ts';
import type { SamePhrases } from '../phrase.ts';
import { fileFlaw } from './ledgerFindings.ts';

const strengthTexts: SamePhrases<typeof strengthInEnglish> = {
  environment: (p) =>
    `Schwach: root und die anderen Prozesse dieses Benutzers können sie in der Umgebung des Prozesses lesen${p.isLinux ? ' (/proc)' : ''}, und wenn eine Unit sie setzt (Environment=), jeder.`,
  foreignFile: (p) =>
    `Der Agent kann ${p.file} nicht lesen, weil die Datei einem anderen Benutzer gehört: Geben Sie sie dem Eigentümer des Zustandsverzeichnisses (chown).`,
  windowsFile: (p) =>
    `Mittel: ${p.file} ist nur durch die Rechte des Ordners geschützt (das Zustandsverzeichnis schließt receiptd für andere) und in Sicherungen unverschlüsselt.`,
  file: (p) =>
    `Mittel: ${p.file} können nur der Eigentümer und root lesen, aber auch jeder, der eine Sicherung oder die Platte hat.`,
  systemd: (p) =>
    `Stark: nur für diese Unit und root${p.isInMemory ? ', im Arbeitsspeicher, der nie auf die Platte geschrieben wird' : ''}; auf der Platte so gut, wie die Unit es festlegt (LoadCredentialEncrypted= bindet sie an diesen Rechner oder seinen TPM2, LoadCredential= nimmt eine offene Datei).`,
  keychainAtBoot: (p) =>
    `Stark, aber als Dienstkonto meldet sich niemand an; beim Start des Rechners bleibt der Schlüsselbund deshalb gesperrt oder nicht erreichbar. Ziehen Sie um: \`receiptd login --store ${p.store}${p.option}\`.`,
  keychain:
    'Stark: auf der Platte verschlüsselt und offen, solange dieser Benutzer angemeldet ist. Ein Agent, der früher startet, wartet bis dahin.',
};

const HOW_CLOCK: Readonly<Record<string, string>> = {
  linux: ' (timedatectl set-ntp true)',
  win32: ' (w32tm /resync)',
};

const SYSTEM: Readonly<Record<string, string>> = {
  notAFile: 'keine Datei',
  ENOENT: 'nicht vorhanden',
  ENOTDIR: 'nicht vorhanden',
  EACCES: 'keine Berechtigung',
  EROFS: 'das Dateisystem lässt nur Lesen zu',
  ENOSPC: 'die Platte ist voll',
};

const documents = ({ counted }: Format, count: number) => counted(count, 'Beleg', 'Belege');

const SUBJECTS: Readonly<Record<string, string>> = {
  config: 'Konfiguration',
  endpoint: 'Endpunkt',
  state: 'Zustandsverzeichnis',
  'state directory': 'Zustandsverzeichnis',
  agent: 'Agent',
  ledger: 'Eingangsbuch',
  folders: 'Ordner',
  alerts: 'Meldungen',
  pages: 'Seiten',
  disk: 'Speicherplatz',
  'disk speed': 'Geschwindigkeit der Platte',
  watches: 'Überwachung',
  install: 'Installation',
  credentials: 'Zugangsdaten',
  service: 'Dienst',
  versions: 'Versionen',
  moved: 'Umzug',
  log: 'Protokoll',
  'service manager': 'Dienstverwaltung',
  'service unit': 'Unit des Dienstes',
  clock: 'Uhr',
};

/** An account stands behind it. */
export const subjectText = (subject: string): string =>
  SUBJECTS[subject] ?? subject.replace(/^[a-z]+/, (first) => SUBJECTS[first] ?? first);

export const findingTexts = (format: Format): SamePhrases<ReturnType<typeof english>> => ({
  other: (p) => p.detail,
  checkedAs: (p) => `(Geprüft als Benutzer ${p.user}.)`,
  notCheckedAs: (p) => `Nicht als Benutzer ${p.user} geprüft: ${p.detail} [${p.error.code}]`,
  late: (p) =>
    `Diese Prüfung dauerte länger als ${p.seconds} s und wurde abgebrochen. Vielleicht antwortet eine Freigabe oder eine Platte nicht.`,
  configValid: (p) => `${p.file} ist gültig.`,
  uidOdd: (p) =>
    `Die Uid des Endpunkts ${p.alias}, ${p.uid}, ist keine UUID. Die Uids des Dienstes sind UUIDs in Kleinbuchstaben. Vergleichen Sie sie mit der, die der Dienst zeigt.`,
  uidCapitals: (p) =>
    `Die Uid des Endpunkts ${p.alias}, ${p.uid}, enthält Großbuchstaben. Die Uids des Dienstes sind UUIDs in Kleinbuchstaben. Vergleichen Sie sie mit der, die der Dienst zeigt.`,
  versions: (p) => `receiptd ${p.receiptd}, Node ${p.node}, ${p.platform} ${p.arch}, Zeitzone ${p.zone}.`,
  install: (p) =>
    `receiptd ist mehrfach installiert: ${p.places.join(', ')}. Verwendet wird die erste Installation. Entfernen Sie die anderen (npm uninstall --global receiptd oder apt remove receiptd); docs/upgrading.md erklärt die Reihenfolge.`,

  stateMissing: (p) => `${p.stateDir} gibt es noch nicht; \`receiptd run\` legt es an.`,
  stateThere: (p) => `${p.stateDir} ist vorhanden.`,
  stateYours: (p) => `${p.stateDir} gehört Ihnen (Rechte ${p.mode}).`,
  stateOf: (p) => `${p.stateDir} gehört dem Benutzer ${p.user} (Rechte ${p.mode}).`,
  stateForeign: (p) =>
    `${p.stateDir} gehört dem Benutzer ${p.user}, aber dieser Befehl läuft als Benutzer ${p.own}. Führen Sie ihn als jener Benutzer aus, um alles zu sehen.`,
  stateOfAgent: (p) =>
    `${p.stateDir} gehört dem Benutzer ${p.user}. Ob er darin schreiben kann, zeigt \`${p.command}\`.`,
  stateWritable: (p) =>
    `In ${p.stateDir} kann geschrieben werden; das Eingangsbuch ist ${typeof p.ledger === 'string' ? p.ledger : databaseAt(p.ledger)}.`,
  stateUnwritable: (p) =>
    `Im Zustandsverzeichnis kann nicht geschrieben werden: ${SYSTEM[p.system] ?? p.system}.`,
  notMoved: 'Das Eingangsbuch ist nicht auf einen anderen PC umgezogen.',
  diskSpeed: (p) =>
    `Schreiben auf die Platte des Zustandsverzeichnisses dauert ${p.median} ms (Median aus ${p.writes} Versuchen; längster ${p.slowest} ms).${p.isSlow ? ' Das ist langsam: Verwenden Sie eine lokale Platte.' : ''}`,
  diskSpace: (p) =>
    `Auf der Platte des Zustandsverzeichnisses sind ${format.bytes(p.free)} frei.${p.isLittle ? ' Schaffen Sie Platz, sonst kann nichts verzeichnet oder gesendet werden.' : ''}`,
  diskUnknown: (p) => `Wie viel Platz auf der Platte von ${p.stateDir} frei ist, lässt sich nicht ermitteln.`,
  noErrors: 'Keine Fehler in den letzten 24 Stunden.',
  errors: (p) =>
    `Fehler in den letzten 24 Stunden: ${p.codes.map(({ code, times }) => `${code ?? 'ohne Code'} (${times})`).join(', ')}.`,
  serviceElsewhere: 'Hier nicht geprüft; verwenden Sie `receiptd service status`.',
  noUnit: 'Es gibt keine systemd-Unit namens receiptd.',
  unit: (p) =>
    `Die Unit receiptd ist ${p.active} (${p.sub}), wurde ${p.restarts}-mal neu gestartet; Ergebnis ${p.result}.`,
  clockUnknown:
    'Sie lässt sich nicht mit der Uhr des Dienstes vergleichen, weil der Dienst keine Zeit gesendet hat.',
  clockRight: (p) => `Sie weicht höchstens ${p.seconds} s von der Uhr des Dienstes ab.`,
  clockWrong: (p) =>
    `Sie geht gegenüber der Uhr des Dienstes ${p.seconds} s ${p.isAhead ? 'vor' : 'nach'}. Stellen Sie sie richtig, und sorgen Sie dafür, dass sie richtig bleibt${HOW_CLOCK[p.platform] ?? ''}.`,
  inotify: (p) =>
    `Das System erlaubt je Benutzer ${p.instances} Instanzen, ${p.watches} Überwachungen und ${p.queued} wartende Ereignisse.${p.isFew ? ' Erhöhen Sie den ersten Wert: sysctl fs.inotify.max_user_instances=128. [WATCH_LIMIT]' : ''}`,
  watches: (p) =>
    `Gebraucht werden ${p.needed}${p.isMore ? ' oder mehr' : ''} von ${p.limit} inotify-Überwachungen.${p.wanted === null ? '' : ` Erhöhen Sie die Grenze: sysctl fs.inotify.max_user_watches=${p.wanted}. Bis dahin werden Ordner in Abständen durchgesehen. [WATCH_LIMIT]`}`,

  ledgerReadable: (p) => `Es ist lesbar und enthält ${documents(format, p.documents)}.`,
  ledgerSound: (p) =>
    `Es besteht eine kurze Prüfung, endet wie das Journal und enthält ${documents(format, p.documents)}.`,
  ledgerMissing: 'Es gibt es noch nicht; `receiptd run` legt es an. [LEDGER_MISSING]',
  ledgerDamaged: (p) => `Es ist beschädigt: ${fileFlaw(p.verdict)}. [LEDGER_DAMAGED]`,
  journalBehind:
    'Dem Journal fehlen die letzten Einträge des Eingangsbuchs. Der nächste Start behebt das. [JOURNAL_DAMAGED]',
  ledgerShared: (p) =>
    `Es ist ${databaseAt(p)} und funktioniert (PostgreSQL ${p.server}${p.isEncrypted === null ? '' : p.isEncrypted ? ', verschlüsselt' : ', unverschlüsselt'}).`,
  privileges: (p) =>
    `Dem Benutzer in ledger.url fehlen Rechte: ${p.lacks.join(', ')}. Lassen Sie den Eigentümer \`receiptd ledger prepare\` ausführen.`,
  databaseClock: (p) =>
    `Die Uhr dieses Rechners geht gegenüber der Datenbank ${format.duration(p.ms)} ${p.isBehind ? 'nach' : 'vor'}; Zeiten im Eingangsbuch passen deshalb nicht zusammen. Gleichen Sie beide Uhren mit NTP ab.`,

  readable: (p) => `Er ist lesbar und enthält ${format.counted(p.count, 'Datei', 'Dateien')}.`,
  subfolders: (p) =>
    `${format.counted(p.count, 'Unterordner wird', 'Unterordner werden')} nicht überwacht. Wenn Sie das wollen, setzen Sie \`recursive: true\`.`,
  links: (p) =>
    `${format.counted(p.count, 'symbolischem Link', 'symbolischen Links')} darin wird nicht gefolgt.`,
  movable: (p) => `Originale können aus dem Ordner verschoben werden (\`afterUpload: ${p.afterUpload}\`).`,
  attention: (p) => `Dateien, die sich nicht senden lassen, können in ${p.place} gezeigt werden.`,
  tooMany:
    'Er enthält zu viele Dateien, um sie zu zählen. Die neuesten sind vielleicht nicht unter den Beispielen.',
  originals: (p) => {
    const which = `${format.counted(p.files, 'Datei, die schon vor', 'Dateien, die schon vor')} \`afterUpload: ${p.afterUpload}\` angenommen ${p.files === 1 ? 'wurde' : 'wurden'},`;
    const [stay, go] = p.files === 1 ? ['bleibt', 'wird'] : ['bleiben', 'werden'];
    return p.stay
      ? `${which} ${stay} im Ordner; sollen auch sie ${p.afterUpload === 'archive' ? 'archiviert' : 'gelöscht'} werden, setzen Sie \`afterUploadExisting: include\`.`
      : `${which} ${go} auch ${p.afterUpload === 'archive' ? 'archiviert' : 'gelöscht'}; sollen sie bleiben, setzen Sie \`afterUploadExisting: leave\`.`;
  },
  unitFits: (p) => `${p.unit} erlaubt dem Dienst, was diese Konfiguration braucht.`,
  resultsOff:
    'Seine Originale bleiben, bis ein Ergebnis eintrifft (`afterUploadOn`), aber results.listen ist off.',
  pagesSplit: 'PDFs und mehrseitige TIFFs werden in Bilder zerlegt.',
  pagesWhole: 'PDFs und mehrseitige TIFFs werden unverändert gesendet (`pages: whole`).',
  pagesLack: (p) =>
    `${p.isWanted ? 'PDFs können nicht zerlegt werden' : ''}${p.isWanted && p.isLooking ? ', und Bilder' : p.isLooking ? 'Bilder' : ''}${p.isLooking ? ' können nicht geprüft oder gedreht werden (`qualityCheck`, `upright`)' : ''}: ${p.missing.join(', ')} ${p.missing.length === 1 ? 'ist' : 'sind'} nicht installiert. Installieren Sie receiptd mit seinen optionalen Teilen neu${p.isWanted ? ', oder setzen Sie `pages: whole`' : ''}.`,

  noEventLog: 'alerts.eventLog: Nur Windows hat ein Ereignisprotokoll. Setzen Sie es auf false.',
  noChannel: (p) =>
    `Es werden keine Meldungen gesendet: Unter \`alerts\` ist kein Weg eingestellt (${p.known.join(', ')}).`,
  channels: (p) => `Sie gehen an ${p.channels.join(', ')}. Zur Probe sendet \`receiptd alerts test\` eine.`,
  commandUnfit: (p) =>
    `alerts.command: ${p.program} lässt sich nicht ausführen: ${SYSTEM[p.why] ?? p.why}. Verwenden Sie ein Programm, das der Benutzer ausführen kann, unter dem receiptd läuft.`,
  noticeMissing: (p) =>
    `alerts.desktop: ${p.program} ist nicht im PATH dieses Benutzers. Installieren Sie es (unter Debian: libnotify-bin), oder setzen Sie alerts.desktop: false.`,

  store: (p) => `Sie kommen aus dem Speicher ${p.store}. ${format.phrase(strengthTexts, p.strength)}`,
  serviceAccepts: (p) => `${p.baseUrl} nimmt die Zugangsdaten aus dem Speicher ${p.store} an: ${p.company}.`,
  certificate: (p) => `Das Zertifikat gilt bis ${p.until}.`,
  portFree: (p) => `${p.address} ist frei.`,
  portOurs: (p) => `${p.address} verwendet der laufende Agent.`,
  portUnclear: (p) =>
    `${p.address} ist belegt. Der laufende Agent lässt sich nicht fragen, ob er den Port verwendet: ${p.detail} [${p.error.code}]`,
});

import type {
  WrongArgument,
  expectedTexts as expectedInEnglish,
  flawTexts as flawsInEnglish,
  foundTexts as foundInEnglish,
} from '../en/settingFlaws.ts';
import type { Format } from '../format.ts';
import type { SamePhrases } from '../phrase.ts';

/** Nach „erwartet wird“, „Möglich ist“ und „Erwartet wird“. */
export const expectedTexts: SamePhrases<typeof expectedInEnglish> = {
  trueOrFalse: 'true oder false',
  yesOrNo: 'yes oder no',
  list: 'eine Liste',
  mapping: (p) =>
    p.keys.length === 0
      ? 'ein Abschnitt mit Schlüsseln'
      : `ein Abschnitt mit Schlüsseln wie ${p.keys.join(', ')}`,
  oneOf: (p) => `eines von ${p.values.join(', ')}`,
  other: 'etwas anderes',
  wholeNumber: (p) => `eine ganze Zahl von ${p.min} bis ${p.max}`,
  uploads: 'eine ganze Zahl von Sendungen ab 1, oder unlimited',
  duration: (p) => `eine Dauer von ${p.atLeast} bis ${p.atMost}, mit einer Einheit: 200ms, 10s, 5m, 1h, 1d`,
  silentAfter: 'auto, never oder eine Dauer ab 30m, mit einer Einheit: 90m, 4h',
  size: (p) => `eine Größe von ${p.atLeast} bis ${p.atMost}, mit einer Einheit: 500kB, 50MB, 1GB`,
  sizeOrOff: (p) =>
    `off, oder eine Größe von ${p.atLeast} bis ${p.atMost}, mit einer Einheit: 500kB, 50MB, 1GB`,
  rate: (p) => `N/s, N/min oder N/h, etwa 120/min, oder unlimited; eine Zahl allein ist N/${p.unit}`,
  bandwidth: 'eine Größe je Sekunde, etwa 500kB/s oder 2MB/s, oder unlimited',
  spans: (p) => `${p.word}, oder eine Liste von Tagen und Uhrzeiten, etwa ${p.example}`,
  timeOfDay: 'eine Uhrzeit in Anführungszeichen, etwa "07:30", oder off',
  existing: 'send, skip, oder since und ein Tag: since 2026-01-31',
  shortName: 'ein kurzer Name aus Buchstaben, Ziffern, - und _',
  shortNameOrNone: 'ein kurzer Name aus Buchstaben, Ziffern, - und _, oder none',
  accountName: 'ein kurzer Name aus Buchstaben, Ziffern, - und _, aber nicht none',
  agentName: 'ein kurzer Name aus mindestens zwei Buchstaben, Ziffern, - und _, aber nicht share',
  columnName:
    'ein kurzer Name aus Buchstaben, Ziffern, Leerzeichen, - und _, den noch keine Spalte von Exporten hat',
  group: 'der Name einer Gruppe, oder none',
  user: 'ein Benutzername, oder none',
  account: 'der Name eines Kontos, oder none',
  endpoint: 'der Name eines Endpunkts',
  uid: 'die Uid, die der Dienst dem Endpunkt gegeben hat, in Anführungszeichen',
  uuid: 'die Uid, wie der Dienst sie zeigt, eine UUID wie 0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10',
  endpointName: 'ein Name ohne Zeilenumbrüche und andere Steuerzeichen',
  language: 'eine Sprache und eine Region, etwa de-DE',
  template: 'ein Namensmuster wie {stem}-{hash:12}',
  path: 'ein Pfad (~ steht nur für Ihr eigenes Benutzerverzeichnis)',
  mountedFolder:
    'ein Ordner auf diesem Rechner: Binden Sie die Freigabe zuerst ein, und nennen Sie dann ihren Ordner',
  folderForFiles: 'ein Ordner für Dateien, außerhalb von /proc, /sys und /dev',
  pattern: 'ein Muster, das vom Ordner ausgeht und nicht mit / oder ! beginnt',
  cheapPatterns: 'eine Liste mit kürzeren Mustern, mit weniger Sternen, Alternativen und Gruppen',
  aPattern: 'mindestens ein Muster',
  aType: 'mindestens ein Typ',
  aStatus: 'mindestens ein Status',
  anEndpoint: 'mindestens ein Endpunkt',
  aFolder: 'mindestens ein Ordner',
  status: 'ein Status, genau wie der Dienst ihn schreibt',
  statuses: 'accepted, oder eine Liste von Status, wie der Dienst sie schreibt',
  contentType: 'auto oder ein Medientyp wie application/octet-stream',
  command: 'none, oder eine Liste: der vollständige Pfad eines Programms, dann seine Argumente',
  pointer: 'ein JSON-Pointer, etwa /total oder /receipt/merchant/name',
  certAndKey: 'sowohl cert als auch key, oder keines von beiden',
  baseUrl: 'eine Adresse wie https://api.example.com, ohne Benutzer und ohne Angaben nach ? oder #',
  baseUrlAlone: 'eine Adresse ohne /v2 am Ende; receiptd fügt /v2 selbst an',
  httpsUrl: 'eine Adresse mit https, denn sonst wären Zugangsdaten und Belege unverschlüsselt unterwegs',
  webUrl: 'eine Adresse, die mit https:// oder http:// beginnt',
  proxy: 'auto, direct oder die Adresse eines Proxys, etwa http://proxy.example:3128',
  hook: 'none, oder eine Adresse wie https://hooks.example.com/receipts, ohne Benutzer',
  mailServer:
    'none, oder ein Mailserver wie smtp://mail.example.com:587 oder smtps://mail.example.com, ohne Benutzer',
  mailServerName: 'ein Mailserver wie mail.example.com oder smtps://mail.example.com:465',
  mailAddress: 'eine E-Mail-Adresse wie office@example.com',
  mailAddressOrNone: 'eine E-Mail-Adresse, oder none',
  database:
    'none, oder die Adresse einer PostgreSQL-Datenbank wie postgres://receiptd@db.example.com/receiptd',
  listenOrOff: 'off, oder eine Adresse und ein Port wie 127.0.0.1:9464 oder [::1]:9464',
  listen: 'onDemand, off, oder eine Adresse und ein Port wie 127.0.0.1:8471 oder [::1]:8471',
  hostName: 'ein Hostname wie receipts.example.com oder receipts.example.com:8443',
};

export const foundTexts: SamePhrases<typeof foundInEnglish> = {
  nothing: 'nichts',
  list: 'eine Liste',
  emptyList: 'eine leere Liste',
  mapping: 'ein Abschnitt',
  emptyMapping: 'ein leerer Abschnitt',
  value: (p) => p.text,
};

const ARGUMENT = {
  unexpected: 'Bei diesem Feld darf nach einem Doppelpunkt nichts stehen.',
  dateFormat: 'Ein Datumsformat darf nur YYYY YY MM DD HH mm ss und - _ . enthalten.',
  minutes: 'mm steht für Minuten, aber davor steht kein HH. Monate sind MM.',
};

const DIGITS = { hash: 'des Hashs', page: 'der Seite', number: 'der Nummer' };

const argument = (wrong: WrongArgument): string =>
  wrong.kind === 'digits'
    ? `Schreiben Sie nach dem Doppelpunkt die Anzahl der Stellen ${DIGITS[wrong.of]}, ${wrong.min} bis ${wrong.max}.`
    : ARGUMENT[wrong.kind];

const PARTS = { user: 'ein Benutzer', host: 'ein Rechner', database: 'eine Datenbank' };

const meaning = (meant: string | null) => (meant === null ? '' : `; meinten Sie ${meant}?`);
const OTHER = 'wählen Sie ein anderes Verzeichnis';

export const flawTexts = ({ phrase }: Format): SamePhrases<ReturnType<typeof flawsInEnglish>> => ({
  secret:
    'Zugangsdaten dürfen nicht in dieser Datei stehen; entfernen Sie die Zeile, und speichern Sie die Zugangsdaten mit `receiptd login`',
  unknownKey: (p) =>
    `unbekannter Schlüssel${meaning(p.meant) || '; docs/configuration.md führt die Schlüssel auf'}`,
  missing: (p) => `fehlt; erwartet wird ${phrase(expectedTexts, p.expected)}`,
  expected: (p) =>
    `erwartet wird ${phrase(expectedTexts, p.expected)}${p.found === null ? '' : `; gefunden: ${phrase(foundTexts, p.found)}`}${meaning(p.meant)}`,
  httpsRequired: (p) =>
    `mit „${p.url}“ würden Zugangsdaten und Belege unverschlüsselt gesendet; verwenden Sie https, oder setzen Sie service.allowInsecureHttp: true`,
  uidCase: (p) => `ist die Uid von ${p.of} mit anderer Groß- und Kleinschreibung; schreiben Sie beide gleich`,
  uidOfAccount: (p) =>
    `ist auch die Uid von ${p.of}, das ein anderes Konto verwendet; behalten Sie nur eines davon`,
  uidLimits: (p) => `ist auch die Uid von ${p.of}, das andere Grenzen hat; behalten Sie nur eines davon`,
  endpointNeeded: (p) => `braucht den Schlüssel endpoint; die Endpunkte sind ${p.known}`,
  endpointUnknown: (p) =>
    `unbekannter Endpunkt „${p.endpoint}“${meaning(p.meant) || (p.known === '' ? '' : `; die Endpunkte sind ${p.known}`)}`,
  accountUnknown: (p) =>
    `unbekanntes Konto „${p.account}“${meaning(p.meant) || (p.known === '' ? '; tragen Sie es unter accounts ein, oder entfernen Sie den Schlüssel' : `; die Konten sind ${p.known}`)}`,
  accountSimilar: (p) => `ist ${p.of} zu ähnlich: In der Umgebung hießen beide ${p.variable}`,
  accountFile: (p) => `ist auch die Datei von ${p.of}: ${p.file}; wählen Sie eine andere`,
  templateEmpty: (p) => `Das Namensmuster ist leer. Voreingestellt ist ${p.standard}.`,
  templateBrace: (p) =>
    `Eine geschweifte Klammer ohne Gegenstück, an Zeichen ${p.at} des Namensmusters „${p.template}“. Schreiben Sie ${p.brace}${p.brace} für die Klammer selbst.`,
  templateField: (p) =>
    `Das Feld {${p.field}}, an Zeichen ${p.at} des Namensmusters „${p.template}“, gibt es nicht. ${p.guess === null ? '' : `Meinten Sie {${p.guess}}? `}Die Felder sind ${p.known.map((key) => `{${key}}`).join(' ')}.`,
  templateArgument: (p) =>
    `Das Feld {${p.field}}, an Zeichen ${p.at} des Namensmusters „${p.template}“, ist nicht gültig. ${argument(p.wrong)}`,
  sameFolder: (p) => `ist derselbe Ordner wie ${p.of}: ${p.path}`,
  inRecursive: (p) =>
    `liegt in ${p.of}, das seine Unterordner einschließt und ihn schon überwacht: ${p.path}`,
  archiveWatched: (p) =>
    `${p.by} würde archivierte Dateien in ${p.place} wieder aufnehmen; wählen Sie ein Archiv außerhalb aller überwachten Ordner`,
  attentionWatched: (p) =>
    `${p.place} würde von ${p.by} überwacht; wählen Sie einen Ordner außerhalb aller überwachten`,
  attentionInState: (p) => `${p.place} liegt im Zustandsverzeichnis oder enthält es; ${OTHER}`,
  attentionInArchive: (p) => `${p.place} liegt im Archiv von ${p.of} oder enthält es; ${OTHER}`,
  insideState: (p) => `${p.place} liegt im Zustandsverzeichnis ${p.stateDir} oder enthält es; ${OTHER}`,
  stateWatched: (p) =>
    `das Zustandsverzeichnis ${p.stateDir} liegt im überwachten Ordner ${p.by}; verlegen Sie es mit stateDir oder RECEIPTD_STATE_DIR`,
  stateShared: (p) =>
    `${p.stateDir} gehört dem System oder einer Person und wäre dann für alle anderen gesperrt; wählen Sie ein eigenes Verzeichnis, etwa ${p.own}`,
  stateTooLong: (p) =>
    `der Pfad des Zustandsverzeichnisses hat ${p.length} Zeichen, aber unter Windows lässt sich das Eingangsbuch nur mit höchstens ${p.longest} öffnen; wählen Sie einen kürzeren`,
  sameAddress: (p) => `ist die Adresse von ${p.of}.listen; wählen Sie einen anderen Port`,
  webhookUnset:
    'hat keine Wirkung, solange alerts.webhook.url none ist; setzen Sie die Adresse, an die Meldungen gehen, oder entfernen Sie secretFile',
  webhookPlain: 'würde Meldungen unverschlüsselt senden; verwenden Sie https',
  mailUnset:
    'es wird keine E-Mail gesendet, solange alerts.email.server none ist; setzen Sie den Mailserver, oder entfernen Sie die Adressen',
  noRecipient: 'braucht mindestens eine E-Mail-Adresse',
  noMailUser: 'fehlt: passwordFile braucht den Benutzer, dessen Passwort die Datei enthält',
  shareUnshared:
    'nur über ein gemeinsames Eingangsbuch lassen sich Ordner teilen; setzen Sie ledger.kind: postgres, oder entfernen Sie share',
  sameShare: (p) => `ist auch der gemeinsame Name von ${p.of}; jeder Ordner braucht einen eigenen`,
  urlUnused:
    'hat keine Wirkung, solange ledger.kind sqlite ist; setzen Sie ledger.kind: postgres, oder entfernen Sie url',
  urlMissing:
    'fehlt: kind postgres braucht die Adresse einer Datenbank wie postgres://receiptd@db.example.com/receiptd',
  urlPassword:
    'enthält ein Passwort; schreiben Sie es in eine eigene Datei, und nennen Sie diese in ledger.passwordFile',
  urlParameter: (p) =>
    `hat den Parameter „${p.parameter}“, den es hier nicht gibt; möglich sind ${p.known.join(', ')}`,
  urlLacks: (p) =>
    `${p.parts.length === 1 ? 'es fehlt' : 'es fehlen'} ${p.parts.map((part) => PARTS[part]).join(' und ')}: postgres://user@host/database`,
  sslmode: (p) => `hat sslmode=${p.mode}; möglich sind ${p.modes.join(', ')}`,
  sslmodeOpen: (p) =>
    `mit sslmode=${p.mode} ginge das Eingangsbuch unverschlüsselt an „${p.host}“; verwenden Sie sslmode=verify-full, oder setzen Sie ledger.allowInsecure: true`,
  driveRelative: (p) =>
    `„${p.path}“ hängt vom aktuellen Verzeichnis des Laufwerks ${p.drive} ab; schreiben Sie ${p.drive}\\ und den ganzen Pfad`,
  device: (p) =>
    `„${p.path}“ enthält einen Gerätenamen von Windows (${p.device}); wählen Sie einen anderen Namen`,
  stream: (p) =>
    `„${p.path}“ bezeichnet einen alternativen Datenstrom; entfernen Sie den Doppelpunkt und was danach kommt`,
  trailingDot: (p) =>
    `„${p.path}“ enthält einen Namen mit einem Punkt oder Leerzeichen am Ende, das Windows entfernt; wählen Sie einen anderen`,
});

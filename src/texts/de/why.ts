import type { Flaw, NotARecord, RemarkParams, SplitReason, WhyTexts } from '../en/why.ts';
import type { Format } from '../format.ts';
import { awayTexts } from './away.ts';
import { backupTexts } from './backups.ts';
import { faultText } from './faults.ts';
import { contentTexts, gapTexts, pageFlawTexts } from './imageFlaws.ts';
import { machineTexts } from './machine.ts';
import { ledgerFindingTexts } from './ledgerFindings.ts';
import type { Quoted } from '../en/ledgerFindings.ts';

const FLAWS: Readonly<Record<Flaw, string>> = {
  BLANK: 'Das Bild sieht leer aus.',
  TOO_SMALL: 'Die Auflösung ist zu niedrig zum Lesen.',
  TOO_DARK: 'Das Bild ist zu dunkel.',
  BLURRED: 'Das Bild ist unscharf.',
};
const AS_IT_IS = 'unverändert mit `receiptd send FILE`.';
const NOT_A_RECORD: Readonly<Record<NotARecord, string>> = {
  notJson: 'der Inhalt ist kein JSON',
  noRecord: 'der Inhalt ist kein Datensatz eines Belegs',
  noName: 'dem Datensatz fehlt der Name',
  otherName: 'der Datensatz hat einen anderen Namen',
  noEndpoint: 'dem Datensatz fehlt der Endpunkt',
  otherEndpoint: 'der Datensatz hat einen anderen Endpunkt',
  noStatus: 'dem Datensatz fehlt der Status',
};
const SPLIT_CURES: Readonly<Record<SplitReason, string>> = {
  ENCRYPTED: 'Speichern Sie sie ohne Passwort, und legen Sie sie wieder in den Ordner.',
  DAMAGED: 'Scannen Sie sie noch einmal.',
  FONT_MISSING: 'Öffnen Sie sie, und drucken Sie sie in ein neues PDF.',
  PORTFOLIO: 'Speichern Sie die enthaltenen Dateien in den Ordner.',
  UNSUPPORTED: 'Öffnen Sie sie, und speichern Sie sie als JPEG.',
  XFA_FORM: 'Öffnen Sie sie in Adobe Reader, und drucken Sie sie in ein neues PDF.',
  TOO_MANY_PAGES: 'Teilen Sie sie in kleinere Dateien auf.',
  BYTES_GONE: 'Scannen Sie sie noch einmal.',
  TOO_DEAR: 'Drucken Sie sie in ein neues PDF, oder scannen Sie sie noch einmal.',
};
const CHECKED_AGAIN = 'Die Datei wird wieder geprüft, sobald sie sich ändert.';

const quoted = (words: string): string => (words === '' ? '' : `: „${words}“`);

const nameOf = (type: string): string => (type === 'pdf' ? 'PDFs' : `${type.toUpperCase()}-Bilder`);

export const whyTexts = (format: Format): WhyTexts => {
  const { counted, number, time, bytes: size, phrase, asWord } = format;
  const gaps = gapTexts(format);
  const contents = contentTexts(format);
  const pageFlaws = pageFlawTexts(format);
  const sizes = (p: { bytes: number; limit: number }): readonly [string, string] => {
    const [is, limit] = [size(p.bytes), size(p.limit)];
    if (is !== limit) return [is, limit];
    return [counted(p.bytes, 'Byte', 'Bytes'), counted(p.limit, 'Byte', 'Bytes')];
  };
  const remark = ({ flaws, before }: RemarkParams): string =>
    [
      ...flaws.map((flaw) => FLAWS[flaw]),
      ...(before === null ? [] : [`Es sieht aus wie ${before.name}, gescannt am ${time(before.at)}.`]),
    ].join(' ');
  const everyPage = (pages: number): string =>
    pages === 1 ? 'Ihr Bild ist ein Beleg.' : `Jede ihrer ${number(pages)} Seiten ist ein Beleg.`;
  const left = (count: number, one: string, other: string): readonly string[] =>
    count === 0 ? [] : [`${counted(count, one, other)} ${count === 1 ? 'wurde' : 'wurden'} nicht gesendet.`];
  const attached = (count: number): readonly string[] =>
    left(count, 'angehängte Datei', 'angehängte Dateien');

  const quote = (said: Quoted): string => (typeof said === 'string' ? said : phrase(own, said));

  const own: WhyTexts = {
    ...awayTexts,
    ...machineTexts,
    ...backupTexts(format),
    ...ledgerFindingTexts(format, quote),

    tokenRejected: (p) => `Der Dienst hat das Token abgelehnt${quoted(p.words)}.`,
    newTokenRejected: (p) =>
      `Der Dienst hat das Token abgelehnt${quoted(p.words)}. Auch ein neues Token wurde abgelehnt.`,
    uploadsForbidden: (p) =>
      `Der Dienst erlaubt keine Übertragungen an diesen Endpunkt, oder der Tarif enthält sie nicht${quoted(p.words)}.`,
    endpointUnknown: (p) => `Der Dienst kennt diesen Endpunkt nicht${quoted(p.words)}.`,
    slowDown: (p) =>
      `Der Dienst bittet receiptd, langsamer zu senden, oder das Kontingent des Tarifs ist verbraucht${quoted(p.words)}.`,
    refused: (p) => `Der Dienst hat den Beleg abgelehnt${quoted(p.words)}.`,
    blocked: (p) => `Etwas blockiert den Zugang zum Dienst: HTTP ${p.status}${quoted(p.words)}.`,
    answered: (p) => `Der Dienst hat mit HTTP ${p.status} geantwortet${quoted(p.words)}.`,
    redirects: (p) =>
      `Der Dienst leitet weiter (HTTP ${p.status}); receiptd sendet sein Token nirgendwo anders hin.`,
    undocumented: (p) =>
      `Der Dienst hat mit HTTP ${p.status} geantwortet, was nicht dokumentiert ist${quoted(p.words)}.`,
    notTheService: (p) =>
      `HTTP 200, aber ${NOT_A_RECORD[p.flaw]}. Statt des Dienstes hat etwas geantwortet, das dazwischen liegt.`,
    mayHaveIt: (p) =>
      `HTTP ${p.status} nach einer Übertragung, die vielleicht gespeichert wurde${quoted(p.words)}. Sehen Sie beim Dienst nach, und senden Sie den Beleg dann erneut.`,
    fault: (p) => faultText(p.fault, format),
    manyRefused: (p): string =>
      `${counted(p.count, 'Beleg', 'verschiedene Belege')} nacheinander wurden abgelehnt, deshalb ist der ganze Endpunkt gesperrt. Letzte Antwort: ${phrase(own, p.last)}`,

    leaseLost:
      'Nicht gesendet, weil dieser Agent seiner Zuständigkeit oder seines Anteils am gemeinsamen Limit nicht sicher sein konnte.',
    heldBack:
      'Nicht gesendet, weil kurz vor der Übertragung der Endpunkt gesperrt oder pausiert oder der Agent beendet wurde.',
    couldNotGoOn: (p) => `Die Übertragung konnte nicht fortgesetzt werden: ${p.detail}`,
    paused: (p) => `Pausiert von ${p.by}.`,
    interrupted:
      'receiptd wurde während der Übertragung beendet. Der Beleg kam vielleicht an und wird noch einmal gesendet.',
    agentSilent: (p) =>
      `Der Agent ${p.agent} meldete sich während der Übertragung nicht mehr. Der Beleg kam vielleicht an und wird noch einmal gesendet.`,
    agentRetired: (p) =>
      `Der Agent ${p.agent} wurde während der Übertragung abgemeldet; der Beleg kam vielleicht an.`,
    lostWithServer:
      'Das Ergebnis dieser Übertragung ging mit dem Server des Ledgers verloren. Der Beleg kam vielleicht an und wird noch einmal gesendet.',
    onlyItsAgent:
      'Nur der Agent, der das Bild erfasst hat, kann es finden; er sendet es, sobald er es findet.',
    lostWithAgent: (p) =>
      `Der Agent ${p.agent} wurde abgemeldet, und nur er hatte dieses Bild. Scannen Sie den Beleg noch einmal.`,
    seenAgain: 'Das Bild wurde wieder gesehen, während danach gesucht wurde.',
    twin: (p) =>
      `Ein anderer Agent hat dasselbe Bild als Beleg ${p.document}; ein neuer Versuch sendet auch diesen.`,
    movedTo: (p) => `Zum Endpunkt ${p.endpoint} verschoben, als ${p.name}.`,

    emptyNoReceipt: 'Die Datei ist leer und heißt nicht wie ein Bild.',
    empty: 'Die Datei ist leer. Sie wird wieder geprüft, sobald sie wächst.',
    incomplete: (p) => `Unvollständig: ${phrase(gaps, p.gap)}. ${CHECKED_AGAIN}`,
    notAnImage: (p) => `Kein Bild: ${phrase(contents, p.content)}.`,
    otherType: (p) =>
      `Ein Bild einer Art, die sich nicht senden lässt: ${phrase(contents, p.content)}. Speichern Sie es als JPEG oder PNG.`,
    damaged: (p) => `Beschädigt oder kein Bild: ${phrase(contents, p.content)}.`,
    notSplit: (p) =>
      `${p.type.toUpperCase()}-Dateien lassen sich nicht in Seiten teilen, weil Teile von receiptd nicht installiert sind. Welche, zeigt \`receiptd doctor\`.`,
    notAccepted: (p) =>
      `${nameOf(p.type)} werden aus diesem Ordner nicht gesendet. Damit sie gesendet werden, nehmen Sie \`${p.type}\` in die Liste \`accept\` des Ordners auf${p.type === 'pdf' ? ', falls Ihr Dienst PDFs annimmt' : ''}.`,
    tooLarge: (p) => {
      const [is, limit] = sizes(p);
      return `Zu groß: ${is}; das Limit dieses Ordners ist ${limit} (\`maxFileSize\`).`;
    },
    tooLargeNoReceipt: (p) => {
      const [is, limit] = sizes(p);
      return `Heißt nicht wie ein Bild und ist zu groß: ${is}; das Limit dieses Ordners ist ${limit} (\`maxFileSize\`).`;
    },
    cantBeRead: (p) =>
      `Die Datei ist nicht lesbar (${p.system}). Erlauben Sie dem Benutzer des Agenten, sie zu lesen. receiptd versucht es bei jeder Auflistung wieder.`,
    badName:
      'Der Name ist kein gültiges UTF-8 (ungültige Bytes stehen als %XX), deshalb wurde die Datei übersprungen. Benennen Sie sie in einem Dateimanager um, oder konvertieren Sie die Namen im Ordner mit `convmv`.',
    existing: (p) =>
      p.existing === 'skip'
        ? 'Die Datei lag schon im Ordner, als er zum ersten Mal überwacht wurde; nur neue werden gesendet.'
        : `Die Datei lag schon im Ordner, als er zum ersten Mal überwacht wurde, und hat sich seit ${p.existing.slice('since '.length)} nicht geändert.`,
    takenOver:
      'Die Datei lag im Ordner, als ein anderer Agent ihn überwachte, und ist vielleicht schon gesendet.',
    remark,
    keptBack: (p) => {
      const advice =
        p.flaws.length === 0
          ? 'Ist es ein anderer Beleg, senden Sie ihn'
          : p.flaws[0] === 'BLANK'
            ? 'Ist es ein Beleg, scannen Sie ihn noch einmal, oder senden Sie ihn'
            : 'Scannen Sie den Beleg noch einmal, oder senden Sie ihn';
      return `${remark(p)} ${advice} ${AS_IT_IS}`;
    },

    splitting: 'Die Datei wird in Seiten geteilt.',
    everyPageSent: (p) => [everyPage(p.pages), ...attached(p.attachments)].join(' '),
    somePagesSent: (p) =>
      [
        `${number(p.sent)} ihrer ${number(p.pages)} Seiten ${p.sent === 1 ? 'ist ein Beleg' : 'sind Belege'}.`,
        ...left(p.blank, 'leere Seite', 'leere Seiten'),
        ...attached(p.attachments),
      ].join(' '),
    allBlank: (p) =>
      [
        'Alle Seiten sehen leer aus, deshalb wurde nichts gesendet. Enthält die Datei einen Beleg, scannen Sie ihn noch einmal.',
        ...attached(p.attachments),
      ].join(' '),
    splitFailed: (p) =>
      [
        `Die Datei lässt sich nicht in Seiten teilen: ${phrase(pageFlaws, p.flaw)}.`,
        p.sent === 0
          ? 'Nichts davon wurde gesendet.'
          : `${counted(p.sent, 'Seite', 'Seiten')} davon ${p.sent === 1 ? 'wird' : 'werden'} gesendet.`,
        SPLIT_CURES[p.reason],
        ...attached(p.attachments),
      ].join(' '),
    pagesNotSent: (p) => {
      const more = p.refused > p.named.length ? ` und ${number(p.refused - p.named.length)} weitere` : '';
      const which =
        p.refused === 1
          ? `Seite ${p.named.join(', ')} von ${number(p.pages)} lässt`
          : `Die Seiten ${p.named.join(', ')}${more} von ${number(p.pages)} lassen`;
      const others =
        p.sent === 0
          ? ''
          : `; ${counted(p.sent, 'andere Seite', 'andere Seiten')} ${p.sent === 1 ? 'wird' : 'werden'} gesendet`;
      return [
        `${which} sich nicht senden${others}.`,
        ...left(p.blank, 'leere Seite', 'leere Seiten'),
        'Warum, zeigt `receiptd list --state rejected`.',
        p.reason === null ? 'Scannen Sie sie noch einmal.' : SPLIT_CURES[p.reason],
        ...attached(p.attachments),
      ].join(' ');
    },
    pageNotDrawn: (p) => `Seite ${number(p.page)} lässt sich nicht senden: ${phrase(pageFlaws, p.flaw)}.`,
    pageBlank: (p) => `Seite ${number(p.page)} ist leer und wurde übersprungen.`,
    pageKeptBack: (p) => {
      const advice =
        p.flaws.length === 0
          ? 'Ist es ein anderer Beleg, speichern Sie ihn als Bild, und senden Sie dieses mit `receiptd send FILE`.'
          : 'Scannen Sie sie noch einmal.';
      return `Seite ${number(p.page)} wird nicht gesendet. ${remark(p)} ${advice}`;
    },

    fileTooLarge: (p) =>
      `Die Datei hat ${counted(p.bytes, 'Byte', 'Bytes')}; das Limit ist ${number(p.limit)} (\`maxFileSize\`).`,
    severalPages:
      'Die Datei hat mehrere Seiten, und nur Dateien in überwachten Ordnern werden geteilt. Legen Sie sie in einen überwachten Ordner.',
    notReadByAgent: (p) =>
      `Mit \`spool: never\` bewahrt der Agent keine Kopie auf, und er selbst kann diese Datei nicht lesen${p.system === null ? '' : ` (${p.system})`}. Setzen Sie \`spool: auto\`, oder legen Sie die Datei in einen überwachten Ordner.`,

    ofOtherEndpoint: (p) =>
      `Die Datei ist ein Beleg eines anderen Endpunkts (${p.state}). Um sie auch an diesen zu senden: \`receiptd resend ${asWord(p.name)} --endpoint ${p.endpoint}\`.`,
    changing: 'Die Datei ändert sich gerade.',
    notReadNow: (p) => `Die Datei ist nicht lesbar (${p.system}).`,
    alreadyThere: 'Die Datei liegt schon im Ordner und würde liegen bleiben.',
    willBeSplit: 'Die Datei wird geteilt; jede Seite bekommt einen eigenen Namen.',
    identicalTo: (p) => `Gleich wie ${p.path}.`,
    alreadyKnown: (p) => `Die Datei ist schon bekannt, als ${p.name}.`,
    identicalHere: 'Gleich wie eine andere Datei hier.',
    noFreeName: 'Es gibt keinen freien Namen.',
    directoryUnread: (p) => `Der Ordner ist nicht lesbar (${p.system}).`,
    fileUnread: (p) => `Die Datei ist nicht lesbar (${p.system}).`,
    tooManyToCompare: (p) =>
      `${p.folder} hat mehr Dateien, als sich hier vergleichen lassen. Verwenden Sie stattdessen \`receiptd audit\`.`,
    erased: 'Der Beleg wurde gelöscht.',
    standby: (p) => {
      const its =
        p.leader === undefined
          ? 'Welcher Agent die Scans dieses Ordners erfasst, ist erst bekannt, wenn das Ledger wieder erreichbar ist.'
          : p.leader === null
            ? 'Zurzeit erfasst kein Agent die Scans dieses Ordners.'
            : `Der Agent ${p.leader} erfasst die Scans dieses Ordners.`;
      return p.isReached ? its : `${its} Von hier ist der Ordner nicht erreichbar.`;
    },
    pages: (p) => phrase(pageFlaws, p.flaw),
  };
  return own;
};

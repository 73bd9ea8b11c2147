import type {
  JournalFlawTexts,
  ledgerFindingTexts as english,
  Quoted,
  RowTable,
} from '../en/ledgerFindings.ts';
import type { Format } from '../format.ts';
import type { SamePhrases } from '../phrase.ts';

const ROWS: Readonly<Record<RowTable, string>> = {
  endpoints: 'Endpunkt',
  folders: 'Ordner',
  documents: 'Beleg',
  files: 'Datei',
  attempts: 'Sendeversuch',
  holds: 'Haltegrund',
  results: 'Ergebnis',
};

const FILE_FLAWS: Readonly<Record<string, string>> = {
  notALedger: 'die Datei ist kein Eingangsbuch von receiptd',
  miscounted: 'die gezählten Belege stimmen nicht',
  logNotFolded: 'das Protokoll ließ sich nicht in die Datei übernehmen',
  journalCut: 'ein anderes Programm hat diese Datei gekürzt',
};

export const fileFlaw = (detail: string): string => FILE_FLAWS[detail] ?? detail;

export const journalFlawTexts = ({ number }: Format): JournalFlawTexts => ({
  lineTooLong: 'die Zeile ist länger als jeder Eintrag',
  notThreeFields: 'die Zeile hat nicht drei Felder',
  entryChanged: 'der Eintrag wurde geändert: Sein Hash passt nicht',
  notAnEntry: 'den Eintrag hat receiptd nicht so geschrieben',
  noCompleteLine: 'die Datei enthält keine vollständige Zeile',
  noLedgerName: 'der erste Eintrag nennt sein Eingangsbuch nicht',
  notAStart: 'so beginnt kein Eingangsbuch',
  personalChanged: 'die personenbezogenen Daten wurden geändert',
  numberTwice: 'eine Nummer kommt zweimal vor',
  moved: (p) =>
    `der Eintrag ${p.seq} steht hinter dem Eintrag ${p.after}: Er wurde hierher verschoben oder kopiert`,
  beginningMissing: (p) => `der Anfang fehlt: Der erste Eintrag ist ${p.seq}`,
  entriesMissing: (p) =>
    `${p.from === p.to ? `der Eintrag ${p.from} fehlt` : `die Einträge ${p.from} bis ${p.to} fehlen`} vor dem Eintrag ${p.before}`,
  replaced: (p) =>
    `der Eintrag ${p.seq} wurde nicht hinter diesem Eintrag ${p.after} geschrieben: Einer der beiden wurde ersetzt`,
  personalReplaced: (p) =>
    `die personenbezogenen Daten des Eintrags ${number(p.seq)} sind nicht die ursprünglichen`,
});

const entries = (from: number, to: number): string =>
  from === to ? `des Eintrags ${from}` : `der Einträge ${from} bis ${to}`;

export const ledgerFindingTexts = (
  format: Format,
  quote: (said: Quoted) => string,
): SamePhrases<ReturnType<typeof english>> => {
  const { counted, number, ended, phrase } = format;
  const flaws = journalFlawTexts(format);
  return {
    countsDiffer: (p) =>
      `${p.folder}: ${counted(p.one, 'Datei ist', 'Dateien sind')} nach der einen Zählung ${p.state}, ${number(p.other)} nach der anderen.`,
    noFile: (p) => `Zum Beleg „${p.name}“ (${p.state}) gibt es im Eingangsbuch keine Datei.`,
    doesNotAddUp: (p) =>
      `${counted(p.seen, 'Datei ist', 'Dateien sind')} eingegangen, aber die Zahlen je Zustand ergeben zusammen etwas anderes.`,

    journalFlaw: (p) => {
      const flaw = phrase(flaws, p.flaw);
      return `${flaw.charAt(0).toUpperCase()}${flaw.slice(1)}.`;
    },
    journalMissing: (p) => `Unter ${p.path} gibt es kein Journal.`,
    journalEmpty: 'Das Journal ist leer.',
    journalNotAStart: 'Mit dem ersten Eintrag beginnt kein Eingangsbuch.',
    lastIncomplete: (p) =>
      `${p.bytes === null ? 'Der letzte Vorgang ist unvollständig' : `Die letzte Zeile ist unvollständig (${p.bytes} Bytes)`}. Entweder hat ein Absturz das Schreiben unterbrochen, und receiptd entfernt den Rest beim nächsten Start, oder jemand hat das Ende abgeschnitten.`,
    timesBackwards: (p) =>
      `${counted(p.count, 'Eintrag hat', 'Einträge haben')} eine frühere Zeit als der Eintrag davor; der erste ist Eintrag ${p.first}. Mögliche Gründe: Die Uhr des Rechners wurde zurückgestellt, Bilder wurden vorgemerkt, solange ein gemeinsames Eingangsbuch nicht erreichbar war, oder ein neues Journal nennt zuerst, was das Eingangsbuch schon enthielt.`,
    personalErased: (p) =>
      `Die personenbezogenen Daten von ${counted(p.count, 'Eintrag', 'Einträgen')} wurden gelöscht.`,
    personalBlank: (p) =>
      `Die personenbezogenen Daten ${entries(p.from, p.to)} fehlen, aber kein späterer Eintrag nennt eine Löschung.`,
    personalNotErased: (p) =>
      `Die personenbezogenen Daten ${entries(p.from, p.to)} sind noch da, obwohl ein späterer Eintrag ihre Löschung nennt.`,
    archivedBefore: (p) =>
      `Die Einträge 1 bis ${p.seq} sind archiviert und wurden nicht geprüft. Die letzte ihrer Dateien ist ${p.file}.`,
    journalRestarted: (p) =>
      `Dieses Journal beginnt neu mit dem Eintrag ${p.seq}.${p.because === null ? '' : ` Genannter Grund: ${quote(p.because)}`} Die Einträge 1 bis ${p.seq - 1} stehen nicht in dieser Datei und wurden nicht geprüft. Suchen Sie nach einer beiseitegelegten Datei oder in einer Sicherung.`,

    keptDiffers: (p) =>
      `Der Eintrag ${p.seq} passt nicht zum aufbewahrten Stand: Er oder etwas davor wurde neu geschrieben.`,
    keptOfOther: (p) =>
      `Der aufbewahrte Stand gehört zum Eingangsbuch ${p.kept}, dieses Journal aber zum Eingangsbuch ${p.ledger}.`,
    keptNotContinued: (p) =>
      `Dieses Journal schließt nicht an den Eintrag ${p.seq} des aufbewahrten Stands an, sondern an einen anderen.`,
    keptBefore: (p) =>
      `Der Eintrag ${p.seq} des aufbewahrten Stands steht nicht in dieser Datei; sie beginnt mit dem Eintrag ${p.first}. Was davor war, lässt sich nicht bestätigen.`,
    keptCutOff: (p) =>
      `Das Ende wurde abgeschnitten: Der aufbewahrte Stand ist der Eintrag ${p.seq}, ${p.last === null ? 'hier ist aber kein Eintrag' : `der letzte Eintrag hier aber ${p.last}`}.`,
    keptMissing: (p) => `Der Eintrag ${p.seq} des aufbewahrten Stands fehlt an seiner Stelle.`,
    keptOfNoAgent: (p) =>
      `Der aufbewahrte Stand stammt aus der Kette ${p.ledger}; kein Agent dieses Eingangsbuchs hat sie.`,

    ofAgent: (p) => `Agent ${p.agent}: ${quote(p.finding)}`,
    entrySays: (p) => `der Eintrag ${p.seq} nennt: ${quote(p.because)}`,
    lastOfChain: (p) =>
      `seine Zeile nennt den Eintrag ${p.seq} als letzten der Kette ${p.ledger}, dort ist es aber ${p.last === 0 ? 'keiner' : p.last}.`,

    noJournal: 'Das Eingangsbuch hat kein Journal.',
    headNotInJournal: (p) =>
      `Der letzte Eintrag des Eingangsbuchs ist ${p.seq}, aber das Journal enthält ihn nicht.`,
    headDiffers: (p) => `Der Eintrag ${p.seq} des Journals ist ein anderer als der im Eingangsbuch.`,
    misfit: (p) => `Der Eintrag ${p.seq} des Journals passt nicht zu den Einträgen davor.`,
    miscounted: 'Im Eingangsbuch stimmen die gezählten Belege nicht.',
    onlyInLedger: (p) => `${ROWS[p.table]} ${p.id} steht im Eingangsbuch, aber nicht im Journal.`,
    onlyInJournal: (p) => `${ROWS[p.table]} ${p.id} steht im Journal, fehlt aber im Eingangsbuch.`,
    rowDiffers: (p) => `${ROWS[p.table]} ${p.id} ist im Eingangsbuch anders als im Journal.`,

    story: (p) => p.parts.map(quote).join(' '),
    ledgerMade: 'Das Eingangsbuch wurde angelegt.',
    agentJoined: (p) => `Der Agent ${p.agent} ist dem Eingangsbuch beigetreten.`,
    movedHere: 'Das eigene Eingangsbuch dieses Agenten ist hierher umgezogen.',
    journalDamaged: 'Das Journal ist beschädigt.',
    journalDamagedAt: (p) =>
      `Das Journal ${p.path} ist beschädigt (${p.entry === null ? 'letzter Eintrag' : `Eintrag ${p.entry}`}): ${phrase(flaws, p.flaw)}.`,
    journalGone: 'Das Journal war verschwunden.',
    journalShort: (p) =>
      `Das Journal endete mit dem Eintrag ${p.last}, aber das Eingangsbuch hat Einträge bis ${p.head}.`,
    journalForeign: 'Das Journal gehörte nicht zum Eingangsbuch.',
    journalContinued: (p) =>
      `Ein neues geht mit dem Eintrag ${p.seq} weiter.${p.aside === null ? '' : ` Die alte Datei liegt jetzt unter ${p.aside}.`}`,
    ledgerGone: (p) => `Das Eingangsbuch ${p.path} ist verschwunden.`,
    ledgerOfOlderFormat: (p) => `Das Eingangsbuch ${p.path} hat ein älteres Format.`,
    ledgerBehind: (p) => `Das Eingangsbuch ${p.path} ist älter als sein Journal.`,
    ledgerDamaged: (p) => `Das Eingangsbuch ${p.path} ist beschädigt: ${fileFlaw(p.detail)}.`,
    checkFound: (p) => `Eine vollständige Prüfung des Eingangsbuchs ergab: ${fileFlaw(p.detail)}.`,
    ledgerRebuilt: (p) =>
      `Das Eingangsbuch wurde neu aufgebaut.${p.aside === null ? '' : ` Die alte Datei liegt jetzt unter ${p.aside}.`}`,
    entriesApplied: (p) => `${counted(p.count, 'Eintrag', 'Einträge')} des Journals übernommen.`,
    journalGaps: (p) => `Das Journal ist an ${counted(p.count, 'Stelle', 'Stellen')} beschädigt.`,
    entriesUnusable: (p) => `Nicht verwendbare Einträge: ${p.seqs.join(', ')}.`,
    nothingRecovered: (p) => `Aus ${p.file} ließ sich nichts lesen: ${ended(p.detail)}`,
    rowsRecovered: (p) =>
      `${counted(p.count, 'Datensatz', 'Datensätze')} aus ${p.file} übernommen.${p.lost === 0 ? '' : ` ${counted(p.lost, 'Teil', 'Teile')} ließen sich nicht lesen.`}`,
    wentBack: (p) => {
      const lacks = `${counted(p.to - p.from, 'Eintrag', 'Einträge')} dieses Agenten, nach dem Eintrag ${number(p.from)} bis zum Eintrag ${number(p.to)}`;
      const end = p.isWhole
        ? 'Sie werden wieder eingetragen.'
        : `Sie lassen sich nicht wieder eintragen${p.keptAs === null ? '' : `; was von ihnen bekannt ist, steht in ${p.keptAs}`}.`;
      return `Die Datenbank ${p.where} ist auf einem früheren Stand: Es fehlten ${lacks}. ${end}`;
    },
  };
};

import type { Detail } from '../facts.ts';
import type { Format } from '../format.ts';
import type { Fact, SamePhrases } from '../phrase.ts';

/** What is said within something else: a fact, or words that an earlier version wrote. */
export type Quoted = string | { readonly is: string };

/** Rows of the ledger. */
export type RowTable = 'endpoints' | 'folders' | 'documents' | 'files' | 'attempts' | 'holds' | 'results';

const ROWS: Readonly<Record<RowTable, string>> = {
  endpoints: 'Endpoint',
  folders: 'Folder',
  documents: 'Document',
  files: 'File',
  attempts: 'Upload request',
  holds: 'Hold',
  results: 'Result',
};

/** What is wrong with a file of the ledger, if receiptd finds it and not SQLite. */
const FILE_FLAWS: Readonly<Record<string, string>> = {
  notALedger: 'the file is not a receiptd ledger',
  miscounted: 'the document counts are wrong',
  logNotFolded: 'its log could not be folded into it',
  journalCut: 'another program shortened this file',
};

/** `detail`: such a flaw, or what SQLite says. */
export const fileFlaw = (detail: string): string => FILE_FLAWS[detail] ?? detail;

/** What is wrong at a place of the journal. */
export const journalFlawTexts = ({ number }: Format) => ({
  lineTooLong: 'the line is longer than any entry',
  notThreeFields: 'the line does not have three fields',
  entryChanged: 'the entry was changed: it does not have its hash',
  notAnEntry: 'the entry is not what receiptd writes',
  noCompleteLine: 'the file has no complete line',
  noLedgerName: 'the first entry does not name its ledger',
  notAStart: 'it is not the start of a ledger',
  personalChanged: 'its personal data were changed',
  numberTwice: 'a number came twice',
  moved: (p: { seq: number; after: number }) =>
    `entry ${p.seq} comes after entry ${p.after}: it was moved or copied here`,
  beginningMissing: (p: { seq: number }) => `the beginning is missing: the first entry is ${p.seq}`,
  entriesMissing: (p: { from: number; to: number; before: number }) =>
    `${p.from === p.to ? `entry ${p.from} is` : `entries ${p.from} to ${p.to} are`} missing before entry ${p.before}`,
  replaced: (p: { seq: number; after: number }) =>
    `entry ${p.seq} was not written after this entry ${p.after}: one of the two was replaced`,
  personalReplaced: (p: { seq: number }) =>
    `the personal data of entry ${number(p.seq)} is not what was originally written`,
});
export type JournalFlawFact = Fact<ReturnType<typeof journalFlawTexts>>;
export type JournalFlawTexts = SamePhrases<ReturnType<typeof journalFlawTexts>>;

const entries = (from: number, to: number): string =>
  from === to ? `entry ${from}` : `entries ${from} to ${to}`;

/**
 * What `audit` and `ledger verify` find in the ledger and its history, and what the history records of how the ledger was made, rebuilt or restored.
 * `quote` words what is within.
 */
export const ledgerFindingTexts = (format: Format, quote: (said: Quoted) => string) => {
  const { counted, number, ended, phrase } = format;
  const flaws = journalFlawTexts(format);
  return {
    // Two ways of counting disagree. `state`: its code.
    countsDiffer: (p: { folder: string; state: string; one: number; other: number }) =>
      `${p.folder}: ${counted(p.one, 'file is', 'files are')} ${p.state} in one count, ${number(p.other)} in the other.`,
    noFile: (p: { name: string; state: string }) =>
      `The document "${p.name}" (${p.state}) has no file in the ledger.`,
    doesNotAddUp: (p: { seen: number }) =>
      `${counted(p.seen, 'file was', 'files were')} seen, but the counts by state do not add up to that.`,

    // The journal by itself.
    journalFlaw: (p: { flaw: JournalFlawFact }) => {
      const flaw = phrase(flaws, p.flaw);
      return `${flaw.charAt(0).toUpperCase()}${flaw.slice(1)}.`;
    },
    journalMissing: (p: { path: string }) => `There is no journal at ${p.path}.`,
    journalEmpty: 'The journal is empty.',
    journalNotAStart: 'The first entry is not the start of a ledger.',
    /** `bytes`: of the last line; null if that is complete, but not its commit. */
    lastIncomplete: (p: { bytes: number | null }) =>
      `The last ${p.bytes === null ? 'commit is incomplete' : `line is incomplete (${p.bytes} bytes)`}. Either a crash interrupted it, and receiptd will remove it at its next start, or somebody cut it off.`,
    timesBackwards: (p: { count: number; first: number }) =>
      `${counted(p.count, 'entry has', 'entries have')} a time earlier than the entry before; the first is entry ${p.first}. Possible reasons: the machine's clock was set back, images were deferred while a shared ledger was unreachable, or a new journal first records what the ledger already contained.`,
    personalErased: (p: { count: number }) =>
      `The personal data of ${counted(p.count, 'entry', 'entries')} were erased.`,
    personalBlank: (p: { from: number; to: number }) =>
      `The personal data of ${entries(p.from, p.to)} is blank, but no later entry records an erasure.`,
    personalNotErased: (p: { from: number; to: number }) =>
      `The personal data of ${entries(p.from, p.to)} is still there, although a later entry records its erasure.`,
    archivedBefore: (p: { seq: number; file: string }) =>
      `Entries 1 to ${p.seq} were archived and not verified. The last of their files is ${p.file}.`,
    journalRestarted: (p: { seq: number; because: Quoted | null }) =>
      `This journal was restarted with entry ${p.seq}.${p.because === null ? '' : ` Recorded reason: ${quote(p.because)}`} Entries 1 to ${p.seq - 1} are not in this file and were not verified. Look for a file that was set aside, or in a backup.`,

    // The journal and the head that was kept.
    keptDiffers: (p: { seq: number }) =>
      `Entry ${p.seq} does not match the kept head: it, or something before it, has been rewritten.`,
    keptOfOther: (p: { kept: string; ledger: string }) =>
      `The kept head belongs to ledger ${p.kept}, but this journal belongs to ledger ${p.ledger}.`,
    keptNotContinued: (p: { seq: number }) =>
      `This journal does not continue from entry ${p.seq} of the kept head, but from a different one.`,
    keptBefore: (p: { seq: number; first: number }) =>
      `Entry ${p.seq} of the kept head is not in this file, which starts with entry ${p.first}. Nothing before that can be confirmed.`,
    /** `last`: null if there is no entry. */
    keptCutOff: (p: { seq: number; last: number | null }) =>
      `The end was cut off: the kept head is entry ${p.seq}, but the last entry here is ${p.last ?? 'none'}.`,
    keptMissing: (p: { seq: number }) => `Entry ${p.seq} of the kept head is missing from its place.`,
    keptOfNoAgent: (p: { ledger: string }) =>
      `The kept head is from the chain ${p.ledger}, which no agent of this ledger has.`,

    // Agents of a shared ledger.
    ofAgent: (p: { agent: string; finding: Quoted }) => `Agent ${p.agent}: ${quote(p.finding)}`,
    entrySays: (p: { seq: number; because: Quoted }) => `entry ${p.seq} says: ${quote(p.because)}`,
    lastOfChain: (p: { seq: number; ledger: string; last: number }) =>
      `its row holds entry ${p.seq} as the last of its chain ${p.ledger}, and the last one there is ${p.last === 0 ? 'none' : p.last}.`,

    // The ledger beside the journal.
    noJournal: 'The ledger has no journal.',
    headNotInJournal: (p: { seq: number }) =>
      `The ledger's last journal entry is ${p.seq}, but the journal does not have it.`,
    headDiffers: (p: { seq: number }) => `Entry ${p.seq} of the journal differs from the one the ledger has.`,
    misfit: (p: { seq: number }) => `Entry ${p.seq} of the journal does not fit the entries before it.`,
    miscounted: 'In the ledger, the document counts are wrong.',
    onlyInLedger: (p: { table: RowTable; id: number }) =>
      `${ROWS[p.table]} ${p.id} is in the ledger but not in the journal.`,
    onlyInJournal: (p: { table: RowTable; id: number }) =>
      `${ROWS[p.table]} ${p.id} is in the journal but missing from the ledger.`,
    rowDiffers: (p: { table: RowTable; id: number }) =>
      `${ROWS[p.table]} ${p.id} in the ledger does not match the journal.`,

    // How the ledger was made, rebuilt or restored.
    story: (p: { parts: readonly Quoted[] }) => p.parts.map(quote).join(' '),
    ledgerMade: 'The ledger was made.',
    agentJoined: (p: { agent: string }) => `Agent ${p.agent} joined the ledger.`,
    movedHere: "This agent's own ledger was moved here.",
    journalDamaged: 'The journal is damaged.',
    journalDamagedAt: (p: { path: string; entry: number | null; flaw: JournalFlawFact }) =>
      `The journal ${p.path} is broken at ${p.entry === null ? 'its last entry' : `entry ${p.entry}`}: ${phrase(flaws, p.flaw)}.`,
    journalGone: 'The journal was gone.',
    journalShort: (p: { last: number; head: number }) =>
      `The journal ended at entry ${p.last}, but the ledger has entries up to ${p.head}.`,
    journalForeign: 'The journal did not belong to the ledger.',
    /** `aside`: where the old file is; null if there was none. */
    journalContinued: (p: { seq: number; aside: string | null }) =>
      `A new one continues from entry ${p.seq}.${p.aside === null ? '' : ` The old file is kept as ${p.aside}.`}`,
    ledgerGone: (p: { path: string }) => `The ledger ${p.path} is gone.`,
    ledgerOfOlderFormat: (p: { path: string }) => `The ledger ${p.path} has an older format.`,
    ledgerBehind: (p: { path: string }) => `The ledger ${p.path} is older than its journal.`,
    ledgerDamaged: (p: { path: string; detail: string }) =>
      `The ledger ${p.path} is damaged: ${fileFlaw(p.detail)}.`,
    checkFound: (p: { detail: string }) => `A full check of the ledger found: ${fileFlaw(p.detail)}.`,
    ledgerRebuilt: (p: { aside: string | null }) =>
      `The ledger was rebuilt.${p.aside === null ? '' : ` The file is kept as ${p.aside}.`}`,
    entriesApplied: (p: { count: number }) =>
      `Applied ${counted(p.count, 'entry', 'entries')} of the journal.`,
    journalGaps: (p: { count: number }) =>
      `The journal is damaged in ${counted(p.count, 'place', 'places')}.`,
    entriesUnusable: (p: { seqs: readonly number[] }) =>
      `Entries that could not be used: ${p.seqs.join(', ')}.`,
    nothingRecovered: (p: { file: string } & Detail) =>
      `Nothing could be read from ${p.file}: ${ended(p.detail)}`,
    /** `lost`: parts of the file that could not be read. */
    rowsRecovered: (p: { file: string; count: number; lost: number }) =>
      `Recovered ${counted(p.count, 'record', 'records')} from ${p.file}.${p.lost === 0 ? '' : ` ${counted(p.lost, 'part', 'parts')} could not be read.`}`,
    /** `from`, `to`: the last entry that it had, and that it should have had. `keptAs`: a file with what can't be recorded again. */
    wentBack: (p: { where: string; from: number; to: number; isWhole: boolean; keptAs: string | null }) => {
      const lacks = `${counted(p.to - p.from, 'entry', 'entries')} of this agent, behind entry ${number(p.from)} and up to entry ${number(p.to)} of its history`;
      const end = p.isWhole
        ? 'They are recorded again.'
        : `They can't be recorded again${p.keptAs === null ? '' : `; what is known of them is in ${p.keptAs}`}.`;
      return `The database ${p.where} went back: it lacked ${lacks}. ${end}`;
    },
  };
};

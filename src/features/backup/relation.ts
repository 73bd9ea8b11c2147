import { existsSync, statSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Kind } from '../../ledger/entries.ts';
import { endOfEntry, readJournal } from '../../ledger/journal/read.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import type { Cells } from '../../ledger/schema.ts';
import type { JournalEntry, JournalHead } from '../../core/ports/journal.ts';
import { withReports } from '../../ledger/configured/reports.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';

/**
 * How the state directory relates to a backup:
 * none: the state directory is empty;
 * earlier: the local journal continues from the backup, which is an earlier state of the same ledger;
 * later: the backup has everything that is recorded here, and more: the agent moved to another machine and is coming back;
 * diverged: both continued differently from the same ledger;
 * other: a different ledger, or one that can't be read.
 */
export type Relation = 'none' | 'earlier' | 'later' | 'diverged' | 'other';

/** Entries about documents that are recorded here but not in the backup. */
export interface Newer {
  readonly entries: number;
  /** Documents that were accepted according to these entries, and would be sent again without them. */
  readonly accepted: number;
}

/** Entries that may be lost without losing a document or sending one twice. */
const OF_NO_DOCUMENT: ReadonlySet<string> = new Set<Kind>([
  'begun',
  'continued',
  'shared',
  'restored',
  'rebuilt',
  'act',
  'endpoint',
  'recorded',
  'folder',
  'watched',
  'placed',
  'hold',
  'released',
]);

/** `archived`: path of the backup's journal, which ends with `head`; null if it has none, and `later` is then `diverged`. */
export async function relationTo(
  config: Config,
  head: JournalHead,
  archived: string | null,
): Promise<Relation> {
  if (isEarlier(config, head)) return 'earlier';
  const last = lastOf(journalOf(config));
  if (last !== null && archived !== null && endOfEntry(archived, last) !== null) return 'later';
  if (!(await holdsSomething(config))) return 'none';
  return (await ledgerHere(config)) === head.ledger ? 'diverged' : 'other';
}

/** Documents that the ledger here records as accepted. */
export function acceptedHere(config: Config): number {
  return counted(entriesOf(journalOf(config))).accepted;
}

/** Whether the local journal contains the backup's last entry, so that nothing is lost. */
export function isEarlier(config: Config, head: JournalHead): boolean {
  return endOfEntry(journalOf(config), head) !== null;
}

/** What a restore would forget; `archived` as above. */
export function newerHere(config: Config, head: JournalHead, archived: string | null): Newer {
  const journal = journalOf(config);
  if (isEarlier(config, head)) return counted(entriesOf(journal, head.seq));
  return archived === null ? counted([]) : counted(branch(journal, archived));
}

function journalOf(config: Config): string {
  return journalPathOf(ledgerPath(config));
}

/** Uses the journals, which are independent of the state of the ledger file. */
function entriesOf(journal: string, after = 0): Iterable<JournalEntry> {
  return readJournal(journal, after, { lenient: true });
}

function lastOf(journal: string): JournalEntry | null {
  let last: JournalEntry | null = null;
  for (const entry of entriesOf(journal)) last = entry;
  return last;
}

/** The entries from where the two journals diverge; none if they have nothing in common. */
function* branch(journal: string, archived: string): Generator<JournalEntry> {
  const theirs = entriesOf(archived)[Symbol.iterator]();
  let isShared = false;
  let isBranch = false;
  for (const entry of entriesOf(journal)) {
    if (!isBranch) {
      const other = theirs.next();
      isBranch = other.done === true || other.value.hash !== entry.hash;
      if (isBranch && !isShared) return;
      isShared = true;
    }
    if (isBranch) yield entry;
  }
}

/** The id of the ledger here, from its journal, or from itself if the journal is gone; null if neither can be read. */
async function ledgerHere(config: Config): Promise<string | null> {
  for (const { kind, facts } of entriesOf(journalOf(config)))
    if ((kind === 'begun' || kind === 'continued') && typeof facts['ledger'] === 'string')
      return facts['ledger'];
  const head = await withReports(config, (reports) => reports.head()).catch((error: unknown) => {
    if (error instanceof ReceiptdError) return null;
    throw error;
  });
  return head?.ledger ?? null;
}

function counted(newer: Iterable<JournalEntry>): Newer {
  let entries = 0;
  const accepted = new Set<unknown>();
  for (const { kind, facts } of newer) {
    if (OF_NO_DOCUMENT.has(kind)) continue;
    entries += 1;
    const { document, documents = [document], state, table, row } = facts;
    if ((kind === 'moved' || kind === 'ended') && state === 'accepted' && Array.isArray(documents))
      for (const each of documents) accepted.add(each);
    if (kind !== 'row' || table !== 'documents') continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written from a row
    const cells = row as unknown as Cells;
    if (cells['state'] === 'accepted') accepted.add(cells['id']);
  }
  return { entries, accepted: accepted.size };
}

/** An unreadable ledger counts as holding something. */
async function holdsSomething(config: Config): Promise<boolean> {
  const path = ledgerPath(config);
  try {
    return await withReports(config, async (reports) => {
      return (await reports.counts()).some(({ count }) => count > 0);
    });
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code !== 'LEDGER_MISSING') return true;
    // Missing, or of an older version.
    const journal = statSync(journalPathOf(path), { throwIfNoEntry: false });
    return existsSync(path) || (journal !== undefined && journal.size > 0);
  }
}

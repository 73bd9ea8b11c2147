import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { checkedLines } from '../../ledger/journal/read.ts';
import { endOfEntry } from '../../ledger/sqlite/adopt.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import type { JournalEntry, JournalHead } from '../../ports/journal.ts';
import { ledgerPath, openReports } from '../reports.ts';

/** How the ledger that is here stands to one that an archive brings. */
export interface Comparison {
  /** The archive holds all that is recorded here, and more: it was here, went elsewhere, and comes back. */
  readonly continues: boolean;
  /** Entries about documents that are recorded here, and not in the archive, which is an older state of the same ledger, or a branch of it. */
  readonly entries: number;
  /** Documents that were accepted by those entries: who does not know them sends them again. */
  readonly accepted: number;
}

const UNRELATED: Comparison = { continues: false, entries: 0, accepted: 0 };

/** Without these nothing is lost, and nothing is sent twice. */
const OF_NO_DOCUMENT: ReadonlySet<string> = new Set(
  'begun continued restored rebuilt act watched placed endpoint paused resumed'.split(' '),
);

/** The journals tell, whatever became of the ledger's own file. `archived`: the archive's journal, which ends with `head`. */
export async function compareWithArchive(
  config: Config,
  archived: string,
  head: JournalHead,
): Promise<Comparison> {
  const journal = journalPathOf(ledgerPath(config));
  if (!existsSync(journal)) return UNRELATED;
  const here = await headHere(config);
  if (here !== null && isEnd(journal, here) && endOfEntry(archived, here) !== null)
    return { ...UNRELATED, continues: head.seq > here.seq };
  if (endOfEntry(journal, head) !== null) return counted(entriesOf(journal, head.seq));
  return counted(branch(journal, archived));
}

/** Null where the ledger can't be read. */
export async function headHere(config: Config): Promise<JournalHead | null> {
  try {
    const reports = await openReports(config);
    try {
      await reports.counts();
      return await reports.head();
    } finally {
      await reports.close();
    }
  } catch {
    return null;
  }
}

function isEnd(journal: string, { seq }: JournalHead): boolean {
  for (const _ of entriesOf(journal, seq)) return false;
  return true;
}

function* entriesOf(journal: string, after = 0): Generator<JournalEntry> {
  for (const { parsed } of checkedLines(journal, after))
    if (parsed !== null && parsed.entry.seq > after) yield parsed.entry;
}

/** The entries from where the two part; none where they have nothing in common. */
function* branch(journal: string, archived: string): Generator<JournalEntry> {
  const theirs = entriesOf(archived);
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

function counted(newer: Iterable<JournalEntry>): Comparison {
  let entries = 0;
  const accepted = new Set<unknown>();
  for (const { kind, facts } of newer) {
    if (OF_NO_DOCUMENT.has(kind)) continue;
    entries += 1;
    const { documents, state } = facts as { readonly documents?: unknown; readonly state?: unknown };
    if (kind === 'moved' && state === 'accepted' && Array.isArray(documents))
      for (const document of documents) accepted.add(document);
  }
  return { continues: false, entries, accepted: accepted.size };
}

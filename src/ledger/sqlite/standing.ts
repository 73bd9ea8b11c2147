import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { JournalHead } from '../../core/ports/journal.ts';
import { damagedJournal, readJournal, type Journal, type JournalFault } from '../journal/journal.ts';
import { isPartOf } from './rebuild.ts';
import { replay } from './replay.ts';
import { HEAD, HOLDS_SOMETHING } from './sql/journal.ts';
import { createSql } from './statements.ts';

/**
 * How a ledger relates to a sound journal. `behind`: it lacks the last entries, as after a crash. `outdated`: it is
 * older than the file, which begins with a complete snapshot. `foreign`: the journal belongs to another ledger, or
 * lacks its own end.
 */
export function standingOf(
  db: DatabaseSyncInstance,
  journal: Journal,
  journalPath: string,
): 'same' | 'behind' | 'outdated' | 'foreign' {
  const head = headOf(db);
  const last = journal.head;
  if (head === null) {
    // A ledger with content but no head is older than journals: a new journal must record its content.
    if (!isEmpty(db)) return 'foreign';
    return last.seq === 1 ? 'behind' : 'outdated';
  }
  if (head.ledger !== last.ledger) return 'foreign';
  if (head.seq === last.seq) return head.hash === last.hash ? 'same' : 'foreign';
  if (last.seq < head.seq) return 'foreign';
  return isPartOf(head, last.ledger, journalPath) ? 'behind' : 'outdated';
}

/** Replays what a crash left the ledger without. Returns what is wrong with the journal, or null. */
export function bringTogether(
  db: DatabaseSyncInstance,
  journal: Journal | null,
  journalPath: string,
): string | null {
  if (journal === null) return null;
  switch (standingOf(db, journal, journalPath)) {
    case 'same':
    case 'outdated':
      return null;
    case 'foreign':
      return foreign(headOf(db), journal.head);
    case 'behind': {
      let damage: string | null = null;
      catchUp(db, journalPath, ({ after, what }) => {
        damage ??= damagedJournal(journalPath, after + 1, what).message;
      });
      return damage;
    }
  }
}

function foreign(head: JournalHead | null, last: JournalHead): string | null {
  if (head === null) return null;
  if (head.ledger === last.ledger && last.seq < head.seq)
    return `The journal ended at entry ${last.seq}, but the ledger has entries up to ${head.seq}.`;
  return 'The journal did not belong to the ledger.';
}

/** Replays whatever is readable of the journal after the ledger's head, even if it is damaged. */
export function catchUp(
  db: DatabaseSyncInstance,
  journalPath: string,
  onFault: (fault: JournalFault) => void,
): void {
  const head = headOf(db) ?? (isEmpty(db) ? beginningOf(journalPath) : null);
  if (head === null || (head.seq > 0 && !isPartOf(head, head.ledger, journalPath))) return;
  const { misfits } = replay(db, head.ledger, readJournal(journalPath, head.seq, { lenient: true, onFault }));
  for (const seq of misfits) onFault({ after: seq - 1, what: 'it does not fit what comes before it' });
}

/** The head before the journal's first entry; null if the journal does not name its ledger. */
function beginningOf(journalPath: string): JournalHead | null {
  for (const { facts } of readJournal(journalPath, 0, { lenient: true })) {
    const { ledger } = facts;
    return typeof ledger === 'string' ? { ledger, seq: 0, hash: '' } : null;
  }
  return null;
}

function isEmpty(db: DatabaseSyncInstance): boolean {
  const sql = createSql(db);
  const row = sql.get(HOLDS_SOMETHING);
  sql.forget();
  return row === undefined;
}

export function headOf(db: DatabaseSyncInstance): JournalHead | null {
  const sql = createSql(db);
  const head = sql.get<JournalHead>(HEAD);
  sql.forget();
  return head ? { ...head } : null;
}

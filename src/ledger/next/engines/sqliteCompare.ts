import { dirname, join } from 'node:path';
import { messageOf } from '../../../core/domain/errors.ts';
import type { JournalHead } from '../../../core/ports/journal.ts';
import { readJournal } from '../../journal/journal.ts';
import { copyInto } from '../../sqlite/backup.ts';
import { damaged, isDamage } from '../../sqlite/failure.ts';
import { compareFolded, documentsIn, inScratch, type Comparison } from './compare.ts';
import { inParts, Statements } from './sqlite.ts';
import { openForReading, openTables } from './sqliteFiles.ts';
import { damageOf } from './sqliteUpkeep.ts';

/**
 * Folds the whole journal into second tables and compares every row with the ledger's, which reveals changes made to the ledger and not to the journal.
 * Works beside a running agent, on a snapshot, and on a read-only disk.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED, OUTPUT_UNWRITABLE
 */
export async function compareWithJournal(path: string, journalPath: string): Promise<Comparison> {
  const live = openForReading(path);
  try {
    return await inScratch(dirname(path), async (scratch) => {
      const copy = join(scratch, 'ledger.db');
      await copyInto(live, copy);
      const ledger = new Statements(openTables(copy, { readOnly: true }));
      try {
        const flaw = damageOf(ledger);
        if (flaw !== null) throw damaged(path, flaw);
        return await compareTables(ledger, journalPath, scratch);
      } finally {
        ledger.forget();
        ledger.db.close();
      }
    });
  } catch (error) {
    if (isDamage(error)) throw damaged(path, messageOf(error), error);
    throw error;
  } finally {
    live.close();
  }
}

async function compareTables(ledger: Statements, journalPath: string, scratch: string): Promise<Comparison> {
  const [head] = ledger.each<JournalHead>('SELECT h.ledger, h.seq, h.hash FROM head h', null);
  const documents = await documentsIn(ledger);
  if (head === undefined) return { findings: ['The ledger has no journal.'], documents, head: null };
  const entries = inParts(readJournal(journalPath, 0, { lenient: true }), head.seq);
  const { misfits, reached, differences } = await compareFolded(ledger, entries, scratch);
  const findings = misfits.map(
    ({ seq }) => `Entry ${seq} of the journal does not fit the entries before it.`,
  );
  if (reached.seq !== head.seq)
    findings.push(`The ledger's last journal entry is ${head.seq}, but the journal does not have it.`);
  else if (reached.hash !== head.hash)
    findings.push(`Entry ${head.seq} of the journal differs from the one the ledger has.`);
  findings.push(...differences);
  return { findings, documents, head: { ...head } };
}

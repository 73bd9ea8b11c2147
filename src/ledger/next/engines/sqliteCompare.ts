import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf, ReceiptdError, systemCode } from '../../../core/domain/errors.ts';
import type { JournalHead } from '../../../core/ports/journal.ts';
import { NO_HASH } from '../../journal/line.ts';
import { copyInto } from '../../sqlite/backup.ts';
import { damaged, isDamage, isStoreFailure } from '../../sqlite/failure.ts';
import { LedgerCore } from '../ledger.ts';
import { TABLE_NAMES, TABLES, type Table } from '../schema.ts';
import { headOf, makeTables, SqliteEngine, Statements } from './sqlite.ts';
import { openForReading, openTables } from './sqliteFiles.ts';
import { damageOf, miscountOf } from './sqliteUpkeep.ts';

export interface Comparison {
  /** Sentences for people; at most twenty of each kind. */
  readonly findings: readonly string[];
  /** Documents in the ledger. */
  readonly documents: number;
  /** Number of documents that the journal names, unless it names all. */
  readonly compared?: number;
  readonly head: JournalHead | null;
}

const SHOWN = 20;

/**
 * Folds the whole journal into second tables and compares every row with the ledger's, which reveals changes made to the ledger and not to the journal.
 * Works beside a running agent, on a snapshot, and on a read-only disk.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED, OUTPUT_UNWRITABLE
 */
export async function compareWithJournal(path: string, journalPath: string): Promise<Comparison> {
  const live = openForReading(path);
  let scratch: string | null = null;
  try {
    scratch = scratchBeside(path);
    const copy = join(scratch, 'ledger.db');
    await copyInto(live, copy);
    const statements = new Statements(openTables(copy, { readOnly: true }));
    const flaw = damageOf(statements);
    statements.forget();
    statements.db.close();
    if (flaw !== null) throw damaged(path, flaw);
    return await compareCopy(copy, join(scratch, 'again.db'), journalPath);
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    if (isDamage(error)) throw damaged(path, messageOf(error), error);
    if (!isStoreFailure(error) && systemCode(error) === undefined) throw error;
    const dir = scratch ?? tmpdir();
    throw new ReceiptdError(
      'OUTPUT_UNWRITABLE.comparedCopy',
      { dir, detail: messageOf(error) },
      { cause: error },
    );
  } finally {
    live.close();
    if (scratch !== null) remove(scratch);
  }
}

/** On Windows, a damaged copy may still be open. That must not hide the error that is on its way. */
function remove(scratch: string): void {
  try {
    fs.rmSync(scratch, { recursive: true, force: true });
  } catch (error) {
    if (!['EBUSY', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  }
}

const CLOSED: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** A private directory beside the ledger, on whose disk it fits; elsewhere if nothing can be written there. */
function scratchBeside(path: string): string {
  try {
    return fs.mkdtempSync(join(dirname(path), '.verify-'));
  } catch (error) {
    if (!CLOSED.has(systemCode(error) ?? '')) throw error;
    return fs.mkdtempSync(join(tmpdir(), 'receiptd-verify-'));
  }
}

async function compareCopy(copy: string, again: string, journalPath: string): Promise<Comparison> {
  const statements = new Statements(openTables(again, { readOnly: false }));
  const { db } = statements;
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY');
    makeTables(db, NO_HASH);
    db.exec(`ATTACH '${copy.replaceAll("'", "''")}' AS live`);
    const [head] = statements.each<JournalHead>('SELECT h.ledger, h.seq, h.hash FROM live.head h', null);
    const [count] = statements.each<{ readonly n: number }>(
      'SELECT count(*) AS n FROM live.documents d',
      null,
    );
    const documents = count?.n ?? 0;
    if (head === undefined) return { findings: ['The ledger has no journal.'], documents, head: null };
    const core = new LedgerCore(SqliteEngine.overTables(statements, journalPath, head.seq));
    const { misfits } = await core.bringForwardLeniently();
    const findings = misfits.map((seq) => `Entry ${seq} of the journal does not fit the entries before it.`);
    const reached = headOf(statements);
    if (reached.seq !== head.seq)
      findings.push(`The ledger's last journal entry is ${head.seq}, but the journal does not have it.`);
    else if (reached.hash !== head.hash)
      findings.push(`Entry ${head.seq} of the journal differs from the one the ledger has.`);
    findings.push(...differences(statements));
    const miscount = findings.length === 0 ? miscountOf(statements, 'live.') : null;
    if (miscount !== null) findings.push(`In the ledger, ${miscount}.`);
    return { findings, documents, head: { ...head } };
  } finally {
    statements.forget();
    db.close();
  }
}

const CALLED: Readonly<Record<Table, string>> = {
  endpoints: 'Endpoint',
  folders: 'Folder',
  documents: 'Document',
  files: 'File',
  attempts: 'Upload request',
  holds: 'Hold',
  results: 'Result',
};

function differences(statements: Statements): string[] {
  return TABLE_NAMES.flatMap((table) => {
    const columns = Object.keys(TABLES[table]).join(', ');
    const rows = (from: string, but: string): readonly number[] =>
      statements
        .each<{ readonly id: number }>(
          `SELECT id FROM (SELECT ${columns} FROM ${from}.${table} EXCEPT SELECT ${columns} FROM ${but}.${table}) ORDER BY id LIMIT ${SHOWN}`,
          null,
        )
        .map(({ id }) => id);
    const inLedger = rows('live', 'main');
    const inJournal = rows('main', 'live');
    const what = CALLED[table];
    return [
      ...inLedger.map((id) =>
        inJournal.includes(id)
          ? `${what} ${id} in the ledger does not match the journal.`
          : `${what} ${id} is in the ledger but not in the journal.`,
      ),
      ...inJournal
        .filter((id) => !inLedger.includes(id))
        .map((id) => `${what} ${id} is in the journal but missing from the ledger.`),
    ];
  });
}

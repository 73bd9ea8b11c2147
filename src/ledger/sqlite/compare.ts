import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { JournalEntry, JournalHead } from '../../core/ports/journal.ts';
import { readJournal } from '../journal/journal.ts';
import { copyInto, flawOf, miscountOf } from './backup.ts';
import { openForReading } from './connection.ts';
import { damaged, isDamage, isStoreFailure } from './failure.ts';
import { migrate } from './migrate.ts';
import { replay } from './replay.ts';
import { COMPARISONS } from './sql/compare.ts';
import { HEAD } from './sql/journal.ts';
import { createSql, type Sql } from './statements.ts';

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
 * Rebuilds a second ledger from the journal alone and compares the two, which reveals changes made to the ledger but
 * not to the journal. Works beside a running daemon, on a snapshot, and on a read-only disk.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED, OUTPUT_UNWRITABLE
 */
export async function compareWithJournal(path: string, journalPath: string, at: number): Promise<Comparison> {
  const live = openForReading(path);
  let scratch: string | null = null;
  try {
    scratch = scratchBeside(path);
    const copy = join(scratch, 'ledger.db');
    await copyInto(live, copy);
    const flaw = flawOfCopy(copy);
    if (flaw !== null) throw damaged(path, flaw);
    return compareCopy(copy, join(scratch, 'again.db'), journalPath, at);
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    if (isDamage(error)) throw damaged(path, messageOf(error), error);
    if (!isStoreFailure(error) && systemCode(error) === undefined) throw error;
    throw new ReceiptdError(
      'OUTPUT_UNWRITABLE.comparedCopy',
      { dir: scratch ?? tmpdir(), detail: messageOf(error) },
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

function flawOfCopy(copy: string): string | null {
  const db = new DatabaseSync(copy, { readOnly: true });
  const sql = createSql(db);
  try {
    return flawOf(sql) ?? miscountOf(sql);
  } finally {
    sql.forget();
    db.close();
  }
}

function compareCopy(copy: string, again: string, journalPath: string, at: number): Comparison {
  const db = new DatabaseSync(again, { enableForeignKeyConstraints: true });
  const sql = createSql(db);
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF');
    migrate(db, 0, at);
    db.exec(`ATTACH ${quoted(copy)} AS live`);
    const head = sql.get<JournalHead>(HEAD.replace('FROM journal', 'FROM live.journal')) ?? null;
    const documents = sql.get<{ count: number }>('SELECT count(*) AS count FROM live.documents')?.count ?? 0;
    if (head === null) return { findings: ['The ledger has no journal.'], documents, head };
    const { misfits } = replay(
      db,
      head.ledger,
      upTo(readJournal(journalPath, 0, { lenient: true }), head.seq),
    );
    const reached = sql.get<JournalHead>(HEAD);
    const findings = misfits.map((seq) => `Entry ${seq} of the journal does not fit the entries before it.`);
    if (reached?.seq !== head.seq) {
      findings.push(`The ledger's last journal entry is ${head.seq}, but the journal does not have it.`);
    } else if (reached.hash !== head.hash) {
      findings.push(`Entry ${head.seq} of the journal differs from the one the ledger has.`);
    }
    return { findings: [...findings, ...differences(sql)], documents, head: { ...head } };
  } finally {
    sql.forget();
    db.close();
  }
}

function* upTo(entries: Iterable<JournalEntry>, seq: number): Generator<JournalEntry> {
  for (const entry of entries) {
    if (entry.seq > seq) return;
    yield entry;
  }
}

function differences(sql: Sql): string[] {
  return COMPARISONS.flatMap(({ what, columns }) => {
    const rows = (from: string, but: string): string[] =>
      sql
        .all<{ id: number | string }>(
          `SELECT id FROM (SELECT ${columns(from)} EXCEPT SELECT ${columns(but)}) ORDER BY id LIMIT ${SHOWN}`,
        )
        .map(({ id }) => String(id));
    const inLedger = new Set(rows('live', 'main'));
    const inJournal = new Set(rows('main', 'live'));
    return [
      ...[...inLedger].map((id) =>
        inJournal.has(id)
          ? `${what} ${id} in the ledger does not match the journal.`
          : `${what} ${id} is in the ledger but not in the journal.`,
      ),
      ...[...inJournal]
        .filter((id) => !inLedger.has(id))
        .map((id) => `${what} ${id} is in the journal but missing from the ledger.`),
    ];
  });
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}

import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, ReceiptdError, systemCode } from '../../../core/domain/errors.ts';
import type { JournalHead } from '../../../core/ports/journal.ts';
import { NO_HASH } from '../../journal/line.ts';
import { isDamage } from '../../sqlite/failure.ts';
import type { Reader, Recorded } from '../engine.ts';
import { LedgerCore } from '../ledger.ts';
import { FLEETING, TABLE_NAMES, TABLES, type Cells, type Table } from '../schema.ts';
import { headOf, isOfStore, makeTables, SqliteEngine, Statements } from './sqlite.ts';
import { openTables } from './sqliteFiles.ts';

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
const PAGE = 1_000;

/** Rows if the counts are not those of the rows. */
export const MISCOUNTED = `WITH counted AS (
    SELECT c.endpoint_id, c.folder_id, c.state, sum(c.n) AS n FROM counts c GROUP BY c.endpoint_id, c.folder_id, c.state HAVING sum(c.n) <> 0),
  there AS (
    SELECT d.endpoint_id, d.folder_id, d.state, count(*) AS n FROM documents d GROUP BY d.endpoint_id, d.folder_id, d.state
    UNION ALL
    SELECT f.endpoint_id, f.folder_id, f.verdict, count(*) FROM files f
     WHERE f.verdict <> 'document' AND (f.gone_at IS NULL OR f.verdict NOT IN (${FLEETING.map((each) => `'${each}'`).join(', ')}))
     GROUP BY f.endpoint_id, f.folder_id, f.verdict)
  SELECT 1 AS wrong FROM (SELECT * FROM counted EXCEPT SELECT * FROM there) a
  UNION ALL
  SELECT 1 AS wrong FROM (SELECT * FROM there EXCEPT SELECT * FROM counted) b`;

export async function documentsIn(ledger: Reader): Promise<number> {
  const [count] = await ledger.each<{ readonly n: number }>('SELECT count(*) AS n FROM documents d', null);
  return count?.n ?? 0;
}

/**
 * Folds entries into second tables, in a file in `scratch`, and compares every row and the counts of the ledger with them. The reader must see one moment.
 */
export async function compareFolded(
  ledger: Reader,
  entries: Iterable<readonly Recorded[]> | AsyncIterable<readonly Recorded[]>,
  scratch: string,
): Promise<{
  /** Entries that do not fit those before them. */
  readonly misfits: readonly Recorded[];
  /** The last entry that was folded. */
  readonly reached: Pick<JournalHead, 'seq' | 'hash'>;
  /** Sentences. */
  readonly differences: readonly string[];
}> {
  const again = new Statements(openTables(join(scratch, 'again.db'), { readOnly: false }));
  try {
    again.db.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY');
    makeTables(again.db, NO_HASH);
    const { misfits } = await new LedgerCore(SqliteEngine.overTables(again, '')).foldLeniently(entries);
    const differences: string[] = [];
    for (const table of TABLE_NAMES) differences.push(...(await differencesIn(table, ledger, again)));
    if (misfits.length === 0 && differences.length === 0 && (await ledger.each(MISCOUNTED, null)).length > 0)
      differences.push('In the ledger, the document counts are wrong.');
    return { misfits, reached: headOf(again), differences };
  } finally {
    again.forget();
    again.db.close();
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

async function differencesIn(table: Table, ledger: Reader, journal: Reader): Promise<readonly string[]> {
  const what = CALLED[table];
  const columns = Object.keys(TABLES[table]);
  const [inLedger, inJournal] = [rowsOf(table, ledger), rowsOf(table, journal)];
  const next = async (rows: AsyncGenerator<Cells>): Promise<Cells | null> =>
    (await rows.next()).value ?? null;
  const [others, missing]: [string[], string[]] = [[], []];
  let [row, again] = [await next(inLedger), await next(inJournal)];
  while ((row !== null || again !== null) && (others.length < SHOWN || missing.length < SHOWN)) {
    const [id, idAgain] = [Number(row?.['id'] ?? Infinity), Number(again?.['id'] ?? Infinity)];
    if (id < idAgain) others.push(`${what} ${id} is in the ledger but not in the journal.`);
    else if (id > idAgain) missing.push(`${what} ${idAgain} is in the journal but missing from the ledger.`);
    else if (columns.some((column) => row?.[column] !== again?.[column]))
      others.push(`${what} ${id} in the ledger does not match the journal.`);
    if (id <= idAgain) row = await next(inLedger);
    if (idAgain <= id) again = await next(inJournal);
  }
  return [...others.slice(0, SHOWN), ...missing.slice(0, SHOWN)];
}

/** In the order of their ids. */
async function* rowsOf(table: Table, reader: Reader): AsyncGenerator<Cells, undefined> {
  const columns = Object.keys(TABLES[table]).map((name) => `t.${name}`);
  const text = `SELECT ${columns.join(', ')} FROM ${table} t WHERE t.id > :after ORDER BY t.id LIMIT ${PAGE}`;
  for (let after = -1; ;) {
    const page = await reader.each<Cells>(text, null, { after });
    yield* page;
    if (page.length < PAGE) return;
    after = Number(page.at(-1)?.['id']);
  }
}

/**
 * Runs `work` with a private directory: in `beside`, the ledger's own, on whose disk a copy fits, or elsewhere if there is none or nothing can be
 * written there.
 * @throws ReceiptdError OUTPUT_UNWRITABLE; other errors of `work`
 */
export async function inScratch<T>(beside: string | null, work: (dir: string) => Promise<T>): Promise<T> {
  let scratch: string | null = null;
  try {
    scratch = scratchIn(beside);
    return await work(scratch);
  } catch (error) {
    if (error instanceof ReceiptdError || isDamage(error)) throw error;
    if (!isOfStore(error)) throw error;
    const dir = scratch ?? tmpdir();
    throw new ReceiptdError(
      'OUTPUT_UNWRITABLE.comparedCopy',
      { dir, detail: messageOf(error) },
      { cause: error },
    );
  } finally {
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

function scratchIn(beside: string | null): string {
  try {
    if (beside !== null) return fs.mkdtempSync(join(beside, '.verify-'));
  } catch (error) {
    if (!CLOSED.has(systemCode(error) ?? '')) throw error;
  }
  return fs.mkdtempSync(join(tmpdir(), 'receiptd-verify-'));
}

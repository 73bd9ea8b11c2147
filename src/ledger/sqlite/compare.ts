import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { messageOf, ReceiptdError, saidBy, systemCode } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type { Reader, RecordedEntry } from '../engine.ts';
import { readJournal } from '../journal/journal.ts';
import { NO_HASH } from '../journal/line.ts';
import { refuseOlderJournal } from '../journal/read.ts';
import { LedgerCore } from '../ledger.ts';
import { byTable, MISCOUNTED, NAMED, TABLE_NAMES, TABLES, type Cells, type Table } from '../schema.ts';
import { copyInto } from './backup.ts';
import { inParts, isOfStore, SqliteEngine } from './engine.ts';
import { Statements } from './statements.ts';
import { headOf, makeTables, openForReading, openTables } from './tables.ts';
import { damaged, damageOf, isDamage } from './failure.ts';
import type { WhyFact } from '../../core/domain/why.ts';

export interface LedgerComparison {
  /** At most twenty of each kind. */
  readonly findings: readonly WhyFact[];
  /** Documents in the ledger. */
  readonly documents: number;
  /** Number of documents that the journal names, unless it names all. */
  readonly compared?: number;
  readonly head: JournalHead | null;
}

const SHOWN = 20;
const PAGE = 1_000;

/**
 * Folds the whole journal into second tables and compares every row with the ledger's, which reveals changes made to the ledger and not to the journal.
 * Works beside a running agent, on a snapshot, and on a read-only disk.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED, OUTPUT_UNWRITABLE. The signal's reason if it aborts
 */
export async function compareWithJournal(
  path: string,
  journalPath: string,
  signal?: AbortSignal,
): Promise<LedgerComparison> {
  const live = openForReading(path);
  try {
    refuseOlderJournal(journalPath);
    return await inScratch(dirname(path), async (scratch) => {
      const copy = join(scratch, 'ledger.db');
      await copyInto(live, copy);
      const ledger = new Statements(openTables(copy, { readOnly: true }));
      try {
        const flaw = damageOf(ledger.db);
        if (flaw !== null) throw damaged(path, flaw);
        return await compareTables(ledger, journalPath, scratch, signal);
      } finally {
        ledger.close();
      }
    });
  } catch (error) {
    if (isDamage(error)) throw damaged(path, messageOf(error), error);
    throw error;
  } finally {
    live.close();
  }
}

async function compareTables(
  ledger: Statements,
  journalPath: string,
  scratch: string,
  signal: AbortSignal | undefined,
): Promise<LedgerComparison> {
  const [head] = ledger.each<JournalHead>('SELECT h.ledger, h.seq, h.hash FROM head h', null);
  const documents = await documentsIn(ledger);
  if (head === undefined) return { findings: [{ is: 'noJournal' }], documents, head: null };
  const entries = inParts(readJournal(journalPath, 0, { lenient: true }), head.seq);
  // Without a turn of the event loop, the process would hear no signal until the end.
  const goOn = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
  };
  const reader: Reader = {
    each: async (...all) => {
      await goOn();
      return ledger.each(...all);
    },
  };
  const parts = (async function* () {
    for (const part of entries) {
      await goOn();
      yield part;
    }
  })();
  const { misfits, reached, differences } = await compareFolded(reader, parts, scratch);
  const findings = misfits.map(misfitFinding);
  if (reached.seq !== head.seq) findings.push({ is: 'headNotInJournal', seq: head.seq });
  else if (reached.hash !== head.hash) findings.push({ is: 'headDiffers', seq: head.seq });
  findings.push(...differences);
  return { findings, documents, head: { ...head } };
}

export function misfitFinding({ seq }: { readonly seq: number }): WhyFact {
  return { is: 'misfit', seq };
}

export async function documentsIn(ledger: Reader): Promise<number> {
  const [count] = await ledger.each<{ readonly n: number }>('SELECT count(*) AS n FROM documents d', null);
  return count?.n ?? 0;
}

/** A part of a ledger's rows. */
export interface Extent {
  /** Numbers of documents, files, attempts and results, in their order: from, before. */
  readonly ranges: readonly (readonly [from: number, before: number])[];
  /** Conditions on rows of other tables; none of those that are left out. */
  readonly named: Readonly<Partial<Record<Table, string>>>;
  /** Rows that are not compared, by id. */
  readonly except?: ReadonlySet<number>;
  /** Columns that are not compared. */
  readonly unlike?: ReadonlySet<string>;
  /**
   * Numbers of rows whose entries are elsewhere: they are taken as they are, and so are endpoints, folders and holds. Left out: there are none that the
   * entries at hand name.
   */
  readonly taken?: Extent['ranges'];
  /** Whether the ledger's counts are compared with its rows. */
  readonly areCounted: boolean;
}

export interface Differences {
  /** Entries that do not fit those before them. */
  readonly misfits: readonly RecordedEntry[];
  /** The last entry that was folded. */
  readonly reached: Pick<JournalHead, 'seq' | 'hash'>;
  /** At most twenty of each kind. */
  readonly differences: readonly WhyFact[];
  /** Of rows, those that are not shown included. */
  readonly count: number;
  /** How many rows of the ledger were compared. */
  readonly rows: Readonly<Record<Table, number>>;
}

const EVERYTHING: Extent = {
  ranges: [[0, Infinity]],
  named: { endpoints: 'true', folders: 'true', holds: 'true' },
  areCounted: true,
};

/**
 * Folds entries into second tables, in a file in `scratch`, and compares the rows and the counts of the ledger with them. The reader must see one moment.
 */
export async function compareFolded(
  ledger: Reader,
  entries: Iterable<readonly RecordedEntry[]> | AsyncIterable<readonly RecordedEntry[]>,
  scratch: string,
  extent: Extent = EVERYTHING,
  onCompared: (count: number) => void = () => {},
): Promise<Differences> {
  const again = new Statements(openTables(join(scratch, 'again.db'), { readOnly: false }));
  try {
    again.db.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY');
    makeTables(again.db, NO_HASH);
    const engine = new SqliteEngine({ writer: again, reader: again, journal: null });
    if (extent.taken !== undefined) await take(ledger, engine, extent.taken);
    const { misfits } = await new LedgerCore(engine).foldLeniently(entries);
    const differences: WhyFact[] = [];
    const rows = byTable(() => 0);
    let count = 0;
    for (const table of TABLE_NAMES) {
      const found = await differencesIn(table, ledger, again, extent, () => {
        rows[table] += 1;
        if (rows[table] % PAGE === 0) onCompared(Object.values(rows).reduce((sum, n) => sum + n, 0));
      });
      differences.push(...found.shown);
      count += found.count;
    }
    const isCounting = extent.areCounted && misfits.length === 0 && count === 0;
    if (isCounting && (await ledger.each(MISCOUNTED, null)).length > 0) {
      differences.push({ is: 'miscounted' });
      count += 1;
    }
    return { misfits, reached: headOf(again), differences, count, rows };
  } finally {
    again.close();
  }
}

async function differencesIn(
  table: Table,
  ledger: Reader,
  journal: Reader,
  extent: Extent,
  onRow: () => void,
): Promise<{ readonly shown: readonly WhyFact[]; readonly count: number }> {
  const columns = Object.keys(TABLES[table]).filter((name) => extent.unlike?.has(name) !== true);
  const [inLedger, inJournal] = [rowsIn(table, ledger, extent), rowsIn(table, journal, extent)];
  let count = 0;
  const next = async (rows: AsyncGenerator<Cells>): Promise<Cells | null> =>
    (await rows.next()).value ?? null;
  const [others, missing]: [WhyFact[], WhyFact[]] = [[], []];
  let [row, again] = [await next(inLedger), await next(inJournal)];
  const find = (list: WhyFact[], fact: WhyFact): void => {
    count += 1;
    if (list.length < SHOWN) list.push(fact);
  };
  while (row !== null || again !== null) {
    const [id, idAgain] = [Number(row?.['id'] ?? Infinity), Number(again?.['id'] ?? Infinity)];
    if (id < idAgain) find(others, { is: 'onlyInLedger', table, id });
    else if (id > idAgain) find(missing, { is: 'onlyInJournal', table, id: idAgain });
    else if (extent.except?.has(id) !== true && columns.some((column) => row?.[column] !== again?.[column]))
      find(others, { is: 'rowDiffers', table, id });
    if (row !== null && id <= idAgain) onRow();
    if (id <= idAgain) row = await next(inLedger);
    if (idAgain <= id) again = await next(inJournal);
  }
  return { shown: [...others, ...missing], count };
}

async function* rowsIn(
  table: Table,
  reader: Reader,
  { ranges, named }: Extent,
): AsyncGenerator<Cells, undefined> {
  const condition = named[table];
  if (NAMED.has(table)) {
    if (condition !== undefined) for await (const page of pagesOf(table, reader, condition)) yield* page;
    return;
  }
  for (const range of ranges) for await (const page of pagesOf(table, reader, 'true', range)) yield* page;
}

/** In the order of their ids. */
async function* pagesOf(
  table: Table,
  reader: Reader,
  condition: string,
  [from, before]: Extent['ranges'][number] = [0, Infinity],
): AsyncGenerator<readonly Cells[], undefined> {
  const columns = Object.keys(TABLES[table]).map((name) => `t.${name}`);
  const text = `SELECT ${columns.join(', ')} FROM ${table} t WHERE t.id > :after AND t.id < :before AND ${condition} ORDER BY t.id LIMIT ${PAGE}`;
  for (let after = from - 1; ;) {
    const page = await reader.each<Cells>(text, null, {
      after,
      before: Math.min(before, Number.MAX_SAFE_INTEGER),
    });
    yield page;
    if (page.length < PAGE) return;
    after = Number(page.at(-1)?.['id']);
  }
}

async function take(ledger: Reader, engine: SqliteEngine, taken: Extent['ranges']): Promise<void> {
  for (const table of TABLE_NAMES) {
    for (const range of NAMED.has(table) ? EVERYTHING.ranges : taken) {
      for await (const page of pagesOf(table, ledger, 'true', range)) {
        engine.begin();
        engine.insert(table, TABLES[table], page);
        engine.commit();
      }
    }
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
    throw new ReceiptdError('OUTPUT_UNWRITABLE.comparedCopy', { dir, ...saidBy(error) }, { cause: error });
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

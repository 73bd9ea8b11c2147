import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { systemCode } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type { Journal } from '../journal/journal.ts';
import { isBusyError, isStoreFailure } from './failure.ts';
import { subjectsOf, toJournal, type Range } from '../entries.ts';
import type { Engine, EngineFault, Head, RecordedEntry } from '../engine.ts';
import type { Cells, COUNTED, Table } from '../schema.ts';
import { inJson, valuesOf, type Statements } from './statements.ts';
import { headOf, setHead } from './tables.ts';

/** In pages of 4 KiB: checkpoints are fewer and larger than with the default of 1,000; the WAL grows to 16 MB. */
const CHECKPOINT_PAGES = 4_000;
/** Rows with up to so many columns are inserted faster as one JSON text. */
const NARROW = 5;

/** The tables are committed without a sync of their own: what a power failure takes, the journal brings back. */
export const WRITER_PRAGMAS = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA checkpoint_fullfsync = ON;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000;`;

export type JournalEntries = Pick<
  Journal,
  'head' | 'append' | 'after' | 'personal' | 'blank' | 'tryWriting' | 'close'
>;

export interface SqliteEngineOptions {
  readonly writer: Statements;
  readonly reader: Statements;
  /** Null: entries are folded, and none is recorded. */
  readonly journal: JournalEntries | null;
  /** Whose entries are folded, without a journal. */
  readonly ledger?: string;
  readonly now?: () => number;
  /** Called with how long each sync took; milliseconds. */
  readonly onSynced?: ((ms: number) => void) | undefined;
}

interface Inserting {
  readonly statement: StatementSyncInstance;
  readonly names: readonly string[];
  /** One JSON text for all rows is faster. */
  readonly isNarrow: boolean;
}

/** SQLite beside a journal file. A transaction is durable once its entries are synced. */
export class SqliteEngine implements Engine {
  readonly reader: Statements;
  readonly #options: SqliteEngineOptions;
  readonly #writer: Statements;
  readonly #inserts = new Map<string, Inserting>();
  /** By table and columns. */
  readonly #updates = new Map<string, StatementSyncInstance>();
  /** Whether entries are not surely blank yet. */
  #hasBlanks: boolean;
  /** Since the last erasure, so that nothing deleted is left in the file. */
  #isRewritten = false;
  #isAhead = false;

  constructor(options: SqliteEngineOptions) {
    this.#options = options;
    this.#writer = options.writer;
    this.reader = options.reader;
    this.#hasBlanks = headOf(options.writer).blanks.length > 0;
  }

  get journalHead(): JournalHead {
    return this.#journal.head;
  }

  get #journal(): JournalEntries {
    if (this.#options.journal !== null) return this.#options.journal;
    throw new Error('nothing is recorded here');
  }

  get db(): DatabaseSyncInstance {
    return this.#writer.db;
  }

  begin(): Head {
    this.db.exec('BEGIN IMMEDIATE');
    this.#isAhead = false;
    const { journal, now } = this.#options;
    return { seq: journal?.head.seq ?? 0, base: 0, name: '', now: now?.() ?? 0 };
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a statement decides what its rows are
  each<Row>(statement: string, batch: readonly object[] | null, params: object = {}): readonly Row[] {
    return this.#writer.each<Row>(statement, batch, params);
  }

  insert(
    table: Table | keyof typeof COUNTED,
    columns: Readonly<Record<string, string>>,
    rows: readonly Cells[],
    onConflict = '',
  ): void {
    let writing = this.#inserts.get(table);
    if (writing === undefined) {
      const names = Object.keys(columns);
      const isNarrow = names.length <= NARROW;
      const values = isNarrow
        ? `SELECT ${names.map((_, i) => `value ->> ${i}`).join(', ')} FROM json_each(?1) WHERE true`
        : `VALUES (${names.map((_, i) => `?${i + 1}`).join(', ')})`;
      const text = `INSERT INTO ${table} (${names.join(', ')}) ${values} ${onConflict}`;
      this.#inserts.set(table, (writing = { statement: this.#writer.statement(text), names, isNarrow }));
    }
    const { statement, names, isNarrow } = writing;
    if (isNarrow) statement.run(inJson(rows, names));
    else for (const row of rows) statement.run(...valuesOf(row, names));
  }

  update(table: Table, columns: readonly string[], ids: readonly number[], rows: readonly Cells[]): void {
    const key = `${table} ${columns.join()}`;
    let statement = this.#updates.get(key);
    if (statement === undefined) {
      const set = columns.map((name, i) => `${name} = ?${i + 2}`).join(', ');
      statement = this.#writer.statement(`UPDATE ${table} SET ${set} WHERE id = ?1`);
      this.#updates.set(key, statement);
    }
    for (const [i, row] of rows.entries()) statement.run(ids[i] ?? 0, ...valuesOf(row, columns));
  }

  record(entries: Parameters<Engine['record']>[0]): void {
    const startedAt = performance.now();
    this.#journal.append(entries.map(({ entry, at }) => toJournal(entry, at)));
    this.#isAhead = true;
    this.#options.onSynced?.(performance.now() - startedAt);
    const blanks = entries.flatMap(({ entry }) => (entry.kind === 'erased' ? entry.entries : []));
    this.#setHead(this.#journal.head, blanks);
  }

  replayed(entries: readonly RecordedEntry[]): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    const blanks = entries.flatMap(({ kind, facts }) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `record`
      kind === 'erased' ? (facts['entries'] as unknown as Range[]) : [],
    );
    const { journal, ledger = '' } = this.#options;
    this.#setHead({ ledger: journal?.head.ledger ?? ledger, seq: last.seq, hash: last.hash }, blanks);
  }

  #setHead(head: JournalHead, blanks: readonly Range[]): void {
    setHead(this.#writer, head);
    if (blanks.length === 0) return;
    this.#writer.run(
      'UPDATE head SET blanks = ?1',
      JSON.stringify([...headOf(this.#writer).blanks, ...blanks]),
    );
    this.#hasBlanks = true;
    this.#isRewritten = false;
  }

  commit(): void {
    this.db.exec('COMMIT');
  }

  /** Changes nothing but reaches the disk. @throws the error that persists */
  tryWriting(failureOf: (error: unknown) => unknown): void {
    try {
      this.#journal.tryWriting();
      this.db.exec('BEGIN IMMEDIATE; UPDATE head SET seq = seq; COMMIT');
    } catch (error) {
      this.rollback();
      throw failureOf(error);
    }
  }

  /** Folds the WAL into the main file, so that this file is the whole ledger. False while others read it. */
  foldLog(): boolean {
    try {
      // Short, since the caller can try again.
      this.db.exec('PRAGMA busy_timeout = 100');
      const [row]: Record<string, unknown>[] = this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
      return row?.['busy'] === 0;
    } catch {
      // Everything is durable in the journal; the next start folds it.
      return false;
    } finally {
      this.db.exec('PRAGMA busy_timeout = 5000');
    }
  }

  rollback(): void {
    try {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
    } catch {
      // The failure before it is the one to report.
    }
  }

  isRecorded(): boolean {
    return this.#isAhead;
  }

  behind(): Iterable<readonly RecordedEntry[]> {
    return inParts(this.#journal.after(headOf(this.#writer).seq));
  }

  /** False if other programs keep what was erased in the log, or the disk is full. */
  finish(): boolean {
    if (!this.#hasBlanks) return true;
    try {
      if (!this.#isRewritten) {
        this.#journal.blank(headOf(this.#writer).blanks);
        rewriteFile(this.db);
        this.#isRewritten = true;
      }
      if (!this.foldLog()) return false;
      this.#writer.run('UPDATE head SET blanks = ?1', '[]');
      this.#hasBlanks = false;
      return true;
    } catch (error) {
      if (this.faultOf(error) === 'row') throw error;
      return false;
    }
  }

  async personalEntries({
    documents,
    files,
  }: Parameters<Engine['personalEntries']>[0]): ReturnType<Engine['personalEntries']> {
    const isMeant = (id: number | null): boolean => id !== null && (documents.has(id) || files.has(id));
    const ranges = this.#journal.personal((entry) => {
      const { document, file } = subjectsOf(entry, entry.seq, 0);
      return isMeant(document) || isMeant(file);
    });
    return { entries: ranges };
  }

  heads(): readonly (readonly [base: number, seq: number])[] {
    return [[0, this.#journal.head.seq]];
  }

  faultOf(error: unknown): EngineFault {
    if (isBusyError(error)) return 'again';
    return isOfStore(error) ? 'store' : 'row';
  }

  close(): void {
    this.#inserts.clear();
    this.#updates.clear();
    this.#options.reader.close();
    this.#writer.close();
    this.#options.journal?.close();
  }
}

const READ_AT_ONCE = 2_000;

/** @param upTo entries behind this one are left out */
export function* inParts<E extends RecordedEntry>(
  entries: Iterable<E>,
  upTo = Infinity,
): Generator<readonly E[]> {
  let part: E[] = [];
  for (const entry of entries) {
    if (entry.seq > upTo) break;
    part.push(entry);
    if (part.length < READ_AT_ONCE) continue;
    yield part;
    part = [];
  }
  yield part;
}

/** Whether a file or the disk is at fault. A constraint has a code of the driver's, which says nothing of the store. */
export function isOfStore(error: unknown): boolean {
  return isStoreFailure(error) || systemCode(error)?.startsWith('ERR_') === false;
}

/** Rewrites the whole file, without what was deleted. @throws SQLite's error; nothing has changed then */
function rewriteFile(db: DatabaseSyncInstance): void {
  try {
    // In memory, it would take as much as the ledger has.
    db.exec('PRAGMA temp_store = FILE; VACUUM');
  } finally {
    db.exec('PRAGMA temp_store = MEMORY');
  }
}

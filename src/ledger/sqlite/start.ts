import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, paramsOf, ReceiptdError, saidBy } from '../../core/domain/errors.ts';
import { factOf, toMessage, type WhyFact } from '../../core/domain/why.ts';
import type { JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { toJournal, type Entry } from '../entries.ts';
import {
  createJournal,
  openJournal,
  readJournal,
  type Journal,
  type JournalFault,
} from '../journal/journal.ts';
import { NO_HASH } from '../journal/line.ts';
import { endOfEntry, firstEntry, refuseOlderJournal } from '../journal/read.ts';
import { LedgerCore } from '../ledger.ts';
import {
  COUNT_ANEW,
  emptyCell,
  ERASED,
  NAMED,
  TABLE_NAMES,
  TABLES,
  type Cells,
  type Table,
} from '../schema.ts';
import { takeCleanShutdownMark } from './cleanShutdownMark.ts';
import { inParts, isOfStore, SqliteEngine, WRITER_PRAGMAS } from './engine.ts';
import { damaged, isDamage, isStoreFailure, storeFailure } from './failure.ts';
import {
  asideOf,
  damageMarkOf,
  journalPathOf,
  markDamaged,
  markForRebuild,
  readMark,
  setAside,
  type Rebuild,
} from './files.ts';
import { Statements, valuesOf } from './statements.ts';
import {
  headOf,
  makeTables,
  openKept,
  openTables,
  pragma,
  refuseOlderTables,
  SCHEMA_VERSION,
  setHead,
  versionOf,
} from './tables.ts';

/**
 * The one start of a ledger on SQLite. Two questions decide what is done:
 *
 *   tables ╲ journal        goes on at their head            is missing, damaged, ends before their head, or is of another ledger
 *
 *   sound                   what is behind it is folded      1. what can be read of it is folded, and rows are taken that only backups have
 *                                                            2. it is set aside, and a new one begins with a snapshot of the tables
 *   never made              everything is folded             the first entry begins it
 *   missing, damaged, of    they are set aside, and          the same as with sound ones, and their readable rows are taken first
 *   an older schema, or     everything is folded into
 *   behind its beginning    empty ones
 *
 * What is folded is a transaction after a crash, a day's after a restore, everything where tables are empty. Each step can be killed at any moment: the
 * mark of a rebuild (files.ts) stands until the tables are whole.
 */

export interface SqliteStart {
  readonly path: string;
  readonly now: () => number;
  /** Backups from which rows are taken that nothing else has, newest first. */
  readonly backups: () => readonly string[];
  readonly onSynced?: ((ms: number) => void) | undefined;
  /** Called with what was mended, as a message. */
  readonly onMended?: ((story: string) => void) | undefined;
}

export interface StartedSqlite {
  readonly core: LedgerCore;
  readonly engine: SqliteEngine;
  /** When the tables were last checked as a whole and found sound. */
  readonly lookedAt: number;
}

/**
 * @throws ReceiptdError LEDGER_NEWER, LEDGER_OLDER, STATE_UNWRITABLE; DISK_FULL, LEDGER_WRITE_FAILED or LEDGER_DAMAGED for what a new start may mend
 */
export async function startSqlite(options: SqliteStart): Promise<StartedSqlite> {
  const { path, now, onMended } = options;
  const journalPath = journalPathOf(path);
  refuseOlderTables(path);
  refuseOlderJournal(journalPath);
  let { journal, flaw } = findJournal(journalPath);
  const tables = findTables(options, journal, flaw);
  const { db, because, aside } = tables;
  let { isMended } = tables;
  const story: (WhyFact | string)[] = because === null ? [] : [factOf(because) ?? because];
  try {
    const statements = new Statements(db);
    // A journal that ends before the tables is as damaged beside tables that are made anew.
    const head = (aside === null ? null : headIn(aside)) ?? headOf(statements);
    if (journal !== null) flaw = flawOf(journal, head);
    let started = journal !== null && flaw === null ? await bringForward(options, db, journal, story) : null;
    if (started === null) {
      const isFirst = journal === null && flaw === null && head.seq === 0 && because === null;
      // It may be damaged further back than it was read.
      flaw ??= journal === null ? { is: 'journalGone' } : { is: 'journalDamaged' };
      journal?.close();
      journal = null;
      const files = [...(aside === null ? [] : [aside]), ...options.backups()];
      if (!isFirst) await save(statements, journalPath, head.ledger, files, story);
      if (because !== null) keepTables(path, statements);
      journal = isFirst
        ? beginJournal(statements, journalPath, now())
        : continueJournal(statements, journalPath, now(), flaw, story);
      started = await bringForward(options, db, journal, story);
      if (started === null) throw new Error('a journal that was just made can be read');
      isMended = !isFirst;
    }
    const { core } = started;
    if (because !== null) await core.run([['record', [{ record: 'rebuilt', because, at: now() }]]]);
    unmark(path);
    if (isMended) onMended?.(toMessage({ is: 'story', parts: story }));
    return { ...started, lookedAt: tables.lookedAt };
  } catch (error) {
    journal?.close();
    if (db.isOpen) db.close();
    // The quick check missed it: the next start makes the tables anew.
    if (isDamage(error)) markDamaged(path, damageIn(path, messageOf(error)));
    throw storeFailure(error, path, 'written');
  }
}

/** Null if the journal can't be read to its end. */
async function bringForward(
  { path, now, onSynced }: SqliteStart,
  db: DatabaseSyncInstance,
  journal: Journal,
  story: (WhyFact | string)[],
): Promise<Omit<StartedSqlite, 'lookedAt'> | null> {
  const reader = new Statements(openTables(path, { readOnly: true }));
  const engine = new SqliteEngine({ writer: new Statements(db), reader, journal, now, onSynced });
  const core = new LedgerCore(engine);
  try {
    const count = await core.start();
    if (story.length > 0 && count > 0) story.push({ is: 'entriesApplied', count });
    // What was just made must not depend on a WAL that was never synced.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { core, engine };
  } catch (error) {
    reader.close();
    if (error instanceof ReceiptdError && error.code === 'JOURNAL_DAMAGED') return null;
    throw error;
  }
}

function unmark(path: string): void {
  if (!fs.existsSync(damageMarkOf(path))) return;
  fs.rmSync(damageMarkOf(path));
  syncDirectorySync(dirname(path));
}

/* ---- The journal ---- */

interface FoundJournal {
  readonly journal: Journal | null;
  /** Why it is not used, if there is one. */
  readonly flaw: WhyFact | null;
}

function findJournal(path: string): FoundJournal {
  try {
    return { journal: openJournal(path), flaw: null };
  } catch (error) {
    const damage = error instanceof ReceiptdError ? paramsOf(error, 'JOURNAL_DAMAGED.entry') : null;
    if (damage !== null) return { journal: null, flaw: { is: 'journalDamagedAt', ...damage } };
    if (error instanceof ReceiptdError) throw error;
    throw new ReceiptdError('STATE_UNWRITABLE.journal', { path, ...saidBy(error) }, { cause: error });
  }
}

/** Why a journal does not go on at this head of tables. */
function flawOf(journal: Journal, head: JournalHead): WhyFact | null {
  const last = journal.head;
  if (head.seq === 0 || isBehind(head, journal)) return null;
  if (head.ledger !== last.ledger) return { is: 'journalForeign' };
  if (last.seq < head.seq) return { is: 'journalShort', last: last.seq, head: head.seq };
  const isPart = head.seq === last.seq ? head.hash === last.hash : endOfEntry(journal.path, head) !== null;
  return isPart ? null : { is: 'journalForeign' };
}

/** Whether the journal begins behind these tables, with a snapshot of all that was before. */
function isBehind(head: JournalHead, { path, head: last }: Journal): boolean {
  return head.seq > 0 && head.ledger === last.ledger && head.seq < (firstEntry(path)?.seq ?? 0);
}

function beginJournal(statements: Statements, path: string, at: number): Journal {
  const ledger = randomUUID();
  const first: Entry = { kind: 'begun', ledger, because: toMessage({ is: 'ledgerMade' }) };
  const journal = createJournal(path, toJournal(first, at), null);
  setHead(statements, journal.head);
  return journal;
}

/** In place of one with this flaw, with a snapshot of the tables. */
function continueJournal(
  statements: Statements,
  path: string,
  at: number,
  flaw: WhyFact,
  story: (WhyFact | string)[],
): Journal {
  const head = nextHead(statements);
  const aside = setAside(path, at);
  story.push(flaw, { is: 'journalContinued', seq: head.seq, aside });
  const first: Entry = { kind: 'continued', ledger: head.ledger, because: toMessage(flaw) };
  const journal = createJournal(path, toJournal(first, at), head, { told: snapshot(statements, at) });
  setHead(statements, journal.head);
  return journal;
}

/** Numbers go on behind every row's, which may be of entries that are lost. */
function nextHead(statements: Statements): JournalHead {
  const head = headOf(statements);
  const lasts = TABLE_NAMES.filter((table) => !NAMED.has(table)).map(
    (table) => statements.each<{ id: number | null }>(`SELECT max(id) AS id FROM ${table}`, null)[0]?.id ?? 0,
  );
  return { ...head, ledger: head.ledger || randomUUID(), seq: Math.max(head.seq, ...lasts) };
}

function* snapshot(statements: Statements, at: number): Generator<readonly JournalEvent[]> {
  for (const table of TABLE_NAMES)
    for (const rows of pagesOf(statements, table))
      yield rows.map((row) => toJournal(rowEntry(table, row), at));
}

const PAGE = 1_000;

function* pagesOf(statements: Statements, table: Table): Generator<readonly Cells[]> {
  const text = `SELECT * FROM ${table} WHERE id > :after ORDER BY id LIMIT ${PAGE}`;
  for (let after = -1; ;) {
    const rows = statements.each<Cells>(text, null, { after });
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

function rowEntry(table: Table, cells: Cells): Entry {
  const row: Cells = {};
  const own: Cells = {};
  for (const [name, kind] of Object.entries<string>(TABLES[table])) {
    const value = cells[name] ?? null;
    // What is missing is folded to the kind's empty value.
    if (value !== null && (value !== '' || kind.includes('?')))
      (name in ERASED[table] ? own : row)[name] = value;
  }
  return { kind: 'row', table, row, ...(Object.keys(own).length > 0 && { own }) };
}

/* ---- The tables ---- */

interface FoundTables {
  readonly db: DatabaseSyncInstance;
  readonly lookedAt: number;
  /** Why they are empty, if they should not be. */
  readonly because: string | null;
  /** Whether people are told. */
  readonly isMended: boolean;
  /** The file that was there. */
  readonly aside: string | null;
}

function findTables(options: SqliteStart, journal: Journal | null, flaw: WhyFact | null): FoundTables {
  const { path, now } = options;
  const markedAt = takeCleanShutdownMark(path);
  const begun = readMark(path);
  if (begun !== null) return emptyTables(options, begun);
  const anew = (because: WhyFact, isUpgrade = false): FoundTables =>
    emptyTables(options, { because: toMessage(because), isUpgrade });
  const size = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size(path) === 0) {
    const isJournalNew = flaw === null && (journal === null || journal.head.seq === 1);
    const isFirst = isJournalNew && size(`${path}-wal`) === 0 && options.backups().length === 0;
    return isFirst ? emptyTables(options, null) : anew({ is: 'ledgerGone', path });
  }
  let db: DatabaseSyncInstance | null = null;
  try {
    db = openTables(path, { readOnly: false });
    const isOlder = versionOf(db, path) < SCHEMA_VERSION;
    const head = isOlder ? null : headOf(new Statements(db));
    if (head === null || (journal !== null && isBehind(head, journal))) {
      db.close();
      return anew({ is: isOlder ? 'ledgerOfOlderFormat' : 'ledgerBehind', path }, isOlder);
    }
    const isSound = markedAt !== null && journal?.head.seq === head.seq && journal.head.hash === head.hash;
    const [verdict] = isSound ? ['ok'] : pragma(db, 'quick_check(1)');
    if (verdict !== 'ok') throw damaged(path, String(verdict));
    db.exec(WRITER_PRAGMAS);
    return { db, lookedAt: isSound ? markedAt : now(), because: null, isMended: false, aside: null };
  } catch (error) {
    if (db?.isOpen) db.close();
    const failure = isDamage(error) ? damaged(path, messageOf(error)) : error;
    const damage = failure instanceof ReceiptdError ? paramsOf(failure, 'LEDGER_DAMAGED.file') : null;
    if (damage !== null) return emptyTables(options, { because: damageIn(path, damage.detail) });
    if (!isStoreFailure(error)) throw error;
    throw new ReceiptdError('STATE_UNWRITABLE.ledger', { path, ...saidBy(error) }, { cause: error });
  }
}

/** What SQLite says of damage may have several lines. */
function damageIn(path: string, detail: string): string {
  return toMessage({ is: 'ledgerDamaged', path, detail: detail.replaceAll(/\s*\n\s*/g, '; ') });
}

/**
 * Empty tables in place of those that are there; null: in place of none. If the agent crashes before they are complete, the next start finds the mark:
 * it neither takes this for a first start nor sets half of it aside.
 */
function emptyTables({ path, now }: SqliteStart, rebuild: Rebuild | null): FoundTables {
  let aside = rebuild?.aside ?? null;
  try {
    if (rebuild !== null && aside === null) {
      const at = now();
      markForRebuild(path, { ...rebuild, aside: asideOf(path, at) });
      aside = setAside(path, at);
    }
    for (const end of ['', '-wal', '-shm', '-journal']) fs.rmSync(path + end, { force: true });
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
    const db = openTables(path, { readOnly: false });
    makeTables(db, NO_HASH);
    db.exec(WRITER_PRAGMAS);
    syncDirectorySync(dirname(path));
    if (rebuild === null) return { db, lookedAt: now(), because: null, isMended: false, aside };
    const { because, isUpgrade } = rebuild;
    const parts: (WhyFact | string)[] = [factOf(because) ?? because, { is: 'ledgerRebuilt', aside }];
    return {
      db,
      lookedAt: now(),
      because: toMessage({ is: 'story', parts }),
      isMended: isUpgrade !== true,
      aside,
    };
  } catch (error) {
    const why = saidBy(error);
    throw new ReceiptdError('STATE_UNWRITABLE.ledgerNotCreated', { path, ...why }, { cause: error });
  }
}

/**
 * What could be saved is in the tables alone while the journal is replaced: from here on, a crash leaves tables that are whole, with a head that no
 * journal has.
 */
function keepTables(path: string, statements: Statements): void {
  const head = nextHead(statements);
  setHead(statements, { ...head, seq: head.seq + 1 });
  statements.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  unmark(path);
}

/* ---- What can be read of damaged files ---- */

/**
 * Folds what can be read of the journal, and takes rows from files. Up to its head, a file knows better than the journal: entries that can't be read are
 * in it. Files that the tables are not behind, or whose head can't be read, are for what nothing else has.
 * @param own the ledger, if that is known; else it is any that the files are of
 */
async function save(
  statements: Statements,
  journalPath: string,
  own: string,
  files: readonly string[],
  story: (WhyFact | string)[],
): Promise<void> {
  const named = firstEntry(journalPath)?.facts['ledger'] ?? null;
  const sources = files.map((file) => ({ file, head: headIn(file) }));
  const inFiles = sources.find(({ head }) => head !== null)?.head?.ledger ?? '';
  const ledger = own || (typeof named === 'string' ? named : inFiles);
  setHead(statements, { ...headOf(statements), ledger });
  const core = new LedgerCore(
    new SqliteEngine({ writer: statements, reader: statements, journal: null, ledger }),
  );
  let count = 0;
  const misfits: number[] = [];
  /** Entries behind which something is wrong. */
  const gaps = new Set<number>();
  const apply = async (upTo?: number): Promise<void> => {
    if (named !== null && named !== ledger) return;
    const onFault = ({ after }: JournalFault): void => void gaps.add(after);
    const entries = readJournal(journalPath, headOf(statements).seq, { lenient: true, onFault });
    const folded = await core.foldLeniently(inParts(entries, upTo));
    count += folded.count;
    misfits.push(...folded.misfits.map(({ seq }) => seq));
  };
  const told = new Map<string, WhyFact>();
  for (const { file, head } of sources.toSorted((a, b) => (a.head?.seq ?? 0) - (b.head?.seq ?? 0))) {
    if (head?.ledger !== ledger || head.seq <= headOf(statements).seq) continue;
    await apply(head.seq);
    told.set(file, salvage(statements, file, true));
    // Entries of which no row is left had numbers, too.
    setHead(statements, head);
  }
  await apply();
  for (const file of files) if (!told.has(file)) told.set(file, salvage(statements, file, false));
  statements.db.exec(`BEGIN IMMEDIATE; ${COUNT_ANEW}; COMMIT`);
  if (count > 0 || gaps.size > 0) story.push({ is: 'entriesApplied', count });
  if (gaps.size > 0) story.push({ is: 'journalGaps', count: gaps.size });
  if (misfits.length > 0) story.push({ is: 'entriesUnusable', seqs: misfits });
  story.push(...told.values());
}

/** The head of tables that nothing writes to; null if it can't be read. */
function headIn(file: string): JournalHead | null {
  try {
    const statements = new Statements(openKept(file));
    try {
      const head = headOf(statements);
      return head.seq > 0 ? head : null;
    } finally {
      statements.close();
    }
  } catch {
    return null;
  }
}

/**
 * Takes rows that the tables lack; `isNewer`: also those that differ. An image that a damaged ledger knows as accepted must not be sent again.
 * @throws what taking the rows throws: it would leave some out
 */
function salvage(into: Statements, file: string, isNewer: boolean): WhyFact {
  let from: Statements;
  try {
    refuseOlderTables(file);
    from = new Statements(openKept(file));
  } catch (error) {
    return { is: 'nothingRecovered', file, ...saidBy(error) };
  }
  let [taken, lost] = [0, 0];
  try {
    for (const table of TABLE_NAMES) {
      into.db.exec('BEGIN IMMEDIATE');
      for (const row of readableRows(from, table, () => void (lost += 1)))
        taken += takeRow(into, table, row, isNewer);
      into.db.exec('COMMIT');
    }
  } finally {
    from.close();
  }
  return { is: 'rowsRecovered', file, count: taken, lost };
}

/** @returns how many rows changed */
function takeRow(into: Statements, table: Table, row: Cells, isNewer: boolean): number {
  const columns = Object.entries<string>(TABLES[table]);
  const names = columns.map(([name]) => name);
  const set = names.map((name) => `${name} = excluded.${name}`).join(', ');
  const differs = names.map((name) => `t.${name} IS NOT excluded.${name}`).join(' OR ');
  const statement = into.statement(
    `INSERT INTO ${table} AS t (${names.join(', ')}) VALUES (${names.map((_, i) => `?${i + 1}`).join(', ')})
     ON CONFLICT (id) DO ${isNewer ? `UPDATE SET ${set} WHERE ${differs}` : 'NOTHING'}`,
  );
  try {
    const cells = Object.fromEntries(columns.map(([name, kind]) => [name, row[name] ?? emptyCell(kind)]));
    return statement.run(...valuesOf(cells, names)).changes;
  } catch (error) {
    if (isOfStore(error)) throw error;
    // Known under another number, from a better source.
    return 0;
  }
}

/** In the order of their ids; where a page can't be read, what is behind it one by one, from the end. */
function* readableRows(from: Statements, table: Table, onLost: () => void): Generator<Cells> {
  let after = -1;
  try {
    for (const rows of pagesOf(from, table)) {
      after = Number(rows.at(-1)?.['id']);
      yield* rows;
    }
    return;
  } catch {
    onLost();
  }
  const text = `SELECT * FROM ${table} WHERE id > :after AND id < :before ORDER BY id DESC LIMIT 1`;
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    let row: Cells | undefined;
    try {
      [row] = from.each<Cells>(text, null, { after, before });
    } catch {
      return;
    }
    if (row === undefined) return;
    before = Number(row['id']);
    yield row;
  }
}

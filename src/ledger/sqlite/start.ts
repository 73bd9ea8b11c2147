import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, paramsOf, ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import {
  createJournal,
  openJournal,
  readJournal,
  type Journal,
  type JournalFault,
} from '../journal/journal.ts';
import { NO_HASH } from '../journal/line.ts';
import { endOfEntry, firstEntry, refuseOlderJournal } from '../journal/read.ts';
import { takeCleanShutdownMark } from './cleanShutdownMark.ts';
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
import { damaged, isDamage, isStoreFailure, storeFailure } from './failure.ts';
import { toJournal, type Entry } from '../entries.ts';
import { LedgerCore } from '../ledger.ts';
import { NAMED, PERSONAL, TABLE_NAMES, TABLES, type Cells, type Table } from '../schema.ts';
import { inParts, SqliteEngine, WRITER_PRAGMAS } from './engine.ts';
import { Statements } from './statements.ts';
import {
  headOf,
  makeTables,
  SCHEMA_VERSION,
  openKept,
  openTables,
  pragma,
  refuseOlderTables,
  setHead,
  versionOf,
} from './tables.ts';
import { factOf, toMessage, type WhyFact } from '../../core/domain/why.ts';

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
 * The one start of a ledger on SQLite: tables, whatever state they are in, and the journal's entries behind their head.
 *
 *   tables missing, damaged, of an older schema   ▶ set aside; empty ones, of which every entry is missing
 *   entries behind the tables' head               ▶ folded: a transaction after a crash, a day's after a restore, all of them in empty tables
 *   journal missing, damaged, or without the head ▶ what can be read of it is folded, and what only other files have is taken from them;
 *                                                   then it is set aside, and a new one goes on with a snapshot of the tables
 *
 * @throws ReceiptdError LEDGER_NEWER, LEDGER_OLDER, STATE_UNWRITABLE; DISK_FULL, LEDGER_WRITE_FAILED or LEDGER_DAMAGED for what a new start may mend
 */
export async function startSqlite(options: SqliteStart): Promise<StartedSqlite> {
  const { path, now, backups } = options;
  const journalPath = journalPathOf(path);
  const story: (WhyFact | string)[] = [];
  refuseOlderTables(path);
  refuseOlderJournal(journalPath);
  const journal = findJournal(journalPath);
  const tables = findTables(options, journal);
  const db = tables.db;
  let opened: Journal | null = journal.journal;
  try {
    // A journal that ends before the tables is as damaged beside tables that are made anew.
    const before = tables.aside.map(headIn).find((each) => each !== null) ?? null;
    const head = before ?? headOf(new Statements(db));
    let flaw = journal.flaw;
    if (flaw === null && opened !== null && !isPartOf(head, opened) && !isBefore(head, opened)) {
      flaw = foreign(head, opened.head);
      opened.close();
      opened = null;
    }
    if (tables.because !== null) story.push(factOf(tables.because) ?? tables.because);
    if (opened !== null) {
      const started = await bringForward(options, db, opened, tables.lookedAt, story);
      if (started !== null) {
        await finished(options, started, story, tables);
        return started;
      }
      // The journal is damaged further back.
      flaw = { is: 'journalDamaged' };
      opened.close();
      opened = null;
    }
    const isFirst = head.seq === 0 && flaw === null && tables.because === null;
    if (!isFirst)
      await saveWhatIsReadable(
        db,
        journalPath,
        { ledger: head.ledger, before, aside: tables.aside, backups: backups() },
        story,
      );
    if (tables.because !== null) keepTables(path, db);
    opened = beginJournal(db, journalPath, now(), isFirst, flaw ?? { is: 'journalGone' }, story);
    const started = await bringForward(options, db, opened, tables.lookedAt, story);
    if (started === null) throw new Error('a journal that was just made can be read');
    await finished(options, started, story, { ...tables, isMended: !isFirst });
    return started;
  } catch (error) {
    opened?.close();
    if (db.isOpen) db.close();
    // The quick check missed it: the next start makes the tables anew.
    if (isDamage(error))
      markDamaged(path, toMessage({ is: 'ledgerDamaged', path, detail: oneLine(messageOf(error)) }));
    throw storeFailure(error, path, 'written');
  }
}

async function finished(
  { path, now, onMended }: SqliteStart,
  { core }: StartedSqlite,
  story: readonly (WhyFact | string)[],
  { because, isMended }: Pick<FoundTables, 'because' | 'isMended'>,
): Promise<void> {
  if (because !== null) await core.run([['record', [{ record: 'rebuilt', because, at: now() }]]]);
  const mark = damageMarkOf(path);
  if (fs.existsSync(mark)) {
    fs.rmSync(mark);
    syncDirectorySync(dirname(path));
  }
  if (isMended) onMended?.(toMessage({ is: 'story', parts: story }));
}

/* ---- The journal ---- */

interface FoundJournal {
  readonly journal: Journal | null;
  readonly flaw: WhyFact | null;
}

function findJournal(path: string): FoundJournal {
  try {
    return { journal: openJournal(path), flaw: null };
  } catch (error) {
    const damage = error instanceof ReceiptdError ? paramsOf(error, 'JOURNAL_DAMAGED.entry') : null;
    if (damage !== null) return { journal: null, flaw: { is: 'journalDamagedAt', ...damage } };
    if (error instanceof ReceiptdError) throw error;
    throw new ReceiptdError('STATE_UNWRITABLE.journal', { path, detail: messageOf(error) }, { cause: error });
  }
}

function isPartOf(head: JournalHead, journal: Journal): boolean {
  if (head.seq === 0) return true;
  if (head.ledger !== journal.head.ledger || head.seq > journal.head.seq) return false;
  if (head.seq === journal.head.seq) return head.hash === journal.head.hash;
  return endOfEntry(journal.path, head) !== null;
}

/** Whether the journal begins behind these tables, with a snapshot of all that was before. */
function isBefore(head: JournalHead, { path, head: last }: Journal): boolean {
  if (head.ledger !== last.ledger || head.seq === 0) return false;
  return head.seq < (firstEntry(path)?.seq ?? 0);
}

function foreign(head: JournalHead, last: JournalHead): WhyFact {
  return head.ledger === last.ledger && last.seq < head.seq
    ? { is: 'journalShort', last: last.seq, head: head.seq }
    : { is: 'journalForeign' };
}

/** A journal for these tables, with a snapshot of what is in them. */
function beginJournal(
  db: DatabaseSyncInstance,
  path: string,
  at: number,
  isFirst: boolean,
  why: WhyFact,
  story: (WhyFact | string)[],
): Journal {
  const statements = new Statements(db);
  const { ledger, seq, hash } = nextHead(statements);
  const aside = setAside(path, at);
  if (!isFirst) story.push(why, { is: 'journalContinued', seq, aside });
  const first: Entry = isFirst
    ? { kind: 'begun', ledger, because: toMessage({ is: 'ledgerMade' }) }
    : { kind: 'continued', ledger, because: toMessage(why) };
  const after = isFirst ? null : { ledger, seq, hash };
  const journal = createJournal(path, toJournal(first, at), after, {
    told: isFirst ? [] : snapshot(statements, at),
  });
  setHead(statements, journal.head);
  statements.forget();
  return journal;
}

/** Numbers go on behind every row's, which may be of entries that are lost. */
function nextHead(statements: Statements): JournalHead {
  const head = headOf(statements);
  const ids = TABLE_NAMES.filter((table) => !NAMED.has(table)).map((table) => lastId(statements, table));
  return { ...head, ledger: head.ledger || randomUUID(), seq: Math.max(head.seq, ...ids) };
}

/**
 * What could be saved is in the tables alone while the journal is replaced: from here on, a crash leaves tables that are whole, with a head that no
 * journal has.
 */
function keepTables(path: string, db: DatabaseSyncInstance): void {
  const statements = new Statements(db);
  const head = nextHead(statements);
  setHead(statements, { ...head, seq: head.seq + 1 });
  statements.forget();
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  fs.rmSync(damageMarkOf(path), { force: true });
  syncDirectorySync(dirname(path));
}

function lastId(statements: Statements, table: Table): number {
  return (
    statements.each<{ readonly id: number | null }>(`SELECT max(id) AS id FROM ${table}`, null)[0]?.id ?? 0
  );
}

const SNAPSHOT_BATCH = 1_000;

function* snapshot(statements: Statements, at: number): Generator<readonly JournalEvent[]> {
  for (const table of TABLE_NAMES) {
    for (let after = -1; ;) {
      const rows = rowsAfter(statements, table, after);
      const last = rows.at(-1);
      if (last === undefined) break;
      after = Number(last['id']);
      yield rows.map((row) => toJournal(rowEntry(table, row), at));
    }
  }
}

function rowsAfter(statements: Statements, table: Table, after: number): readonly Cells[] {
  return statements.each<Cells>(
    `SELECT * FROM ${table} WHERE id > :after ORDER BY id LIMIT ${SNAPSHOT_BATCH}`,
    null,
    {
      after,
    },
  );
}

function rowEntry(table: Table, cells: Cells): Entry {
  const personal = PERSONAL[table];
  const row: Cells = {};
  const own: Cells = {};
  let isPersonal = false;
  for (const [name, kind] of Object.entries<string>(TABLES[table])) {
    const value = cells[name] ?? null;
    // What is missing is folded to the kind's empty value.
    if (value === null || (value === '' && !kind.includes('?'))) continue;
    if (!personal.has(name)) row[name] = value;
    else {
      own[name] = value;
      isPersonal = true;
    }
  }
  return { kind: 'row', table, row, ...(isPersonal && { own }) };
}

/* ---- The tables ---- */

interface FoundTables {
  readonly db: DatabaseSyncInstance;
  readonly lookedAt: number;
  /** Why they are empty, if they should not be. */
  readonly because: string | null;
  /** Whether people are told. */
  readonly isMended: boolean;
  /** The damaged file. */
  readonly aside: readonly string[];
}

function findTables(options: SqliteStart, found: FoundJournal): FoundTables {
  const { path, now } = options;
  const markedAt = takeCleanShutdownMark(path);
  const begun = readMark(path);
  if (begun !== null) return emptyTables(options, begun);
  if (!fs.existsSync(path) || fs.statSync(path).size === 0) {
    const log = fs.statSync(`${path}-wal`, { throwIfNoEntry: false });
    const isFirst =
      found.flaw === null &&
      (found.journal === null || found.journal.head.seq === 1) &&
      !log?.size &&
      options.backups().length === 0;
    return emptyTables(options, isFirst ? null : { because: toMessage({ is: 'ledgerGone', path }) });
  }
  let db: DatabaseSyncInstance | null = null;
  try {
    db = openTables(path, { readOnly: false });
    const version = versionOf(db, path);
    if (version < SCHEMA_VERSION) {
      db.close();
      return emptyTables(options, {
        because: toMessage({ is: 'ledgerOfOlderFormat', path }),
        isUpgrade: true,
      });
    }
    const head = headOf(new Statements(db));
    if (found.journal !== null && isBefore(head, found.journal)) {
      db.close();
      return emptyTables(options, { because: toMessage({ is: 'ledgerBehind', path }) });
    }
    const isKnownSound =
      markedAt !== null && found.journal?.head.seq === head.seq && found.journal.head.hash === head.hash;
    if (!isKnownSound) {
      const [verdict] = pragma(db, 'quick_check(1)');
      if (verdict !== 'ok') throw damaged(path, String(verdict));
    }
    db.exec(WRITER_PRAGMAS);
    return { db, lookedAt: isKnownSound ? markedAt : now(), because: null, isMended: false, aside: [] };
  } catch (error) {
    if (db?.isOpen) db.close();
    const failure = isDamage(error) ? damaged(path, messageOf(error)) : error;
    const damage = failure instanceof ReceiptdError ? paramsOf(failure, 'LEDGER_DAMAGED.file') : null;
    if (damage !== null)
      return emptyTables(options, {
        because: toMessage({ is: 'ledgerDamaged', path, detail: oneLine(damage.detail) }),
      });
    if (!isStoreFailure(error)) throw error;
    throw new ReceiptdError('STATE_UNWRITABLE.ledger', { path, detail: messageOf(error) }, { cause: error });
  }
}

/** What SQLite says of damage may have several lines. */
function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, '; ');
}

function rebuiltBecause(because: string, aside: string | null): string {
  const rebuilt: WhyFact = { is: 'ledgerRebuilt', aside };
  return toMessage({ is: 'story', parts: [factOf(because) ?? because, rebuilt] });
}

/**
 * Empty tables in place of those that are there; null: in place of none. If the agent crashes before they are complete, the next start finds the mark:
 * it neither takes this for a first start nor sets half of it aside.
 */
function emptyTables(options: SqliteStart, rebuild: Rebuild | null): FoundTables {
  const { path, now } = options;
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
    return {
      db,
      lookedAt: now(),
      because: rebuild === null ? null : rebuiltBecause(rebuild.because, aside),
      isMended: rebuild !== null && rebuild.isUpgrade !== true,
      aside: aside === null ? [] : [aside],
    };
  } catch (error) {
    throw new ReceiptdError(
      'STATE_UNWRITABLE.ledgerNotCreated',
      { path, detail: messageOf(error) },
      { cause: error },
    );
  }
}

/* ---- Bringing them together ---- */

/** Null if the journal can't be read to its end. */
async function bringForward(
  { path, now, onSynced }: SqliteStart,
  db: DatabaseSyncInstance,
  journal: Journal,
  lookedAt: number,
  story: (WhyFact | string)[],
): Promise<StartedSqlite | null> {
  const reader = new Statements(openTables(path, { readOnly: true }));
  const engine = new SqliteEngine({
    writer: new Statements(db),
    reader,
    journal,
    now,
    onSynced,
  });
  const core = new LedgerCore(engine);
  try {
    const count = await core.start();
    if (story.length > 0 && count > 0) story.push({ is: 'entriesApplied', count });
    // What was just made must not depend on a WAL that was never synced.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { core, engine, lookedAt };
  } catch (error) {
    reader.forget();
    reader.db.close();
    if (error instanceof ReceiptdError && error.code === 'JOURNAL_DAMAGED') return null;
    throw error;
  }
}

interface Sources {
  /** Whose entries are folded; of any ledger if it is ''. */
  readonly ledger: string;
  /** The head that the tables had before they were set aside, if that can be read. */
  readonly before: JournalHead | null;
  readonly aside: readonly string[];
  readonly backups: readonly string[];
}

/**
 * Folds what can be read of the journal. Up to their head, the tables set aside know better: entries that can't be read are in them. Backups are for what
 * neither has.
 */
async function saveWhatIsReadable(
  db: DatabaseSyncInstance,
  journalPath: string,
  { ledger, before, aside, backups }: Sources,
  story: (WhyFact | string)[],
): Promise<void> {
  const statements = new Statements(db);
  const named = ledgerOf(journalPath);
  const isOurs = ledger === '' || named === null || named === ledger;
  const sum = { count: 0, misfits: [] as number[] };
  /** Entries behind which something is wrong. */
  const gaps = new Set<number>();
  const known =
    ledger || named || ([...aside, ...backups].map(headIn).find((head) => head !== null)?.ledger ?? '');
  setHead(statements, { ...headOf(statements), ledger: known });
  const core = new LedgerCore(
    new SqliteEngine({ writer: statements, reader: statements, journal: null, ledger: known }),
  );
  const applied = async (upTo?: number): Promise<void> => {
    if (!isOurs) return;
    const onFault = ({ after }: JournalFault): void => void gaps.add(after);
    const entries = readJournal(journalPath, headOf(statements).seq, { lenient: true, onFault });
    const { count, misfits } = await core.foldLeniently(inParts(entries, upTo));
    sum.count += count;
    sum.misfits.push(...misfits.map(({ seq }) => seq));
  };
  const told: WhyFact[] = [];
  if (before !== null) {
    await applied(before.seq);
    for (const file of aside) told.push(await salvage(core, file, true));
    raiseHead(statements, before);
  }
  await applied();
  if (sum.count > 0 || gaps.size > 0) {
    story.push({ is: 'entriesApplied', count: sum.count });
    if (gaps.size > 0) story.push({ is: 'journalGaps', count: gaps.size });
    if (sum.misfits.length > 0) story.push({ is: 'entriesUnusable', seqs: sum.misfits });
  }
  for (const file of before === null ? [...aside, ...backups] : backups)
    told.push(await salvage(core, file, false));
  // Entries of which no row is left had numbers, too.
  for (const head of backups.map(headIn)) if (head?.ledger === known) raiseHead(statements, head);
  story.push(...told);
}

function raiseHead(statements: Statements, head: JournalHead): void {
  if (headOf(statements).seq < head.seq) setHead(statements, head);
}

/** The ledger that a journal names in its first entry, if that can be read. */
function ledgerOf(path: string): string | null {
  const ledger = firstEntry(path)?.facts['ledger'];
  return typeof ledger === 'string' ? ledger : null;
}

/** The head of tables that were set aside; null if it can't be read. */
function headIn(file: string): JournalHead | null {
  try {
    const statements = new Statements(openKept(file));
    try {
      const head = headOf(statements);
      return head.seq > 0 ? head : null;
    } finally {
      statements.forget();
      statements.db.close();
    }
  } catch {
    return null;
  }
}

/** An image that a damaged ledger knows as accepted must not be sent again. @throws what taking the rows throws: it would leave some out */
async function salvage(core: LedgerCore, file: string, isNewer: boolean): Promise<WhyFact> {
  let statements: Statements;
  try {
    refuseOlderTables(file);
    statements = new Statements(openKept(file));
  } catch (error) {
    return { is: 'nothingRecovered', file, detail: messageOf(error) };
  }
  let taken = 0;
  let lost = 0;
  try {
    for (const table of TABLE_NAMES)
      taken += await core.take(
        table,
        readableRows(statements, table, () => void (lost += 1)),
        isNewer,
      );
  } finally {
    statements.forget();
    statements.db.close();
  }
  return { is: 'rowsRecovered', file, count: taken, lost };
}

/** Rows in order of their ids; one by one where a range can't be read. */
function* readableRows(
  statements: Statements,
  table: Table,
  onLost: () => void,
): Generator<readonly Cells[]> {
  for (let after = -1; ;) {
    let rows: readonly Cells[];
    try {
      rows = rowsAfter(statements, table, after);
    } catch {
      onLost();
      return yield* readableFromEnd(statements, table, after);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last['id']);
    yield rows;
  }
}

/** What is behind the damage, read backwards up to it. */
function* readableFromEnd(statements: Statements, table: Table, after: number): Generator<readonly Cells[]> {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    let row: Cells | undefined;
    try {
      [row] = statements.each<Cells>(
        `SELECT * FROM ${table} WHERE id > :after AND id < :before ORDER BY id DESC LIMIT 1`,
        null,
        { after, before },
      );
    } catch {
      return;
    }
    if (row === undefined) return;
    before = Number(row['id']);
    yield [row];
  }
}

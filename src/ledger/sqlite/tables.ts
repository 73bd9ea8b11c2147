import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, ReceiptdError, saidBy, systemCode } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type { Range } from '../entries.ts';
import { createTables } from '../schema.ts';
import { damaged, isDamage, isStoreFailure } from './failure.ts';
import { journalPathOf } from './files.ts';
import type { Statements } from './statements.ts';

/** With another number the tables are made anew from the journal, which is all of a migration. 1 had another journal (`FORMAT`). */
export const SCHEMA_VERSION = 3;
/** "rcpt" */
export const APPLICATION_ID = 0x72637074;

const BUSY_TIMEOUT_MS = 5_000;

export function openTables(path: string, { readOnly }: { readonly readOnly: boolean }): DatabaseSyncInstance {
  return new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
}

/** Opens tables that nothing writes to any more. Without a log, SQLite leaves no files of its own beside them. */
export function openKept(path: string): DatabaseSyncInstance {
  const hasLog = (fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return openTables(hasLog ? path : `${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
}

/**
 * Opens a ledger that another process may be writing. SQLite may create `-wal` and `-shm` files beside it. `anyVersion` also accepts one of an older
 * schema.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED
 */
export function openForReading(
  path: string,
  { anyVersion = false }: { readonly anyVersion?: boolean } = {},
): DatabaseSyncInstance {
  const about = statusOf(path);
  // SQLite would wait forever for a writer to a FIFO.
  if (about !== undefined && !about.isFile() && !about.isDirectory())
    throw new ReceiptdError('FILE_UNREADABLE.ledgerNotFile', { path });
  if (about === undefined)
    throw new ReceiptdError(
      fs.existsSync(journalPathOf(path)) ? 'LEDGER_MISSING.journalThere' : 'LEDGER_MISSING.file',
      { path },
    );
  refuseOlderTables(path);
  let db: DatabaseSyncInstance | undefined;
  try {
    // SQLite treats a path that begins with `file:` as a URI; an absolute path never does.
    const place = isOnReadOnlyDisk(path) ? `${pathToFileURL(path).href}?immutable=1` : path;
    db = openTables(place, { readOnly: true });
    const version = versionOf(db, path);
    if (version < SCHEMA_VERSION && !anyVersion)
      throw new ReceiptdError('LEDGER_OLDER.file', { path, version, latest: SCHEMA_VERSION });
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof ReceiptdError) throw error;
    if (isDamage(error)) throw damaged(path, messageOf(error), error);
    if (!isStoreFailure(error)) throw error;
    throw new ReceiptdError('FILE_UNREADABLE.ledger', { path, ...saidBy(error) }, { cause: error });
  }
}

/**
 * A ledger in WAL mode on a read-only disk: SQLite can't create its files beside it, but no log means that nothing is missing from the file.
 */
function isOnReadOnlyDisk(path: string): boolean {
  if (fs.existsSync(`${path}-shm`) || fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size)
    return false;
  try {
    fs.accessSync(dirname(path), fs.constants.W_OK);
    return false;
  } catch (error) {
    return systemCode(error) === 'EROFS';
  }
}

/** Without permission to search the directory, the ledger may or may not exist. @throws ReceiptdError FILE_UNREADABLE */
function statusOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EACCES' && code !== 'EPERM') return undefined;
    throw new ReceiptdError(
      'FILE_UNREADABLE.ledgerOutOfReach',
      { path, ...saidBy(error), isWindows: process.platform === 'win32' },
      { cause: error },
    );
  }
}

const HEADER_BYTES = 100;
const VERSION_AT = 60;
const APPLICATION_AT = 68;
/** The version whose journal this receiptd does not read either. */
const OLDER_FORMAT = 1;

/** Reads the head of the file alone, so that nothing is changed, not even beside it. @throws ReceiptdError LEDGER_OLDER */
export function refuseOlderTables(path: string): void {
  const head = Buffer.alloc(HEADER_BYTES);
  try {
    const file = fs.openSync(path, 'r');
    try {
      if (fs.readSync(file, head) < HEADER_BYTES) return;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    // Opening it says why.
    return;
  }
  if (head.readUInt32BE(APPLICATION_AT) === APPLICATION_ID && head.readUInt32BE(VERSION_AT) === OLDER_FORMAT)
    throw new ReceiptdError('LEDGER_OLDER.format', { path });
}

/** @throws ReceiptdError LEDGER_NEWER; LEDGER_DAMAGED for another program's file */
export function versionOf(db: DatabaseSyncInstance, path: string): number {
  if (pragma(db, 'application_id')[0] !== APPLICATION_ID) throw damaged(path, 'notALedger');
  const version = Number(pragma(db, 'user_version')[0]);
  if (version > SCHEMA_VERSION)
    throw new ReceiptdError('LEDGER_NEWER.file', { path, version, latest: SCHEMA_VERSION });
  return version;
}

export function pragma(db: DatabaseSyncInstance, text: string): unknown[] {
  const rows: Record<string, unknown>[] = db.prepare(`PRAGMA ${text}`).all();
  return rows.flatMap((row) => Object.values(row));
}

const HEAD = `SELECT ledger, seq, hash, blanks FROM head`;

/** What the tables say of the journal. */
export interface TablesHead extends JournalHead {
  /** Ranges of entries that are not surely blank yet. */
  readonly blanks: readonly Range[];
}

export function headOf(statements: Statements): TablesHead {
  const [row] = statements.each<JournalHead & { readonly blanks: string }>(HEAD, null);
  if (row === undefined) throw new Error('the tables have no head');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this engine
  return { ...row, blanks: JSON.parse(row.blanks) as Range[] };
}

export function setHead(statements: Statements, { ledger, seq, hash }: JournalHead): void {
  statements.run('UPDATE head SET ledger = ?1, seq = ?2, hash = ?3', ledger, seq, hash);
}

/** Makes empty tables in an empty database. */
export function makeTables(db: DatabaseSyncInstance, hash: string): void {
  const types = { id: 'INTEGER PRIMARY KEY', int: 'INTEGER', text: 'TEXT' };
  db.exec(`BEGIN; ${createTables(types, 'STRICT')}
    CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, blanks TEXT NOT NULL) STRICT;
    INSERT INTO head VALUES (1, '', 0, '${hash}', '[]');
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
}

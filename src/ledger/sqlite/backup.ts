import { backup, DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { ReceiptdError, saidBy, systemCode, type Detail } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { syncFile } from './files.ts';
import { flawOf } from './failure.ts';
import { Statements } from './statements.ts';
import { headOf, SCHEMA_VERSION, openForReading, versionOf } from './tables.ts';

const NAME = /^ledger-\d{8}T\d{9}Z\.db$/;
const UNFINISHED = /^(ledger-\d{8}T\d{9}Z\.db)\.new(?:-wal|-shm|-journal)?$/;
const UNFINISHED_FOR_MS = 24 * 3600 * 1000;
/** Pages that SQLite copies at a time; writes continue in between. */
const PAGES_AT_ONCE = 200;

/** Name for a backup made at that time; names sort by age. */
export function backupName(at: number): string {
  return `ledger-${new Date(at).toISOString().replaceAll(/[-:.]/g, '')}.db`;
}

/** When the backup with this name was made. */
export function backupTime(path: string): number {
  const [, date = '', time = ''] = /ledger-(\d{8})T(\d{9})Z\.db$/.exec(path) ?? [];
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)];
  const [hours, minutes, seconds, ms] = [time.slice(0, 2), time.slice(2, 4), time.slice(4, 6), time.slice(6)];
  return Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`);
}

/** Backups in a directory, newest first, as absolute paths. */
export function backupsIn(directory: string): string[] {
  let names: string[];
  try {
    names = fs.readdirSync(directory).filter((name) => NAME.test(name));
  } catch (error) {
    // Missing or unreadable directory: the next backup reports why.
    if (systemCode(error) === undefined) throw error;
    return [];
  }
  return names
    .sort()
    .reverse()
    .map((name) => join(directory, name));
}

/** Removes all but the newest `keep`. Backups from the future were made while the clock was wrong: they are removed first. */
export function pruneBackups(directory: string, keep: number, now: number): void {
  const all = backupsIn(directory);
  const isAhead = (path: string): boolean => backupTime(path) > now;
  const byWorth = [...all.filter((path) => !isAhead(path)), ...all.filter(isAhead)];
  for (const path of byWorth.slice(keep)) fs.rmSync(path, { force: true });
  removeUnfinished(directory, now);
}

/** Removes remains of a backup that a crash or power failure interrupted; one in progress is younger. */
function removeUnfinished(directory: string, now: number): void {
  if (!fs.existsSync(directory)) return;
  for (const name of fs.readdirSync(directory)) {
    const [, backup] = UNFINISHED.exec(name) ?? [];
    if (backup !== undefined && now - backupTime(backup) > UNFINISHED_FOR_MS)
      fs.rmSync(join(directory, name), { force: true });
  }
}

/**
 * Copies a ledger that is being written, using SQLite's backup, into a new file. When it resolves, the copy is
 * complete, checked and durable, and contains the journal's head of that moment.
 * @throws ReceiptdError BACKUP_FAILED; an existing file stays unchanged
 */
export async function backupTo(db: DatabaseSyncInstance, target: string): Promise<JournalHead> {
  const aside = `${target}.new`;
  try {
    fs.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    fs.rmSync(aside, { force: true });
    await copyInto(db, aside);
    const head = checkBackup(aside);
    syncFile(aside);
    // Unlike a rename, a link never replaces a file.
    fs.linkSync(aside, target);
    syncDirectorySync(dirname(target));
    return head;
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'BACKUP_FAILED') throw error;
    const why = saidBy(error);
    throw new ReceiptdError('BACKUP_FAILED.unwritable', { file: target, ...why }, { cause: error });
  } finally {
    removeAside(aside);
  }
}

/** Copies a ledger that is being written to a new file, as it is: nothing is checked. */
export async function copyInto(db: DatabaseSyncInstance, target: string): Promise<void> {
  fs.closeSync(fs.openSync(target, 'wx', 0o600));
  await backup(db, target, { rate: PAGES_AT_ONCE });
  withoutLog(target);
}

function removeAside(aside: string): void {
  for (const left of [aside, `${aside}-wal`, `${aside}-shm`, `${aside}-journal`]) {
    try {
      fs.rmSync(left, { force: true });
    } catch {
      // If nothing could be created, nothing is left; report the original failure.
    }
  }
}

/** The copy is in WAL mode, like the ledger; a backup must be a single file. */
function withoutLog(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = DELETE');
  db.close();
}

/**
 * Checks a backup, and returns the journal's head in it. One of an older schema is not counted: its tables are made anew when it is restored.
 * @throws ReceiptdError BACKUP_FAILED if it is not a complete ledger; LEDGER_OLDER
 */
export function checkBackup(path: string): JournalHead {
  const bad = (why: Detail, cause?: unknown): ReceiptdError =>
    new ReceiptdError('BACKUP_FAILED.notValid', { path, ...why }, { cause });
  try {
    const statements = new Statements(openForReading(path, { anyVersion: true }));
    try {
      const isLatest = versionOf(statements.db, path) === SCHEMA_VERSION;
      const flaw = isLatest ? flawOf(statements.db) : null;
      if (flaw !== null) throw bad({ detail: flaw });
      const { ledger, seq, hash } = headOf(statements);
      return { ledger, seq, hash };
    } finally {
      statements.close();
    }
  } catch (error) {
    if (error instanceof ReceiptdError && ['BACKUP_FAILED', 'LEDGER_OLDER'].includes(error.code)) throw error;
    throw bad(saidBy(error), error);
  }
}

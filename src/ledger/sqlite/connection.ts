import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fold } from '../../core/domain/search.ts';
import { messageOf, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { damaged, isDamage, isStoreFailure } from './failure.ts';
import { APPLICATION_ID, LATEST_VERSION, migrate } from './migrate.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { keepBeforeUpgrade } from './upgrade.ts';

export const BUSY_TIMEOUT_MS = 5_000;
/** In pages of 4 KiB: checkpoints are fewer and larger than with the default of 1,000; the WAL grows to 16 MB. */
const CHECKPOINT_PAGES = 4_000;

/**
 * Opens the ledger for its only writer, and creates it if missing. If `isKnownSound` returns true, the full check is
 * skipped; it is called for a ledger of the latest version only. An older one is copied before it is upgraded.
 * @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER, LEDGER_DAMAGED, UPGRADE_NO_SPACE, BACKUP_FAILED
 */
export function openForWriting(
  path: string,
  at: number,
  isKnownSound: (db: DatabaseSyncInstance) => boolean = () => false,
  backupsDir = join(dirname(path), 'backups'),
): DatabaseSyncInstance {
  if (!fs.existsSync(path)) create(path, at);
  return guarded(path, { readOnly: false }, (db) => {
    const version = checkedVersion(db, path);
    if (version < LATEST_VERSION || !isKnownSound(db)) {
      // Found now, damage costs a restore; found after more writes, it costs receipts.
      const [verdict] = pragma(db, 'quick_check(1)');
      if (verdict !== 'ok') throw damaged(path, String(verdict));
    }
    if (version < LATEST_VERSION) keepBeforeUpgrade(db, path, backupsDir, version);
    migrate(db, version, at);
    // The journal is synced at each commit. If a power failure cuts off the end of SQLite's WAL, the next start replays it
    // from the journal (openLedgerAndJournal.ts). Savepoint rollback data stays in memory: in a file, each write of a group
    // would write its pages twice.
    db.exec(`PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = 67108864;
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -16000;`);
  });
}

/** Rewrites the whole file, without what was deleted. @throws SQLite's error; nothing has changed then */
export function rewriteFile(db: DatabaseSyncInstance): void {
  try {
    // In memory, it would take as much as the ledger has.
    db.exec('PRAGMA temp_store = FILE; VACUUM');
  } finally {
    db.exec('PRAGMA temp_store = MEMORY');
  }
}

/**
 * Opens a ledger that another process may be writing. SQLite may create `-wal` and `-shm` files beside it. `anyVersion`
 * also accepts a ledger that was not yet upgraded.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED
 */
export function openForReading(
  path: string,
  { anyVersion = false }: { readonly anyVersion?: boolean } = {},
): DatabaseSyncInstance {
  const about = lookFor(path);
  // SQLite would wait forever for a writer to a FIFO.
  if (about !== undefined && !about.isFile() && !about.isDirectory()) {
    throw new ReceiptdError('FILE_UNREADABLE.ledgerNotFile', { path });
  }
  if (about === undefined) {
    throw new ReceiptdError('LEDGER_MISSING.file', { path });
  }
  return guarded(path, { readOnly: true }, (db) => {
    const version = checkedVersion(db, path);
    if (version < LATEST_VERSION && !anyVersion) {
      throw new ReceiptdError('LEDGER_OLDER.file', { path, version, latest: LATEST_VERSION });
    }
  });
}

/**
 * Creates the ledger under a temporary name and renames it once complete, so that an empty file at `path` always means
 * a loss. Mistaken for a new ledger, it would make the agent send every receipt again under another name.
 */
function create(path: string, at: number): void {
  const log = fs.statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) {
    throw damaged(path, `the file is gone, while its log ${path}-wal is still there`);
  }
  const aside = `${path}.new`;
  try {
    for (const leftover of [aside, `${aside}-journal`]) fs.rmSync(leftover, { force: true });
    fs.closeSync(fs.openSync(aside, 'wx', 0o600));
    const db = new DatabaseSync(aside);
    try {
      db.exec('PRAGMA synchronous = FULL');
      migrate(db, 0, at);
    } finally {
      db.close();
    }
    fs.renameSync(aside, path);
    syncDirectorySync(dirname(path));
  } catch (error) {
    throw new ReceiptdError(
      'STATE_UNWRITABLE.ledgerNotCreated',
      { path, detail: messageOf(error) },
      { cause: error },
    );
  }
}

/**
 * A ledger in WAL mode on a read-only disk: SQLite can't create its files beside it, but no log means that nothing is missing
 * from the file.
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

/** Opens, runs `prepare`, and closes again if that fails. */
function guarded(
  path: string,
  options: { readOnly: boolean },
  prepare: (db: DatabaseSyncInstance) => void,
): DatabaseSyncInstance {
  let db: DatabaseSyncInstance | undefined;
  const isFixed = options.readOnly && isOnReadOnlyDisk(path);
  try {
    // SQLite treats a path that begins with `file:` as a URI; an absolute path never does.
    const place = isFixed ? `${pathToFileURL(path).href}?immutable=1` : path;
    db = new DatabaseSync(place, { ...options, timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    // For searches. No part of the schema uses it, so that other programs can read the file.
    db.function('fold', { deterministic: true }, (text: unknown) =>
      typeof text === 'string' ? fold(text) : null,
    );
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof ReceiptdError) throw error;
    if (isDamage(error)) throw damaged(path, messageOf(error), error);
    if (!isStoreFailure(error)) throw error;
    throw new ReceiptdError(
      options.readOnly ? 'FILE_UNREADABLE.ledger' : 'STATE_UNWRITABLE.ledger',
      { path, detail: messageOf(error) },
      { cause: error },
    );
  }
}

/** Without permission to search the directory, the ledger may or may not exist. @throws ReceiptdError FILE_UNREADABLE */
function lookFor(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EACCES' && code !== 'EPERM') return undefined;
    throw new ReceiptdError(
      'FILE_UNREADABLE.ledgerOutOfReach',
      { path, detail: messageOf(error), isWindows: process.platform === 'win32' },
      { cause: error },
    );
  }
}

/** Only reads, so that a foreign file stays unchanged. */
function checkedVersion(db: DatabaseSyncInstance, path: string): number {
  const [applicationId] = pragma(db, 'application_id');
  if (applicationId !== APPLICATION_ID) throw damaged(path, 'the file is not a receiptd ledger');
  const version = Number(pragma(db, 'user_version')[0]);
  if (version > LATEST_VERSION) {
    throw new ReceiptdError('LEDGER_NEWER.file', { path, version, latest: LATEST_VERSION });
  }
  return version;
}

export function isLatest(db: DatabaseSyncInstance): boolean {
  return pragma(db, 'user_version')[0] === LATEST_VERSION;
}

function pragma(db: DatabaseSyncInstance, text: string): unknown[] {
  const rows: Record<string, unknown>[] = db.prepare(`PRAGMA ${text}`).all();
  return rows.flatMap((row) => Object.values(row));
}

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReceiptdError, saidBy, systemCode } from '../../core/domain/errors.ts';
import { MISCOUNTED } from '../schema.ts';

const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** If preparing a statement fails, the driver gives SQLite's fixed text without a code. */
const CODE_OF_TEXT: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'database table is locked': 6,
  'out of memory': 7,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': CORRUPT,
  'database or disk is full': FULL,
  'unable to open database file': 14,
  'locking protocol': 15,
  'file is not a database': NOT_A_DATABASE,
};

/** Result codes for failures of the store itself; 22: the disk lacks support for large files. */
const STORE_FAILURES: ReadonlySet<number> = new Set([...Object.values(CODE_OF_TEXT), 22]);

/** SQLite's primary result code of an error, or undefined. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'code' in error && error.code === 'ERR_SQLITE_ERROR' ? CODE_OF_TEXT[error.message] : undefined;
}

/** True if the whole transaction can't be trusted; false if a single operation failed. */
export function isStoreFailure(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && STORE_FAILURES.has(code);
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

export function damaged(path: string, detail: string, cause?: unknown): ReceiptdError {
  return new ReceiptdError('LEDGER_DAMAGED.file', { path, detail }, { cause });
}

const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Converts anything that SQLite or the journal file threw while the ledger was in use to DISK_FULL, LEDGER_DAMAGED or
 * LEDGER_WRITE_FAILED. Returns other errors unchanged.
 */
export function storeFailure(error: unknown, path: string, doing: 'written' | 'read'): unknown {
  if (!(error instanceof Error)) return error;
  if (sqliteCode(error) === FULL || NO_SPACE.has(systemCode(error) ?? '')) {
    return new ReceiptdError('DISK_FULL.ofLedger', { path, ...saidBy(error) }, { cause: error });
  }
  if (isDamage(error)) return damaged(path, error.message, error);
  // Node's own errors carry the system's `errno`; SQLite's errors and defects in our code do not.
  if (!isStoreFailure(error) && !('errno' in error)) return error;
  return new ReceiptdError(
    'LEDGER_WRITE_FAILED.file',
    { path, isWriting: doing === 'written', ...saidBy(error) },
    { cause: error },
  );
}

/** Another program holds the ledger's lock for a moment. */
export function isBusy(failure: ReceiptdError): boolean {
  return isBusyError(failure.cause);
}

export function isBusyError(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 5 || code === 6;
}

/** Damage of the file, in one line; null if there is none. */
export function damageOf(db: DatabaseSyncInstance): string | null {
  const [row]: Record<string, unknown>[] = db.prepare('PRAGMA integrity_check(1)').all();
  const verdict = String(Object.values(row ?? {})[0]);
  if (verdict === 'ok') return null;
  return verdict
    .replace(/^\*\*\* in database \S+ \*\*\*\n/, '')
    .trimEnd()
    .replaceAll('\n', '; ');
}

/** What is wrong with the tables as a whole, in one line; null if they are sound. */
export function flawOf(db: DatabaseSyncInstance): string | null {
  const damage = damageOf(db);
  if (damage !== null) return damage;
  return db.prepare(MISCOUNTED).all().length > 0 ? 'miscounted' : null;
}

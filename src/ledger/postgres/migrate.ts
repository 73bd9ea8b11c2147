import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Connection } from './connection.ts';
import type { Sql } from './statements.ts';
import { ALL_MIGRATIONS } from './migrations/all.ts';

/** Advisory lock against concurrent migrations. */
const LOCK = 7_267_339;

/** Version of the schema in this database; 0 if there is none. */
export async function versionOf(connection: Sql): Promise<number> {
  // Not with to_regclass: within a transaction, it may cache that a table is missing which another transaction has
  // created since.
  const there = await connection.get(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'receiptd' AND c.relname = 'migrations'`,
  );
  if (!there) return 0;
  const row = await connection.get<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM receiptd.migrations`,
  );
  return row?.version ?? 0;
}

/**
 * Upgrades the schema to the latest version, in one transaction. Does nothing if it is up to date.
 * @throws ReceiptdError LEDGER_NEWER; LEDGER_OLDER if this role may not upgrade
 */
export async function migrate(connection: Connection, where: string): Promise<void> {
  if ((await versionOf(connection)) === ALL_MIGRATIONS.length) return;
  await connection.exec('BEGIN');
  try {
    await connection.run('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    const version = await versionOf(connection);
    if (version > ALL_MIGRATIONS.length) throw newer(where, version);
    // Another agent was faster; this role need not have the right.
    if (version === ALL_MIGRATIONS.length) return await connection.exec('COMMIT');
    await connection.exec(`CREATE SCHEMA IF NOT EXISTS receiptd;
      CREATE TABLE IF NOT EXISTS receiptd.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`);
    for (const [index, text] of ALL_MIGRATIONS.entries()) {
      if (index < version) continue;
      await connection.exec(text);
      await connection.run('INSERT INTO receiptd.migrations (version) VALUES (:version)', {
        version: index + 1,
      });
    }
    await connection.exec('COMMIT');
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {});
    if (systemCode(error) === '42501') throw older(where, error);
    throw error;
  }
}

/** @throws ReceiptdError LEDGER_OLDER, LEDGER_NEWER, LEDGER_MISSING */
export async function requireVersion(connection: Sql, where: string): Promise<void> {
  const version = await versionOf(connection);
  if (version === 0) throw new ReceiptdError('LEDGER_MISSING.inDatabase', { where });
  if (version < ALL_MIGRATIONS.length) throw older(where);
  if (version > ALL_MIGRATIONS.length) throw newer(where, version);
}

function older(where: string, cause?: unknown): ReceiptdError {
  return new ReceiptdError('LEDGER_OLDER.inDatabase', { where }, { cause });
}

function newer(where: string, version: number): ReceiptdError {
  return new ReceiptdError('LEDGER_NEWER.inDatabase', { where, version, known: ALL_MIGRATIONS.length });
}

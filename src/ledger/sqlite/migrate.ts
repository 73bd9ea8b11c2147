import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ALL_MIGRATIONS } from './migrations/all.ts';

export const LATEST_VERSION = ALL_MIGRATIONS.length;

/** 'rcpt': distinguishes a ledger from any other SQLite database. */
export const APPLICATION_ID = 0x72637074;

/**
 * Runs all steps in one transaction: if interrupted, the ledger keeps its version, which the copy made before has too.
 * Uses `exec` only, so that no statement outlives the call.
 */
export function migrate(db: DatabaseSyncInstance, fromVersion: number, at: number): void {
  if (fromVersion >= LATEST_VERSION) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const [index, sql] of ALL_MIGRATIONS.entries()) {
      const version = index + 1;
      if (version <= fromVersion) continue;
      db.exec(`${sql}
        INSERT INTO migrations (version, applied_at) VALUES (${version}, ${Math.trunc(at)})`);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${LATEST_VERSION};
      COMMIT`);
  } catch (error) {
    // A closed connection, and its lock, can outlive `close` as long as one of its statements does.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ALL_MIGRATIONS } from './migrations/all.ts';

export const LATEST_VERSION = ALL_MIGRATIONS.length;

/** 'rcpt': tells a ledger from any other SQLite database. */
export const APPLICATION_ID = 0x72637074;

/**
 * All steps in one transaction: cut short, the ledger is of the version that it was, and the copy that was kept is of that one.
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
    // A connection may outlive its `close` while a statement of it does, and with it the lock.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

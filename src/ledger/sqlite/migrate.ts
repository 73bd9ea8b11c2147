import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { MIGRATION_0001 } from './migrations/0001.ts';
import { MIGRATION_0002 } from './migrations/0002.ts';
import { MIGRATION_0003 } from './migrations/0003.ts';
import { MIGRATION_0004 } from './migrations/0004.ts';
import { MIGRATION_0005 } from './migrations/0005.ts';
import { MIGRATION_0006 } from './migrations/0006.ts';

/** In order; the place of a migration is the version that it leads to. Never edited once released. */
const MIGRATIONS: readonly string[] = [
  MIGRATION_0001,
  MIGRATION_0002,
  MIGRATION_0003,
  MIGRATION_0004,
  MIGRATION_0005,
  MIGRATION_0006,
];

export const LATEST_VERSION = MIGRATIONS.length;

/** 'rcpt': tells a ledger from any other SQLite database. */
export const APPLICATION_ID = 0x72637074;

/**
 * All steps in one transaction: cut short, the ledger is of the version that it was, and the copy that was kept is of that one.
 * Uses `exec` only, so that no statement outlives the call.
 */
export function migrate(
  db: DatabaseSyncInstance,
  fromVersion: number,
  at: number,
  toVersion = LATEST_VERSION,
): void {
  if (fromVersion >= toVersion) return;
  db.exec('BEGIN IMMEDIATE');
  for (const [index, sql] of MIGRATIONS.entries()) {
    const version = index + 1;
    if (version <= fromVersion || version > toVersion) continue;
    db.exec(`${sql}
      INSERT INTO migrations (version, applied_at) VALUES (${version}, ${Math.trunc(at)})`);
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${toVersion};
    COMMIT`);
}

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, ReceiptdError } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { syncFile } from './files.ts';
import { LATEST_VERSION } from './migrate.ts';

const NAME = /^upgrade-from-v\d+\.db$/;

/** The copy of the ledger, and as much again for its growth while tables are rebuilt. */
const COPIES = 2;

export interface UpgradeSources {
  /** Free bytes on the file system of a directory. */
  readonly freeBytes?: (directory: string) => number;
}

/**
 * Copies the ledger before an upgrade to `upgrade-from-vN.db` beside the backups; complete and durable on return.
 * Removes the copy of the previous upgrade.
 * @throws ReceiptdError UPGRADE_NO_SPACE, BACKUP_FAILED; the ledger is unchanged then
 */
export function keepBeforeUpgrade(
  db: DatabaseSyncInstance,
  ledger: string,
  backupsDir: string,
  version: number,
  { freeBytes = freeBytesOf }: UpgradeSources = {},
): void {
  const file = join(backupsDir, `upgrade-from-v${version}.db`);
  const aside = `${file}.new`;
  try {
    fs.mkdirSync(backupsDir, { recursive: true, mode: 0o700 });
    const needed = COPIES * sizeOf(ledger);
    const free = freeBytes(backupsDir);
    if (free < needed) throw noSpace(ledger, version, needed, free);
    fs.rmSync(aside, { force: true });
    // SQLite writes into the existing empty file; a file that it creates itself would be readable by everyone.
    fs.closeSync(fs.openSync(aside, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(aside);
    syncFile(aside);
    fs.renameSync(aside, file);
    for (const name of fs.readdirSync(backupsDir)) {
      if (NAME.test(name) && join(backupsDir, name) !== file) fs.rmSync(join(backupsDir, name));
    }
    syncDirectorySync(backupsDir);
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    const words = messageOf(error);
    throw new ReceiptdError('BACKUP_FAILED.beforeUpgrade', { file, detail: words }, { cause: error });
  } finally {
    removeAside(aside);
  }
}

function removeAside(aside: string): void {
  try {
    fs.rmSync(aside, { force: true });
  } catch {
    // If nothing could be created, nothing is left; report the original failure.
  }
}

function sizeOf(ledger: string): number {
  return ['', '-wal']
    .map((suffix) => fs.statSync(ledger + suffix, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = fs.statfsSync(directory);
  return bavail * bsize;
}

function noSpace(ledger: string, version: number, needed: number, free: number): ReceiptdError {
  return new ReceiptdError('UPGRADE_NO_SPACE', {
    path: ledger,
    version,
    latest: LATEST_VERSION,
    needed: megabytes(needed),
    dir: dirname(ledger),
    free: megabytes(free),
  });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

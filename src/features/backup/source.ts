import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { NotAFile, openPlainFile, readPlainFile } from '../../system/plainFile.ts';
import { checkBackup } from '../../ledger/sqlite/backup.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type { Manifest } from './manifest.ts';
import { readManifest } from './readBackup.ts';

/** What can be restored: an archive of `receiptd backup`, or one of the agent's own scheduled backups, which is just a ledger. */
export type BackupSource =
  | {
      readonly kind: 'archive';
      readonly manifest: Manifest;
      readonly settings: string;
      readonly head: JournalHead;
    }
  | { readonly kind: 'ledger'; readonly head: JournalHead };

const SQLITE = 'SQLite format 3\0';

/** Reads as little as possible. @throws ReceiptdError ARCHIVE_REFUSED, BACKUP_FAILED, FILE_UNREADABLE, LEDGER_NEWER */
export async function inspectBackup(file: string): Promise<BackupSource> {
  if (await isLedger(file)) return { kind: 'ledger', head: checkBackup(file) };
  const { manifest, settings } = await readManifest(file);
  return { kind: 'archive', manifest, settings, head: manifest.head };
}

/** False if the file can't be opened: the archive reader explains why. */
async function isLedger(file: string): Promise<boolean> {
  const handle = await openPlainFile(file).catch(() => null);
  if (handle === null) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SQLITE.length));
    return buffer.toString('latin1', 0, bytesRead) === SQLITE;
  } finally {
    await handle.close();
  }
}

/** Where and when an archive was restored. */
export interface RestoredAt {
  readonly host: string;
  readonly stateDir: string;
  readonly at: string;
}

/** Next to the archive, to warn a second PC that restores from the same stick or share. */
const noteOf = (file: string): string => `${file}.restored`;

/** Where this file was restored before, as far as is known. */
export async function restoredAt(file: string): Promise<RestoredAt[]> {
  const text = await readPlainFile(noteOf(file)).catch(() => null);
  return (text ?? '').split('\n').flatMap((line) => {
    try {
      const { host, stateDir, at } = JSON.parse(line) as RestoredAt;
      return [{ host, stateDir, at }];
    } catch {
      return [];
    }
  });
}

/** @returns false if it can't be noted, as on a read-only stick */
export async function noteRestored(file: string, stateDir: string, at: string): Promise<boolean> {
  const note: RestoredAt = { host: hostname(), stateDir, at };
  try {
    const handle = await fs.open(noteOf(file), 'a', 0o600);
    try {
      if (!(await handle.stat()).isFile()) throw new NotAFile(noteOf(file));
      await handle.writeFile(`${JSON.stringify(note)}\n`);
      await handle.sync();
      await syncDirectory(dirname(file));
      return true;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

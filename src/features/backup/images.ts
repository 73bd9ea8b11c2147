import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteReports } from '../../ledger/sqlite/openReports.ts';
import type { ListState } from '../../core/ports/ledgerReports.ts';

/** States in which the bytes are still needed. */
const WAITING: readonly ListState[] = ['queued', 'uploading', 'held'];
/** States in which a person may want to send the bytes again. */
const PERHAPS: readonly ListState[] = ['unconfirmed', 'failed'];

export interface BackupImage {
  readonly sha256: string;
  /** Path of the original; null if only the copy counts. */
  readonly path: string | null;
  readonly size: number;
}

/**
 * The images of a copied ledger to include in a backup, one at a time, so that a long queue need not fit in memory. Documents that
 * might be sent again are only included if their copy exists.
 */
export async function* wantedImages(ledger: string, copies: string): AsyncGenerator<BackupImage> {
  const reports = await openSqliteReports({ path: ledger });
  try {
    for await (const { sha256, path, size, documentId } of reports.list({ states: WAITING }))
      if (sha256 !== null && documentId !== null) yield { sha256, path, size };
    for await (const { sha256, size } of reports.list({ states: PERHAPS }))
      if (sha256 !== null && existsSync(join(copies, sha256))) yield { sha256, path: null, size };
  } finally {
    await reports.close();
  }
}

/** Links the spool's copies, so that they can't be removed meanwhile; copies them if the file system has no links. */
export async function linkCopies(spool: string, to: string): Promise<void> {
  for (const fanOut of await namesIn(spool)) {
    for (const name of /^[0-9a-f]{2}$/.test(fanOut) ? await namesIn(join(spool, fanOut)) : []) {
      if (!/^[0-9a-f]{64}$/.test(name)) continue;
      const from = join(spool, fanOut, name);
      await fs.link(from, join(to, name)).catch(async (error: unknown) => {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        // It exists already, or was sent and removed a moment ago.
        if (code === 'EEXIST' || code === 'ENOENT') return;
        await fs.copyFile(from, join(to, name)).catch(() => {});
      });
    }
  }
}

/** An image's bytes, from its copy or its original; null if neither has them any more. */
export async function bytesOf({ sha256, path, size }: BackupImage, copies: string): Promise<Buffer | null> {
  for (const file of [join(copies, sha256), path]) {
    if (file === null) continue;
    // Gone, changed or unreadable: all reported together.
    const about = await fs.stat(file).catch(() => null);
    if (about?.isFile() !== true || about.size !== size) continue;
    const bytes = await fs.readFile(file).catch(() => null);
    if (bytes !== null && hash('sha256', bytes, 'hex') === sha256) return bytes;
  }
  return null;
}

export function namesIn(directory: string): Promise<string[]> {
  return fs.readdir(directory).catch(() => []);
}

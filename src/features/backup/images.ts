import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteReports } from '../../ledger/sqlite/openReports.ts';
import type { ListState } from '../../core/ports/ledgerReports.ts';

/** Documents whose bytes are still wanted. */
const WAITING: readonly ListState[] = ['queued', 'uploading', 'held'];
/** They may be wanted again, if a person says so. */
const PERHAPS: readonly ListState[] = ['unconfirmed', 'failed'];

export interface Wanted {
  readonly sha256: string;
  /** Where it was scanned; null where the copy alone counts. */
  readonly path: string | null;
  readonly size: number;
}

/**
 * The images of a copied ledger that a backup takes along, one after the other: a long queue must not be in memory.
 * Of documents that only may be wanted again, those whose copy is there.
 */
export async function* wantedImages(ledger: string, copies: string): AsyncGenerator<Wanted> {
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

/** Links to the copies in a spool that nobody can take away meanwhile; where the file system has none, copies. */
export async function linkCopies(spool: string, to: string): Promise<void> {
  for (const fanOut of await namesIn(spool)) {
    for (const name of /^[0-9a-f]{2}$/.test(fanOut) ? await namesIn(join(spool, fanOut)) : []) {
      if (!/^[0-9a-f]{64}$/.test(name)) continue;
      const from = join(spool, fanOut, name);
      await fs.link(from, join(to, name)).catch(async (error: unknown) => {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        // It is there already, or was sent a moment ago.
        if (code === 'EEXIST' || code === 'ENOENT') return;
        await fs.copyFile(from, join(to, name)).catch(() => {});
      });
    }
  }
}

/** An image's bytes, from the copy or from where it was scanned; null where neither has them any more. */
export async function bytesOf({ sha256, path, size }: Wanted, copies: string): Promise<Buffer | null> {
  for (const file of [join(copies, sha256), path]) {
    if (file === null) continue;
    // Gone, another image, or not to be read: reported together.
    const about = await fs.stat(file).catch(() => null);
    if (about?.isFile() !== true || about.size !== size) continue;
    const bytes = await fs.readFile(file).catch(() => null);
    if (bytes !== null && hash('sha256', bytes, 'hex') === sha256) return bytes;
  }
  return null;
}

export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await fs.readdir(directory);
  } catch {
    return [];
  }
}

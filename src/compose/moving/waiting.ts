import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteReports } from '../../ledger/sqlite/openReports.ts';
import type { ListState } from '../../ports/ledgerReports.ts';

/** Documents whose bytes are still wanted. */
const WAITING: readonly ListState[] = ['queued', 'uploading', 'held'];
/** They may be wanted again, if a person says so. */
const PERHAPS: readonly ListState[] = ['unconfirmed', 'failed'];

export interface Waiting {
  readonly documents: number;
  readonly waiting: number;
  /** Hash and path of each image that waits. */
  readonly wanted: ReadonlyMap<string, { readonly path: string; readonly size: number }>;
  readonly perhaps: ReadonlySet<string>;
}

/** Of a copy of the ledger. */
export async function waitingIn(ledger: string): Promise<Waiting> {
  const reports = await openSqliteReports({ path: ledger });
  try {
    const wanted = new Map<string, { path: string; size: number }>();
    const perhaps = new Set<string>();
    let waiting = 0;
    for await (const { sha256, path, size, documentId } of reports.list({ states: WAITING })) {
      if (documentId !== null) waiting += 1;
      if (sha256 !== null) wanted.set(sha256, { path, size });
    }
    for await (const { sha256 } of reports.list({ states: PERHAPS }))
      if (sha256 !== null) perhaps.add(sha256);
    const counts = await reports.documentCounts();
    return { documents: counts.reduce((sum, each) => sum + each.count, 0), waiting, wanted, perhaps };
  } finally {
    await reports.close();
  }
}

/** Makes links to the copies in a spool that nobody can take away meanwhile; where the file system has none, copies. */
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

/** Copies an original that still has the bytes that wait. @returns whether it has */
export async function copyOriginal(path: string, sha256: string, to: string): Promise<boolean> {
  try {
    await fs.copyFile(path, to);
    if ((await sha256Of(to)).sha256 === sha256) return true;
  } catch {
    // Gone, another one, or not to be read: told together.
  }
  await fs.rm(to, { force: true });
  return false;
}

export async function sha256Of(file: string): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const handle = await fs.open(file, 'r');
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
  } finally {
    await handle.close();
  }
  return { sha256: hash.digest('hex'), size };
}

export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await fs.readdir(directory);
  } catch {
    return [];
  }
}

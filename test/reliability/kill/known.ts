import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from './digest.ts';
import { readJournal, type JournalDocument } from './journalFile.ts';

/** What the agent has recorded in its state directory. */
export interface Known {
  readonly documents: readonly JournalDocument[];
  /** Hashes of the complete copies in the spool. */
  readonly copies: ReadonlySet<string>;
}

/** Works while the agent is running. */
export async function knownIn(stateDir: string): Promise<Known> {
  const { documents } = await readJournal(join(stateDir, 'ledger.journal'));
  const spool = join(stateDir, 'spool');
  const files = await readdir(spool, { recursive: true, withFileTypes: true }).catch(unlessGone);
  const copies = new Set<string>();
  for (const file of files ?? []) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name)).catch(unlessGone);
    if (bytes && sha256(bytes) === file.name) copies.add(file.name);
  }
  return { documents, copies };
}

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../support/digest.ts';
import { unlessGone } from '../support/files.ts';
import { Books } from '../../oracle/journal.ts';
import { journalOf } from './world.ts';

/** What the agent has recorded in its state directory. */
export interface Known {
  readonly books: Books;
  /** Hashes of the complete copies in the spool. */
  readonly copies: ReadonlySet<string>;
}

/** Works while the agent is running. */
export async function knownIn(stateDir: string): Promise<Known> {
  const { entries } = await journalOf(stateDir);
  const spool = join(stateDir, 'spool');
  const files = await unlessGone(readdir(spool, { recursive: true, withFileTypes: true }));
  const copies = new Set<string>();
  for (const file of files ?? []) {
    if (!file.isFile()) continue;
    const bytes = await unlessGone(readFile(join(file.parentPath, file.name)));
    if (bytes && sha256(bytes) === file.name) copies.add(file.name);
  }
  return { books: Books.of(entries), copies };
}

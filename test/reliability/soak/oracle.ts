import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { StoredDocument } from '../../../src/sandbox/server.ts';
import { ROWS, type Row } from '../../support/listRows.ts';
import { agree, isStateFile, keyOf } from '../support/oracle.ts';
import type { Book } from './book.ts';

export interface Findings {
  readonly breaches: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Compares the ledger (`list --json`) with what was scanned and what the service has: P1 and P2. */
export function judgeLedger(list: string, received: readonly StoredDocument[], book: Book): Findings {
  const rows = ROWS.parse(JSON.parse(list));
  const counts: Record<string, number> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  const documents = rows.filter(
    ({ sha256, endpointUid, state }) => sha256 !== null && endpointUid !== null && state !== 'duplicate',
  );
  const breaches = [...agree(documents, received)];
  const byImage = new Map(documents.map((row) => [keyOf(row), row]));
  for (const [key, { must }] of book.images) {
    const row = byImage.get(key);
    if (row?.state === 'accepted' || (!must && (row === undefined || row.state === 'lost'))) continue;
    breaches.push(`image ${key} should be accepted, but is ${row ? whatIs(row) : 'not in the ledger'}`);
  }
  for (const [key, row] of byImage) if (!book.images.has(key)) breaches.push(`nobody scanned ${whatIs(row)}`);
  const states = new Map(
    rows.filter(({ sha256 }) => sha256 === null).map(({ path, state }) => [path, state]),
  );
  for (const [path, state] of book.refusals) {
    // `list` omits incomplete files that are gone.
    if (state === 'incomplete' && book.isRefused(path)) continue;
    const is = states.get(path) ?? 'not in the ledger';
    if (is !== state) breaches.push(`${path} is not an image and should be ${state}, but is ${is}`);
  }
  return { breaches, counts };
}

function whatIs({ name, state, reason, path }: Row): string {
  return `${name ?? path} (${state}${reason === null ? '' : `, ${reason}`})`;
}

const DIRECTORIES = new Set(['backups', 'spool', 'logs']);
/** Files that only a running or killed agent has. */
const OF_RUNNING = new Set(['control.sock', 'instance.json']);

/** What should not be in the state directory of a stopped, idle agent. */
export async function leftovers(stateDir: string): Promise<string[]> {
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => ({ entry, path: relative(stateDir, join(entry.parentPath, entry.name)) }))
    .filter(({ entry, path }) =>
      entry.isDirectory()
        ? entry.parentPath === stateDir && !DIRECTORIES.has(path)
        : !isStateFile(path) || OF_RUNNING.has(path),
    )
    .map(({ path }) => path);
}

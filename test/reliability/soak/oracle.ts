import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredDocument } from '../../../src/sandbox/server.ts';
import type { Book } from './book.ts';
import { ROWS, type Row } from '../../support/listRows.ts';

export interface Findings {
  readonly breaches: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Compares the ledger (`list --json`) with what was scanned and what the service has: P1 and P2. */
export function judgeLedger(list: string, received: readonly StoredDocument[], book: Book): Findings {
  const rows = ROWS.parse(JSON.parse(list));
  const breaches: string[] = [];
  const counts: Record<string, number> = {};
  const documents = new Map<string, Row>();
  const states = new Map<string, string>();
  for (const row of rows) {
    counts[row.state] = (counts[row.state] ?? 0) + 1;
    if (row.sha256 === null) states.set(row.path, row.state);
    if (row.sha256 === null || row.endpointUid === null || row.state === 'duplicate') continue;
    const key = `${row.endpointUid} ${row.sha256}`;
    const other = documents.get(key);
    if (other) breaches.push(`two documents of one image: ${other.name} and ${row.name}`);
    documents.set(key, row);
  }
  for (const [key, { must }] of book.images) {
    const row = documents.get(key);
    if (row?.state === 'accepted' || (!must && (row === undefined || row.state === 'lost'))) continue;
    breaches.push(`${key} should be accepted and is ${row ? whatIs(row) : 'not in the ledger'}`);
  }
  const names = new Set<string>();
  for (const [key, row] of documents) {
    if (!book.images.has(key)) breaches.push(`nobody scanned ${whatIs(row)}`);
    const name = `${row.endpointUid} ${row.name}`;
    if (names.has(name)) breaches.push(`two images under one name: ${row.name}`);
    names.add(name);
  }
  breaches.push(...judgeReceived(received, documents));
  for (const [path, state] of book.refusals) {
    // `list` omits incomplete files that are gone.
    if (state === 'incomplete' && book.isRefused(path)) continue;
    const is = states.get(path) ?? 'not in the ledger';
    if (is !== state) breaches.push(`${path} is no image, and should be ${state}; it is ${is}`);
  }
  return { breaches, counts };
}

function judgeReceived(received: readonly StoredDocument[], documents: ReadonlyMap<string, Row>): string[] {
  const breaches: string[] = [];
  const stored = new Set<string>();
  for (const { endpointUid, sha256, name, tries } of received) {
    const key = `${endpointUid} ${sha256}`;
    if (stored.has(key)) breaches.push(`stored under two names: ${name}`);
    stored.add(key);
    const row = documents.get(key);
    if (!row || row.name !== name)
      breaches.push(`stored as ${name}, in the ledger ${row?.name ?? 'nothing'}`);
    else if (tries > 1 && !row.answerLost)
      breaches.push(`stored ${tries} times without a lost answer: ${name}`);
  }
  for (const [key, row] of documents)
    if (row.state === 'accepted' && !stored.has(key)) breaches.push(`accepted and not stored: ${row.name}`);
  return breaches;
}

function whatIs({ name, state, reason, path }: Row): string {
  return `${name ?? path} (${state}${reason === null ? '' : `, ${reason}`})`;
}

/** Files that should not be in the state directory of a stopped, idle agent. */
export async function leftovers(stateDir: string): Promise<string[]> {
  const spool = await readdir(join(stateDir, 'spool'), { recursive: true, withFileTypes: true });
  const left = spool.filter((entry) => entry.isFile()).map(({ name }) => `spool/${name}`);
  const known = [
    /^ledger\.(db|journal)$/,
    /^ledger\.db(-wal|-shm|\.sound)$/,
    /^(backups|spool|logs|reserve|instance\.lock)$/,
  ];
  for (const name of await readdir(stateDir)) if (!known.some((each) => each.test(name))) left.push(name);
  return left;
}

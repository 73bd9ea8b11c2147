import { sameIdentity, type FileIdentity, type FileRef, type Verdict } from '../../domain/document.ts';
import type { FileSeen } from '../../ports/ledger.ts';
import { identityParams, splitPath, toIdentity, type IdentityRow } from '../rows.ts';
import * as SQL from './sql/sightings.ts';
import type { Sql } from './statements.ts';
import type { Transaction } from './store.ts';

export interface CurrentSighting extends IdentityRow {
  readonly id: number;
  readonly verdict: Verdict;
  readonly documentId: number | null;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly disposed: 'kept' | null;
}

/** What is recorded of a file, whatever became of it. */
export interface Sighted {
  readonly verdict: Verdict;
  readonly documentId: number | null;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly at: number;
}

export function currentSighting(sql: Sql, file: FileRef): CurrentSighting | undefined {
  return sql.get<CurrentSighting>(SQL.CURRENT_SIGHTING, { folder: file.folder, ...splitPath(file.path) });
}

/**
 * Makes `sighted` what is current at the file's path. The sighting that was current either becomes this one
 * (the same file judged anew) or history (other bytes, or bytes that belong to another document).
 */
export function putSighting(sql: Transaction, file: FileSeen, { documentId, at, ...sighted }: Sighted): void {
  const current = currentSighting(sql, file);
  const stays = current !== undefined && isSameFile(current, file.identity, { documentId, ...sighted });
  const { size, mtimeNs, ctimeNs, inode } = identityParams(file.identity);
  const event = {
    kind: 'sighted' as const,
    sighting: stays ? current.id : nextId(sql, SQL.NEXT_SIGHTING_ID),
    supersedes: current?.id ?? null,
    ...sighted,
    document: documentId,
    folder: file.folder,
    path: file.path,
    size,
    mtimeNs: String(mtimeNs),
    ctimeNs: String(ctimeNs),
    inode: String(inode),
  };
  sql.emit(event, at);
}

function isSameFile(
  current: CurrentSighting,
  identity: FileIdentity,
  sighted: Pick<Sighted, 'documentId' | 'sha256'>,
): boolean {
  if (current.disposed !== null) return false;
  if (current.documentId !== null) return current.documentId === sighted.documentId;
  // What was still growing, or could not be read, was never judged: nothing of it is worth keeping.
  if (current.verdict === 'incomplete' || current.verdict === 'unreadable') return true;
  if (sameIdentity(toIdentity(current), identity)) return true;
  return current.sha256 !== null && current.sha256 === sighted.sha256;
}

/** For a row that is about to be inserted in this transaction. */
export function nextId(sql: Sql, text: string): number {
  const row = sql.get<{ id: number }>(text);
  if (!row) throw new Error('a query for the next number gave no row');
  return row.id;
}

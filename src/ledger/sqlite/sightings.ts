import { sameIdentity, type FileIdentity, type FileRef, type Verdict } from '../../domain/document.ts';
import type { FileSeen } from '../../ports/ledger.ts';
import { identityParams, splitPath, toIdentity, type IdentityRow } from './rows.ts';
import * as SQL from './sql/sightings.ts';
import type { Sql } from './store.ts';

export interface CurrentSighting extends IdentityRow {
  readonly id: number;
  readonly verdict: Verdict;
  readonly documentId: number | null;
  readonly sha256: string | null;
  readonly policy: string | null;
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
export function putSighting(sql: Sql, file: FileSeen, sighted: Sighted): void {
  const current = currentSighting(sql, file);
  const params = { ...identityParams(file.identity), ...sighted };
  if (current && isSameFile(current, file.identity, sighted)) {
    sql.run(SQL.UPDATE_SIGHTING, { id: current.id, ...params });
    return;
  }
  if (current) sql.run(SQL.SUPERSEDE, { id: current.id, at: sighted.at });
  sql.run(SQL.ENSURE_FOLDER, { folder: file.folder });
  sql.run(SQL.INSERT_SIGHTING, { folder: file.folder, ...splitPath(file.path), ...params });
}

function isSameFile(current: CurrentSighting, identity: FileIdentity, sighted: Sighted): boolean {
  if (current.documentId !== null) return current.documentId === sighted.documentId;
  // What was still growing, or could not be read, was never judged: nothing of it is worth keeping.
  if (current.verdict === 'incomplete' || current.verdict === 'unreadable') return true;
  if (sameIdentity(toIdentity(current), identity)) return true;
  return current.sha256 !== null && current.sha256 === sighted.sha256;
}

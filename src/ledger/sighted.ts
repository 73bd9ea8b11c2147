import { sameIdentity, type FileIdentity, type Verdict } from '../core/domain/document.ts';
import { toIdentity, type IdentityRow } from './rows.ts';

export interface CurrentSighting extends IdentityRow {
  readonly id: number;
  readonly verdict: Verdict;
  readonly documentId: number | null;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly disposed: 'kept' | null;
}

/** What is recorded about a file, whatever its verdict. */
export interface Sighted {
  readonly verdict: Verdict;
  readonly documentId: number | null;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly at: number;
}

/** Whether this file, unchanged, is already a document or a duplicate of one, or was split into pages. */
export function isDocument(current: CurrentSighting | undefined, identity: FileIdentity): boolean {
  if (current === undefined || (current.documentId === null && current.verdict !== 'split')) return false;
  return sameIdentity(toIdentity(current), identity);
}

/** Whether the file seen at a path is the current one there, judged again. */
export function isSameFile(
  current: CurrentSighting,
  identity: FileIdentity,
  sighted: Pick<Sighted, 'documentId' | 'sha256'>,
): boolean {
  if (current.disposed !== null) return false;
  if (current.documentId !== null) return current.documentId === sighted.documentId;
  // A file that was growing or unreadable was never judged: there is no history to keep.
  if (current.verdict === 'incomplete' || current.verdict === 'unreadable') return true;
  if (sameIdentity(toIdentity(current), identity)) return true;
  return current.sha256 !== null && current.sha256 === sighted.sha256;
}

import type { DocumentState } from '../core/domain/document.ts';
import { everyPageSent, pageOf } from '../core/domain/pages.ts';
import type { Split, SplitEnd, SplitPage } from '../core/ports/ledgerPages.ts';
import { relativePath, toIdentity, type IdentityRow } from './rows.ts';
import { sightedEvent, type SightedEvent } from './sighted.ts';

export interface SplitRow extends IdentityRow {
  readonly id: number;
  readonly dir: string;
  readonly name: string;
  readonly sha256: string;
  readonly baseUrl: string;
  readonly uid: string;
}

export function toSplit(row: SplitRow, folder: string): Split {
  const { id, sha256, baseUrl, uid } = row;
  const file = { folder, path: relativePath(row), identity: toIdentity(row) };
  return { id, endpoint: { baseUrl, uid }, file, sha256 };
}

export interface PageRow {
  readonly id: number;
  readonly dir: string;
  readonly name: string;
  readonly verdict: SplitPage['verdict'];
  readonly sha256: string | null;
  readonly state: DocumentState | null;
  readonly reason: string | null;
}

/** What is recorded about a page. */
export interface PageSighting {
  readonly id: number;
  readonly verdict: SplitPage['verdict'];
  readonly documentId: number | null;
}

/** The pages that were not erased, each with its latest verdict. */
export function toPages(rows: readonly PageRow[]): SplitPage[] {
  const pages = new Map<number, SplitPage>();
  for (const row of rows.toSorted((a, b) => a.id - b.id)) {
    const page = pageOf(relativePath(row))?.page;
    const { verdict, sha256, state, reason } = row;
    if (page !== undefined) pages.set(page, { page, verdict, sha256, state, reason });
  }
  return [...pages.values()];
}

/** Message for a file while it is being split (0 pages) and afterwards. */
export function splitMessage(pages: number): string {
  return pages === 0 ? 'It is being split into pages.' : everyPageSent(pages);
}

/** Event for the file itself, once all of its pages are decided or the split was given up. */
export function endOfSplit({ id, file, sha256 }: Split, end: SplitEnd): SightedEvent {
  const { at, pages, reason, policy } = end;
  const [verdict, message] =
    reason === null
      ? (['split', end.message ?? splitMessage(pages)] as const)
      : (['rejected', end.message] as const);
  const sighted = { verdict, documentId: null, sha256, policy, reason, message, at };
  return { ...sightedEvent(id, file, sighted, id), pages, into: null };
}

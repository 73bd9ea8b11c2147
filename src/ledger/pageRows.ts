import type { DocumentState } from '../core/domain/document.ts';
import { everyPageSent, pageOf } from '../core/domain/pages.ts';
import type { Split, SplitPage } from '../core/ports/ledgerPages.ts';
import { relativePath, toIdentity, type IdentityRow } from './rows.ts';

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

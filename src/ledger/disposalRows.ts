import type { Disposal } from '../core/ports/ledgerDisposals.ts';
import { relativePath, toIdentity, type IdentityRow } from './rows.ts';

export interface DisposalRow extends IdentityRow {
  readonly id: number;
  readonly dir: string;
  readonly name: string;
  readonly sha256: string;
}

export function toDisposal(folder: string, row: DisposalRow): Disposal {
  const file = { folder, path: relativePath(row), identity: toIdentity(row) };
  return { sightingId: row.id, file, sha256: row.sha256 };
}

/** Merges rows of images and of split files, each read along its own index, into one list. */
export function inOrder<Row extends { readonly id: number }>(
  rows: readonly (readonly Row[])[],
  limit: number,
): Row[] {
  return rows
    .flat()
    .sort((a, b) => a.id - b.id)
    .slice(0, limit);
}

/** The lowest id of these rows. */
export function firstOf(rows: readonly ({ readonly id: number } | undefined)[]): number | undefined {
  const ids = rows.flatMap((row) => row?.id ?? []);
  return ids.length === 0 ? undefined : Math.min(...ids);
}

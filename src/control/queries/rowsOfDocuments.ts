import type { LedgerReports, ListRow } from '../../core/ports/ledgerReports.ts';

const WITHIN_MS = 500;

/** The list rows of these documents; skips unknown ids. */
export async function rowsOfDocuments(
  ledger: Pick<LedgerReports, 'document' | 'page'>,
  ids: readonly number[],
): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  for (const id of new Set(ids)) {
    const document = await ledger.document(id);
    if (document === null) continue;
    const behind = { createdAt: document.createdAt, id: id - 1 };
    const { rows: found } = await ledger.page({}, { order: 'oldest', behind, limit: 1, withinMs: WITHIN_MS });
    rows.push(...found.filter(({ documentId }) => documentId === id));
  }
  return rows;
}

import type { Document } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';

export function unknownDocument(name: string): ReceiptdError {
  return new ReceiptdError('DOCUMENT_UNKNOWN.name', { name });
}

/** The document whose number is in the URL path. @throws ReceiptdError DOCUMENT_UNKNOWN */
export async function numberedDocument(ledger: Pick<LedgerReports, 'document'>, id = ''): Promise<Document> {
  const document = /^[1-9]\d{0,14}$/.test(id) ? await ledger.document(Number(id)) : null;
  if (document === null) throw unknownDocument(`number ${id}`);
  return document;
}

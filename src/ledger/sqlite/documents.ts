import type { Document } from '../../core/domain/document.ts';
import { documentUnknown } from '../documentErrors.ts';
import { toDocument, type DocumentRow } from '../rows.ts';
import { DOCUMENT_BY_ID } from './sql/documents.ts';
import type { Sql } from './statements.ts';

export function documentById(sql: Sql, id: number): Document | null {
  const row = sql.get<DocumentRow>(DOCUMENT_BY_ID, { id });
  return row ? toDocument(row) : null;
}

/** @throws ReceiptdError DOCUMENT_UNKNOWN */
export function requireDocument(sql: Sql, id: number): Document {
  const document = documentById(sql, id);
  if (!document) throw documentUnknown(id);
  return document;
}

import type { Document } from '../../domain/document.ts';
import { documentUnknown } from '../documentErrors.ts';
import { toDocument, type DocumentRow } from '../rows.ts';
import type { Places } from './places.ts';
import { DOCUMENT_BY_ID } from './sql/documents.ts';
import type { Sql } from './statements.ts';

/** A document's row as the port has it. */
export function toOwnDocument(row: PlacedRow, places: Places): Document {
  return toDocument({ ...row, folder: places.toFolder(row.place, row.folder) });
}

export interface PlacedRow extends DocumentRow {
  readonly place: string;
}

export async function documentById(sql: Sql, places: Places, id: number): Promise<Document | null> {
  const row = await sql.get<PlacedRow>(DOCUMENT_BY_ID, { id });
  return row ? toOwnDocument(row, places) : null;
}

/** @throws ReceiptdError DOCUMENT_UNKNOWN */
export async function requireDocument(sql: Sql, places: Places, id: number): Promise<Document> {
  const document = await documentById(sql, places, id);
  if (!document) throw documentUnknown(id);
  return document;
}
